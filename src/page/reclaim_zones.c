/* SPDX-License-Identifier: MIT */
/* All that reclaim knows of the zones. */
#include "base/check.h"
#include "page/pcp.h"
#include "page/reclaim.h"
#include "page/zonelist.h"

#define PAGE_KIB (PAGE_SIZE / KIB)

int reclaim_nr_nodes(void)
{
	return (int)nr_online_nodes;
}

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

static bool node_is_balanced(unsigned int nid, unsigned int order)
{
	bool has_zones = false;
	struct zone *z;

	for_each_populated_zone(z) {
		if (z->node != nid)
			continue;
		has_zones = true;
		if (zone_watermark_ok(z, order, wmark_pages(z, WMARK_HIGH), z->index, 0))
			return true;
	}
	return !has_zones;
}

bool reclaim_balanced(unsigned int order)
{
	for (unsigned int nid = 0; nid < nr_online_nodes; nid++)
		if (!node_is_balanced(nid, order))
			return false;
	return true;
}

void reclaim_begin_balancing(void)
{
	struct zone *z;

	for_each_populated_zone(z)
		zone_set_flag(z, ZONE_RECLAIM_ACTIVE);
}

void reclaim_forget(void)
{
	struct zone *z;

	for_each_populated_zone(z)
		zone_clear_flag(z, ZONE_RECLAIM_ACTIVE);
}

void reclaim_end_balancing(void)
{
	struct zone *z;

	reclaim_forget();
	for_each_populated_zone(z)
		zone_end_boost(z);
}

void reclaim_drain(void)
{
	pcp_drain_local(NULL);
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

void reclaim_count_failure(void)
{
	atomic_add_relaxed(&page_failures, 1);
}
