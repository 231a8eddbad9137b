/* SPDX-License-Identifier: MIT */
#include "page/page_report.h"

#include "base/atomic.h"
#include "base/check.h"
#include "base/fmt.h"
#include "os/os.h"
#include "page/reclaim.h"
#include "page/zone.h"

bool report_limit_pass(struct report_limit *limit)
{
	uint64_t now = os_time_ms(), since = atomic_load_relaxed(&limit->since);

	if (!since || now - since >= limit->interval_ms) {
		unsigned long missed = atomic_load_relaxed(&limit->missed);

		atomic_store_relaxed(&limit->since, now);
		atomic_store_relaxed(&limit->shown, 0);
		atomic_store_relaxed(&limit->missed, 0);
		if (missed)
			report_line("%lu messages suppressed", missed);
	}
	if (atomic_add_relaxed(&limit->shown, 1) < limit->burst)
		return true;
	atomic_add_relaxed(&limit->missed, 1);
	return false;
}

static const struct {
	gfp_t flags;
	const char *name;
} gfp_table[] = {
#define GFP_ROW(name) { name, #name }
	GFP_ROW(GFP_TRANSHUGE), GFP_ROW(GFP_TRANSHUGE_LIGHT), GFP_ROW(GFP_HIGHUSER_MOVABLE),
	GFP_ROW(GFP_HIGHUSER), GFP_ROW(GFP_USER), GFP_ROW(GFP_KERNEL_ACCOUNT),
	GFP_ROW(GFP_KERNEL), GFP_ROW(GFP_NOFS), GFP_ROW(GFP_ATOMIC), GFP_ROW(GFP_NOIO),
	GFP_ROW(GFP_NOWAIT), { GFP_DMA, "GFP_DMA" }, GFP_ROW(__GFP_HIGHMEM),
	{ GFP_DMA32, "GFP_DMA32" }, GFP_ROW(__GFP_HIGH), GFP_ROW(__GFP_IO), GFP_ROW(__GFP_FS),
	GFP_ROW(__GFP_NOWARN), GFP_ROW(__GFP_RETRY_MAYFAIL), GFP_ROW(__GFP_NOFAIL),
	GFP_ROW(__GFP_NORETRY), GFP_ROW(__GFP_COMP), GFP_ROW(__GFP_ZERO),
	GFP_ROW(__GFP_NOMEMALLOC), GFP_ROW(__GFP_MEMALLOC), GFP_ROW(__GFP_HARDWALL),
	GFP_ROW(__GFP_THISNODE), GFP_ROW(__GFP_RECLAIMABLE), GFP_ROW(__GFP_MOVABLE),
	GFP_ROW(__GFP_ACCOUNT), GFP_ROW(__GFP_WRITE), GFP_ROW(__GFP_RECLAIM),
	GFP_ROW(__GFP_DIRECT_RECLAIM), GFP_ROW(__GFP_KSWAPD_RECLAIM), GFP_ROW(__GFP_ZEROTAGS),
#undef GFP_ROW
};

/* Composites first; what a name has covered is not named again. */
void gfp_names(gfp_t gfp, char *text, size_t size)
{
	size_t used = 0;

	text[0] = '\0';
	for (size_t i = 0; i < ARRAY_SIZE(gfp_table) && gfp && used < size; i++) {
		gfp_t flags = gfp_table[i].flags;

		if ((gfp & flags) != flags)
			continue;
		used += fmt_format(text + used, size - used, "%s%s", used ? "|" : "",
				   gfp_table[i].name);
		gfp &= ~flags;
	}
	if (gfp && used < size)
		fmt_format(text + used, size - used, "%s%#x", used ? "|" : "", gfp);
}

#define NODE_NAMES_BYTES 64

/* As Linux's %*pbl writes them: runs of numbers. */
static void node_names(const unsigned long *nodes, char *text, size_t size)
{
	size_t used = 0;

	fmt_format(text, size, "%s", nodes ? "" : "(null)");
	for (unsigned int node = 0; nodes && node < MAX_NUMNODES && used < size; node++) {
		unsigned int first = node;

		if (!(*nodes >> node & 1))
			continue;
		while (node + 1 < MAX_NUMNODES && (*nodes >> (node + 1) & 1))
			node++;
		used += fmt_format(text + used, size - used, node > first ? "%s%u-%u" : "%s%u",
				   used ? "," : "", first, node);
	}
}

void page_report_memory(gfp_t gfp, unsigned int order, const unsigned long *nodes,
			const char *what)
{
	char name[OS_NAME_BYTES], names[GFP_NAMES_BYTES], mask[NODE_NAMES_BYTES];

	os_thread_name(name);
	gfp_names(gfp, names, sizeof(names));
	node_names(nodes, mask, sizeof(mask));
	report_line("%s: %s: order:%u, mode:%#x(%s), nodemask=%s", name, what, order, gfp, names,
		    mask);
	reclaim_show_zones();
}

/* cf. Linux warn_alloc(). That there is no DMA memory at all is no news. */
void page_report_failure(gfp_t gfp, unsigned int order, const unsigned long *nodes)
{
	static struct report_limit limit = { .interval_ms = 10000, .burst = 1 };

	atomic_add_relaxed(&page_failures, 1);
	if ((gfp & __GFP_NOWARN) || ((gfp & __GFP_DMA) && !page_has_zone(ZONE_DMA)))
		return;
	if (report_limit_pass(&limit))
		page_report_memory(gfp, order, nodes, "page allocation failure");
}
