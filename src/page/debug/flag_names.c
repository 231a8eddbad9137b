/* SPDX-License-Identifier: MIT */
/* cf. Linux include/trace/events/mmflags.h for names and order, lib/vsprintf.c: %pG. */
#include "page/debug/flag_names.h"

#include "base/compiler.h"
#include "base/fmt.h"
#include "mm/page_flags.h"

struct flag_name {
	unsigned long flags;
	const char *name;
};

/* Composites come before their parts. Two flags have no name in Linux, and none here. */
static const struct flag_name gfp_table[] = {
#define ROW(name) { name, #name }
	ROW(GFP_TRANSHUGE), ROW(GFP_TRANSHUGE_LIGHT), ROW(GFP_HIGHUSER_MOVABLE),
	ROW(GFP_HIGHUSER), ROW(GFP_USER), ROW(GFP_KERNEL_ACCOUNT), ROW(GFP_KERNEL),
	ROW(GFP_NOFS), ROW(GFP_ATOMIC), ROW(GFP_NOIO), ROW(GFP_NOWAIT),
	ROW(GFP_DMA), ROW(__GFP_HIGHMEM), ROW(GFP_DMA32),
	ROW(__GFP_HIGH), ROW(__GFP_IO), ROW(__GFP_FS), ROW(__GFP_NOWARN),
	ROW(__GFP_RETRY_MAYFAIL), ROW(__GFP_NOFAIL), ROW(__GFP_NORETRY), ROW(__GFP_COMP),
	ROW(__GFP_ZERO), ROW(__GFP_NOMEMALLOC), ROW(__GFP_MEMALLOC), ROW(__GFP_HARDWALL),
	ROW(__GFP_THISNODE), ROW(__GFP_RECLAIMABLE), ROW(__GFP_MOVABLE), ROW(__GFP_ACCOUNT),
	ROW(__GFP_WRITE), ROW(__GFP_RECLAIM), ROW(__GFP_DIRECT_RECLAIM),
	ROW(__GFP_KSWAPD_RECLAIM), ROW(__GFP_ZEROTAGS), ROW(__GFP_SKIP_ZERO),
	ROW(__GFP_SKIP_KASAN),
#undef ROW
};

/* The owner's bits are those of include/kernel/linux/page-flags.h. */
static const struct flag_name page_table[] = {
	{ 1UL << 16, "locked" }, { 1UL << 18, "referenced" }, { 1UL << 19, "uptodate" },
	{ 1UL << 20, "dirty" }, { 1UL << 21, "lru" }, { PG_head, "head" }, { 1UL << 23, "active" },
	{ 1UL << 22, "workingset" }, { 1UL << 33, "error" }, { 1UL << 24, "owner_priv_1" },
	{ 1UL << 25, "arch_1" }, { 1UL << 26, "reserved" }, { 1UL << 27, "private" },
	{ 1UL << 28, "private_2" }, { 1UL << 17, "writeback" }, { 1UL << 29, "mappedtodisk" },
	{ 1UL << 30, "reclaim" }, { 1UL << 31, "swapbacked" }, { 1UL << 32, "unevictable" },
};

/*
 * Appends the names of the flags that the table has, to a text of *used bytes. Returns the other
 * flags. A flag that one name covers is not named again.
 */
static unsigned long append_names(const struct flag_name *table, size_t nr, unsigned long flags,
				  char *text, size_t size, size_t *used)
{
	const char *separator = "";

	for (size_t i = 0; i < nr && flags; i++) {
		if ((flags & table[i].flags) != table[i].flags || *used >= size)
			continue;
		*used += fmt_format(text + *used, size - *used, "%s%s", separator, table[i].name);
		flags &= ~table[i].flags;
		separator = "|";
	}
	return flags;
}

void gfp_names(gfp_t gfp, char *text, size_t size)
{
	size_t used = 0;
	unsigned long rest;

	if (size)
		text[0] = '\0';
	rest = append_names(gfp_table, ARRAY_SIZE(gfp_table), gfp, text, size, &used);
	if (rest && used < size)
		fmt_format(text + used, size - used, "%s%#lx", used ? "|" : "", rest);
}

void page_flag_names(unsigned long flags, int node, int zone, char *text, size_t size)
{
	size_t used = fmt_format(text, size, "%#lx(", flags), start = used;

	append_names(page_table, ARRAY_SIZE(page_table), flags, text, size, &used);
	if (node >= 0 && used < size)
		used += fmt_format(text + used, size - used, "%snode=%d", used > start ? "|" : "",
				   node);
	if (used < size)
		fmt_format(text + used, size - used, "%szone=%d)", used > start ? "|" : "", zone);
}

FOR_KERNEL(gfp_names);
FOR_KERNEL(page_flag_names);
