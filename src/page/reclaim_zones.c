/* SPDX-License-Identifier: MIT */
/* Counts of the zones, as reclaim and its reports need them. */
#include "base/check.h"
#include "page/pcp.h"
#include "page/reclaim.h"
#include "page/zonelist.h"

#define PAGE_KIB (PAGE_SIZE / KIB)

unsigned long reclaim_available_pages(void)
{
	return nodes_free_pages() + pcp_pages();
}

bool reclaim_could_satisfy(const struct alloc_context *ac, unsigned int order,
			   unsigned int alloc_flags, unsigned long more_pages)
{
	const struct zoneref *ref;
	struct zone *z;

	for_each_zone_zonelist(z, ref, ac)
		if (zone_watermark_ok_with(z, order, wmark_pages(z, WMARK_MIN), ac->highest,
					   alloc_flags, more_pages))
			return true;
	return false;
}

void reclaim_show_zones(void)
{
	struct zone *z;

	for_each_populated_zone(z)
		report_line("Node %u %s free:%lukB boost:%lukB min:%lukB low:%lukB high:%lukB "
			    "reserved_highatomic:%lukB managed:%lukB free_pcp:%lukB",
			    z->node, z->name, atomic_load_relaxed(&z->free_pages) * PAGE_KIB,
			    atomic_load_relaxed(&z->watermark_boost) * PAGE_KIB,
			    wmark_pages(z, WMARK_MIN) * PAGE_KIB,
			    wmark_pages(z, WMARK_LOW) * PAGE_KIB,
			    wmark_pages(z, WMARK_HIGH) * PAGE_KIB,
			    atomic_load_relaxed(&z->nr_reserved_highatomic) * PAGE_KIB,
			    z->managed_pages * PAGE_KIB, pcp_zone_pages(z) * PAGE_KIB);
}
