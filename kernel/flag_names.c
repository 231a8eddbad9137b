// SPDX-License-Identifier: MIT
/* Flags as text; cf. Linux include/trace/events/mmflags.h for the names and their order. */
#include <linux/gfp.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/page-flags.h>

#include "flag_names.h"

struct flag_name {
	unsigned long mask;
	const char *name;
};

/* In the order in which Linux tries them: composites before their parts. */
static const struct flag_name gfp_names[] = {
#define NAME(flag) { flag, #flag }
	NAME(GFP_TRANSHUGE), NAME(GFP_TRANSHUGE_LIGHT), NAME(GFP_HIGHUSER_MOVABLE),
	NAME(GFP_HIGHUSER), NAME(GFP_USER), NAME(GFP_KERNEL_ACCOUNT), NAME(GFP_KERNEL),
	NAME(GFP_NOFS), NAME(GFP_ATOMIC), NAME(GFP_NOIO), NAME(GFP_NOWAIT), NAME(GFP_DMA),
	NAME(__GFP_HIGHMEM), NAME(GFP_DMA32), NAME(__GFP_HIGH), NAME(__GFP_IO), NAME(__GFP_FS),
	NAME(__GFP_NOWARN), NAME(__GFP_RETRY_MAYFAIL), NAME(__GFP_NOFAIL), NAME(__GFP_NORETRY),
	NAME(__GFP_COMP), NAME(__GFP_ZERO), NAME(__GFP_NOMEMALLOC), NAME(__GFP_MEMALLOC),
	NAME(__GFP_HARDWALL), NAME(__GFP_THISNODE), NAME(__GFP_RECLAIMABLE), NAME(__GFP_MOVABLE),
	NAME(__GFP_ACCOUNT), NAME(__GFP_WRITE), NAME(__GFP_RECLAIM), NAME(__GFP_DIRECT_RECLAIM),
	NAME(__GFP_KSWAPD_RECLAIM), NAME(__GFP_ZEROTAGS), NAME(__GFP_SKIP_ZERO),
	NAME(__GFP_SKIP_KASAN), NAME(__GFP_NOLOCKDEP), NAME(__GFP_NO_OBJ_EXT),
#undef NAME
};

static const struct flag_name page_names[] = {
#define NAME(flag) { 1UL << PG_##flag, #flag }
	NAME(locked), NAME(referenced), NAME(uptodate), NAME(dirty), NAME(lru), NAME(active),
	NAME(workingset), NAME(error), NAME(owner_priv_1), NAME(arch_1), NAME(reserved),
	NAME(private), NAME(private_2), NAME(writeback), NAME(mappedtodisk), NAME(reclaim),
	NAME(swapbacked), NAME(unevictable),
#undef NAME
};

/* Appends the names of flags, in the table's order; what has no name is returned. */
static unsigned long append_names(char *text, const struct flag_name *names, size_t nr,
				  unsigned long flags, const char *separator)
{
	size_t length = strlen(text);

	for (size_t i = 0; i < nr && flags; i++) {
		if ((flags & names[i].mask) != names[i].mask)
			continue;
		length += scnprintf(text + length, FLAGS_TEXT_SIZE - length, "%s%s", separator,
				    names[i].name);
		flags &= ~names[i].mask;
		separator = "|";
	}
	return flags;
}

void gfp_flags_text(char text[FLAGS_TEXT_SIZE], gfp_t flags)
{
	unsigned long rest;
	size_t length;

	text[0] = '\0';
	rest = append_names(text, gfp_names, ARRAY_SIZE(gfp_names), flags, "");
	length = strlen(text);
	if (rest)
		scnprintf(text + length, FLAGS_TEXT_SIZE - length, "%s%#lx", length ? "|" : "", rest);
}

void page_flags_text(char text[FLAGS_TEXT_SIZE], unsigned long flags)
{
	unsigned long names = flags & (BIT(__NR_PAGEFLAGS) - 1);
	size_t length;

	scnprintf(text, FLAGS_TEXT_SIZE, "%#lx(", flags);
	length = strlen(text);
	append_names(text, page_names, ARRAY_SIZE(page_names), names, "");
	if (text[length])
		strlcat(text, "|", FLAGS_TEXT_SIZE);
	length = strlen(text);
	scnprintf(text + length, FLAGS_TEXT_SIZE - length, "zone=%d)", ZONE_NORMAL);
}
