// SPDX-License-Identifier: MIT
/*
 * Nodes and zones for linux/mmzone.h, nodemask.h and topology.h.
 *
 * The core has the nodes; this file has copies of them with Linux's fields. If there is one node,
 * any node number means this node, as in a kernel without NUMA.
 */
#include <linux/cpumask.h>
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/mmzone.h>
#include <linux/nodemask.h>
#include <linux/numa.h>
#include <linux/random.h>
#include <linux/topology.h>

#include "sched/context.h"
#include "zone_counts.h"

nodemask_t node_states[NR_NODE_STATES] = {
	[0 ... NR_NODE_STATES - 1] = { { 1 } },
};
unsigned int nr_node_ids = 1;
unsigned int nr_online_nodes = 1;

static pg_data_t nodes[MAX_NUMNODES];
static struct cpumask node_cpus[MAX_NUMNODES];	/* Sync: constant before there are modules */

/* --- Copies of nodes and zones ----------------------------------------------------- */

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

static void view_zonelist(pg_data_t *node, unsigned int which)
{
	struct zoneref *ref = node->node_zonelists[which]._zonerefs;
	unsigned int zone_node, index;

	for (unsigned int i = 0; zone_counts_listed((unsigned int)node->node_id,
						    which == ZONELIST_NOFALLBACK, i, &zone_node,
						    &index); i++)
		*ref++ = (struct zoneref){ &nodes[zone_node].node_zones[index], (int)index };
	ref->zone = NULL;
}

/* Sets the constant fields. */
static void init_node(int nid)
{
	static const char *const names[MAX_NR_ZONES] = { "DMA", "DMA32", "Normal", "Movable" };
	pg_data_t *node = &nodes[nid];

	node->node_id = nid;
	node->nr_zones = MAX_NR_ZONES;
	for (unsigned int i = 0; i < MAX_NR_ZONES; i++) {
		node->node_zones[i].name = names[i];
		node->node_zones[i].node = nid;
		node->node_zones[i].zone_pgdat = node;
	}
	for (unsigned int which = 0; which < MAX_ZONELISTS; which++)
		view_zonelist(node, which);
}

/* Copies the counts. They may not fit together exactly, as in Linux. */
static void view_node(pg_data_t *node)
{
	unsigned long present = 0, start = ULONG_MAX, end = 0;

	for (unsigned int i = 0; i < MAX_NR_ZONES; i++) {
		struct zone *zone = &node->node_zones[i];
		struct zone_counts counts;

		zone_counts_read((unsigned int)node->node_id, i, &counts);
		view_zone(zone, &counts);
		present += counts.managed;
		if (!populated_zone(zone))
			continue;
		start = min(start, zone->zone_start_pfn);
		end = max(end, zone_end_pfn(zone));
	}
	node->node_present_pages = present;
	node->node_start_pfn = end ? start : 0;
	node->node_spanned_pages = end ? end - start : 0;
}

pg_data_t *usermm_node_data(int nid)
{
	if (nr_node_ids == 1)
		nid = 0;
	if (!node_online(nid))
		return NULL;
	view_node(&nodes[nid]);
	return &nodes[nid];
}

int usermm_page_zonenum(const struct page *page)
{
	return (int)zone_counts_index(page);
}

int usermm_page_nid(const struct page *page)
{
	return (int)zone_counts_node(page);
}

bool usermm_has_zone(enum zone_type zone)
{
	int nid;

	for_each_online_node(nid)
		if (populated_zone(&nodes[nid].node_zones[zone]))
			return true;
	return false;
}

pg_data_t *first_online_pgdat(void)
{
	return NODE_DATA(first_online_node);
}

pg_data_t *next_online_pgdat(pg_data_t *pgdat)
{
	int nid = next_online_node(pgdat->node_id);

	return nid < MAX_NUMNODES ? NODE_DATA(nid) : NULL;
}

struct zone *next_zone(struct zone *zone)
{
	pg_data_t *node = zone->zone_pgdat;

	if (zone < node->node_zones + MAX_NR_ZONES - 1)
		return zone + 1;
	node = next_online_pgdat(node);
	return node ? node->node_zones : NULL;
}

/* --- CPUs and distances --------------------------------------------------------------- */

int usermm_cpu_to_node(int cpu)
{
	if (zone_counts_nodes_are_real())
		cpu = usermm_cpu_processor((unsigned int)cpu);
	return (int)zone_counts_cpu_node((unsigned int)cpu);
}

static unsigned int current_node(void)
{
	return (unsigned int)usermm_cpu_to_node(raw_smp_processor_id());
}

const struct cpumask *usermm_cpumask_of_node(int node)
{
	static const struct cpumask none;

	if (node == NUMA_NO_NODE || nr_node_ids == 1)
		return cpu_online_mask;
	return node_online(node) ? &node_cpus[node] : &none;
}

int usermm_node_to_mem_node(int node)
{
	const struct zone *first = nodes[node].node_zonelists[ZONELIST_FALLBACK]._zonerefs->zone;

	return first ? first->node : node;
}

/* cf. Linux arch/x86/mm/numa.c: __node_distance() */
int usermm_node_distance(int from, int to)
{
	if (!node_online(from) || !node_online(to))
		return from == to ? LOCAL_DISTANCE : REMOTE_DISTANCE;
	return (int)zone_counts_distance((unsigned int)from, (unsigned int)to);
}

/* cf. Linux mm/mempolicy.c: numa_nearest_node() */
int numa_nearest_node(int node, unsigned int state)
{
	int nearest = NUMA_NO_NODE, other;

	if (state >= NR_NODE_STATES)
		return -EINVAL;
	if (node == NUMA_NO_NODE || node_state(node, state))
		return node;
	for_each_node_state(other, state)
		if (nearest == NUMA_NO_NODE ||
		    node_distance(node, other) < node_distance(node, nearest))
			nearest = other;
	return nearest == NUMA_NO_NODE ? node : nearest;
}

int numa_map_to_online_node(int node)
{
	return numa_nearest_node(node, N_ONLINE);
}

int node_random(const nodemask_t *mask)
{
	int weight = nodes_weight(*mask), node;

	if (!weight)
		return NUMA_NO_NODE;
	weight = (int)get_random_u32_below((u32)weight);
	for_each_node_mask(node, *mask)
		if (!weight--)
			break;
	return node;
}

/* --- Bringing it up ----------------------------------------------------------------------- */

static void set_state(int nid, enum node_states state, bool has_it)
{
	if (has_it)
		node_set(nid, node_states[state]);
	else
		node_clear(nid, node_states[state]);
}

static void set_states(int nid)
{
	unsigned int node = (unsigned int)nid;
	const struct zone *zones = nodes[nid].node_zones;
	bool has_normal = false, online = zone_counts_node_is_online(node);

	for (unsigned int i = 0; i <= ZONE_NORMAL; i++)
		has_normal |= populated_zone(&zones[i]);
	set_state(nid, N_POSSIBLE, online);
	set_state(nid, N_ONLINE, online);
	set_state(nid, N_NORMAL_MEMORY, has_normal);
	set_state(nid, N_MEMORY, has_normal || populated_zone(&zones[ZONE_MOVABLE]));
	set_state(nid, N_GENERIC_INITIATOR, false);
}

void usermm_nodes_set_cpus(void)
{
	for (int nid = 0; nid < MAX_NUMNODES; nid++)
		cpumask_clear(&node_cpus[nid]);
	for (unsigned int cpu = 0; cpu < nr_cpu_ids; cpu++)
		cpumask_set_cpu(cpu, &node_cpus[cpu_to_node((int)cpu)]);
	for (int nid = 0; nid < MAX_NUMNODES; nid++)
		set_state(nid, N_CPU, !cpumask_empty(&node_cpus[nid]));
}

/* Runs after the CPUs are counted (101), and before modules and other users of nodes. */
__attribute__((constructor(102))) static void nodes_init(void)
{
	unsigned int nr = zone_counts_nodes();

	for (unsigned int nid = 0; nid < nr; nid++)
		init_node((int)nid);
	if (nr > 1)
		nr_node_ids = nr;
	usermm_nodes_set_cpus();
	for (unsigned int nid = 0; nid < nr; nid++) {
		view_node(&nodes[nid]);
		set_states((int)nid);
	}
	nr_online_nodes = (unsigned int)num_online_nodes();
	zone_counts_set_node_hook(current_node);
}
