/* SPDX-License-Identifier: MIT */
/* All that reclaim knows of the zones. */
#include "base/check.h"
#include "page/gfp.h"
#include "page/reclaim.h"
#include "page/zone.h"

int reclaim_nr_nodes(void)
{
	return 1;
}

unsigned long reclaim_available_pages(void)
{
	return atomic_load_relaxed(&zone.free_pages) + pcp_pages();
}

bool reclaim_could_satisfy(gfp_t gfp, unsigned int order, unsigned int alloc_flags,
			   unsigned long more_pages)
{
	unsigned long short_of = (1UL << order) - 1 - more_pages;

	(void)gfp;
	alloc_flags = (alloc_flags & ~ALLOC_WMARK_MASK) | ALLOC_WMARK_MIN;
	return zone_watermark_ok_bulk(&zone, short_of, alloc_flags);
}

bool reclaim_balanced(unsigned int order)
{
	return zone_watermark_ok(&zone, order, ALLOC_WMARK_HIGH);
}

void reclaim_drain(bool all_cpus)
{
	if (all_cpus)
		pcp_drain_all(&zone);
	else
		pcp_drain_local(&zone);
}

void reclaim_show_zones(void)
{
	report_line("Node %d %s free:%lukB min:%lukB low:%lukB high:%lukB managed:%lukB "
		    "free_pcp:%lukB", 0, "Normal",
		    atomic_load_relaxed(&zone.free_pages) * (PAGE_SIZE / KIB),
		    zone.watermark[WMARK_MIN] * (PAGE_SIZE / KIB),
		    zone.watermark[WMARK_LOW] * (PAGE_SIZE / KIB),
		    zone.watermark[WMARK_HIGH] * (PAGE_SIZE / KIB),
		    zone.managed_pages * (PAGE_SIZE / KIB), pcp_pages() * (PAGE_SIZE / KIB));
}

void reclaim_count_failure(void)
{
	atomic_add_relaxed(&zone.failures, 1);
}
