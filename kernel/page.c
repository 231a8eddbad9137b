// SPDX-License-Identifier: MIT
/* What include/kernel/linux/gfp.h and mm.h declare beyond usermm/page.h. */
#include <string.h>

#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/mmzone.h>
#include <linux/vmstat.h>

#include "zone_counts.h"

void release_pages(struct page **pages, int nr)
{
	if (nr > 0)
		(free_pages_bulk)(pages, (unsigned long)nr);
}

/* --- The view of nodes and zones ------------------------------------------ */

unsigned long nr_free_pages(void)
{
	return zone_counts_free();
}

unsigned long usermm_totalram_pages(void)
{
	return zone_counts_managed();
}

static void view_zone(struct zone *zone, const struct zone_counts *counts)
{
	zone->zone_start_pfn = counts->start_pfn;
	zone->spanned_pages = counts->spanned;
	zone->present_pages = counts->managed;
	zone->watermark_boost = counts->boost;
	atomic_long_set(&zone->managed_pages, (long)counts->managed);
	atomic_long_set(&zone->vm_stat[NR_FREE_PAGES], (long)counts->free);
	for (unsigned int i = 0; i < NR_WMARK; i++)
		zone->_watermark[i] = counts->watermark[i];
	for (unsigned int i = 0; i < MAX_NR_ZONES; i++)
		zone->lowmem_reserve[i] = (long)counts->lowmem_reserve[i];
	for (unsigned int order = 0; order < NR_PAGE_ORDERS; order++)
		zone->free_area[order].nr_free = counts->nr_free[order];
}

/* The zones that have memory, the highest first. */
static void fill_zonelist(pg_data_t *node)
{
	struct zoneref *ref = node->node_zonelists[ZONELIST_FALLBACK]._zonerefs;

	for (int i = MAX_NR_ZONES - 1; i >= 0; i--)
		if (populated_zone(&node->node_zones[i]))
			*ref++ = (struct zoneref){ .zone = &node->node_zones[i], .zone_idx = i };
	ref->zone = NULL;
}

/* Readers see counts that may be out of step with each other, as in Linux. */
pg_data_t *usermm_node_data(void)
{
	static const char *const names[MAX_NR_ZONES] = { "DMA", "DMA32", "Normal", "Movable" };
	static pg_data_t node;
	unsigned long present = 0;

	node.nr_zones = MAX_NR_ZONES;
	for (unsigned int i = 0; i < MAX_NR_ZONES; i++) {
		struct zone_counts counts;

		zone_counts_read(i, &counts);
		node.node_zones[i].name = names[i];
		node.node_zones[i].zone_pgdat = &node;
		view_zone(&node.node_zones[i], &counts);
		present += counts.managed;
	}
	node.node_present_pages = node.node_spanned_pages = present;
	fill_zonelist(&node);
	return &node;
}

int usermm_page_zonenum(const struct page *page)
{
	return (int)zone_counts_index(page);
}
