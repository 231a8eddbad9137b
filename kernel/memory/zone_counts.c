// SPDX-License-Identifier: MIT
#include "zone_counts.h"

#include "base/upward_hooks.h"
#include "os/os.h"
#include "page/pageblock.h"
#include "page/pcp/pcp.h"
#include "page/zone.h"
#include "stats/vmstat.h"

_Static_assert(NR_WMARK == ZONE_COUNTS_WMARKS && MAX_NR_ZONES == ZONE_COUNTS_ZONES,
	       "zone_counts.h has the core's numbers");

void zone_counts_read(unsigned int node, unsigned int index, struct zone_counts *counts)
{
	const struct zone *z = &NODE_DATA(node)->node_zones[index];

	*counts = (struct zone_counts){ 0 };
	if (page_init())
		return;
	counts->managed = zone_managed_pages(z);
	counts->free = zone_free_pages(z);
	counts->boost = atomic_load_relaxed(&z->watermark_boost);
	counts->start_pfn = atomic_load_relaxed(&z->start_pfn);
	/* A zone that grows on demand may later span more of the window than it does now. */
	counts->spanned = atomic_load_relaxed(&z->end_pfn) - counts->start_pfn;
	counts->spanned = max(counts->spanned, counts->managed);
	for (unsigned int i = 0; i < NR_WMARK; i++)
		counts->watermark[i] = atomic_load_relaxed(&z->watermark[i]);
	for (unsigned int i = 0; i < MAX_NR_ZONES; i++)
		counts->lowmem_reserve[i] = z->lowmem_reserve[i];
	for (unsigned int order = 0; order < NR_PAGE_ORDERS; order++)
		counts->nr_free[order] = zone_free_blocks_of_order(z, order);
}

unsigned int zone_counts_index(const struct page *page)
{
	return page_zone(page)->index;
}

unsigned int zone_counts_node(const struct page *page)
{
	return page_zone(page)->node;
}

unsigned int zone_counts_nodes(void)
{
	return page_init() ? 0 : nr_online_nodes;
}

bool zone_counts_node_is_online(unsigned int node)
{
	const struct zone *own = NODE_DATA(node)->node_zonelists[ZONELIST_NOFALLBACK].refs->zone;

	return own || numa_node_has_cpus(node);
}

bool zone_counts_nodes_are_real(void)
{
	return nodes_are_real;
}

unsigned int zone_counts_cpu_node(unsigned int cpu)
{
	return numa_cpu_node(cpu);
}

unsigned int zone_counts_distance(unsigned int from, unsigned int to)
{
	return node_distance(from, to);
}

void zone_counts_set_node_hook(unsigned int (*hook)(void))
{
	numa_set_node_id_hook(hook);
}

bool zone_counts_listed(unsigned int node, bool own, unsigned int place, unsigned int *zone_node,
			unsigned int *index)
{
	const struct zonelist *list =
		&NODE_DATA(node)->node_zonelists[own ? ZONELIST_NOFALLBACK : ZONELIST_FALLBACK];
	const struct zone *z = list->refs[place].zone;

	if (!z)
		return false;
	*zone_node = z->node;
	*index = z->index;
	return true;
}

void zone_counts_prefer_node(void *memory, unsigned long bytes, unsigned int node)
{
	if (nodes_are_real && node < nr_online_nodes)
		os_prefer_node(memory, bytes, node);
}

unsigned long zone_counts_free(void)
{
	return page_init() ? 0 : nodes_free_pages();
}

unsigned long zone_counts_managed(void)
{
	return page_init() ? 0 : nodes_managed_pages();
}

unsigned long zone_counts_slab_pages(bool reclaimable)
{
	return vmstat_slab_pages(reclaimable);
}

void zone_counts_set_min(unsigned long pages)
{
	if (!page_init())
		zones_set_min_free(pages);
}

bool zone_counts_charge(unsigned long pages)
{
	return !page_init() && zone_charge(budget_zone(), pages);
}

void zone_counts_uncharge(unsigned long pages)
{
	zone_uncharge(budget_zone(), pages);
}
