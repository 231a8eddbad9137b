/* SPDX-License-Identifier: MIT */
/*
 * Nodes and zones as text, in the formats of Linux's /proc. Items that have no meaning here are
 * left out. Nobody is stopped meanwhile, so counts may be of different times.
 */
#include "base/fmt.h"
#include "mm/memmap.h"
#include "page/migratetype.h"
#include "page/pageblock.h"
#include "page/pcp/pcp.h"
#include "page/reclaim/reclaim.h"
#include "page/zone.h"
#include "stats/report.h"
#include "stats/vmstat.h"
#include "stats/zones.h"
#include "usermm/stats.h"

/* Counts the pageblocks of each type. */
static void count_pageblocks(const struct zone *z, unsigned long nr[MIGRATE_TYPES])
{
	unsigned long end = atomic_load_relaxed(&z->end_pfn);

	for (unsigned int type = 0; type < MIGRATE_TYPES; type++)
		nr[type] = 0;
	for (unsigned long pfn = z->start_pfn; pfn < end; pfn += PAGEBLOCK_PAGES) {
		const struct page *page = pfn_to_page(pfn);

		if (page_zone(page) == z)
			nr[get_pageblock_migratetype(page)]++;
	}
}

void zone_line_read(struct zone_line *line, const struct zone *z)
{
	line->free_pages = zone_free_pages(z);
	line->boost = atomic_load_relaxed(&z->watermark_boost);
	for (unsigned int i = 0; i < NR_WMARK; i++)
		line->watermarks[i] = wmark_pages(z, i);
	line->spanned_pages = atomic_load_relaxed(&z->end_pfn) - atomic_load_relaxed(&z->start_pfn);
	line->present_pages = atomic_load_relaxed(&z->present_pages) +
			      atomic_load_relaxed(&z->parked_pages);
	line->managed_pages = zone_managed_pages(z);
	for (unsigned int order = 0; order < NR_PAGE_ORDERS; order++)
		line->free_blocks[order] = zone_free_blocks_of_order(z, order);
}

/* /proc/buddyinfo: free blocks of each order. */
void stats_print_buddyinfo(struct fmt_writer *out)
{
	struct zone_line line;
	struct zone *z;

	if (!page_init())
		for_each_populated_zone(z) {
			zone_line_read(&line, z);
			fmt_print(out, "Node %d, zone %8s ", (int)z->node, z->name);
			for (unsigned int order = 0; order < NR_PAGE_ORDERS; order++)
				fmt_print(out, "%6lu ", line.free_blocks[order]);
			fmt_print(out, "\n");
		}
}

void usermm_print_buddyinfo(int fd)
{
	fmt_print_to(fd, stats_print_buddyinfo);
}

/* --- /proc/pagetypeinfo ---------------------------------------------------------- */

static void print_free_blocks(struct fmt_writer *out, const struct zone *z)
{
	for (unsigned int type = 0; type < MIGRATE_TYPES; type++) {
		fmt_print(out, "Node %4d, zone %8s, type %12s ", (int)z->node, z->name,
			  migratetype_names[type]);
		for (unsigned int order = 0; order < NR_PAGE_ORDERS; order++)
			fmt_print(out, "%6lu ", zone_free_blocks(z, order, type));
		fmt_print(out, "\n");
	}
}

static void print_pageblocks(struct fmt_writer *out, const struct zone *z)
{
	unsigned long nr[MIGRATE_TYPES];

	count_pageblocks(z, nr);
	fmt_print(out, "Node %d, zone %8s ", (int)z->node, z->name);
	for (unsigned int type = 0; type < MIGRATE_TYPES; type++)
		fmt_print(out, "%12lu ", nr[type]);
	fmt_print(out, "\n");
}

static void print_node_types(struct fmt_writer *out, unsigned int node)
{
	struct zone *z;

	fmt_print(out, "Page block order: %d\n", PAGEBLOCK_ORDER);
	fmt_print(out, "Pages per block:  %lu\n\n", PAGEBLOCK_PAGES);
	fmt_print(out, "%-43s ", "Free pages count per migrate type at order");
	for (int order = 0; order < NR_PAGE_ORDERS; order++)
		fmt_print(out, "%6d ", order);
	fmt_print(out, "\n");
	for_each_populated_zone(z)
		if (z->node == node)
			print_free_blocks(out, z);
	fmt_print(out, "\n%-23s", "Number of blocks type ");
	for (unsigned int type = 0; type < MIGRATE_TYPES; type++)
		fmt_print(out, "%12s ", migratetype_names[type]);
	fmt_print(out, "\n");
	for_each_populated_zone(z)
		if (z->node == node)
			print_pageblocks(out, z);
}

/* Only pageblocks that are online are counted. */
void stats_print_pagetypeinfo(struct fmt_writer *out)
{
	if (!page_init())
		for (unsigned int node = 0; node < nr_online_nodes; node++)
			print_node_types(out, node);
}

void usermm_print_pagetypeinfo(int fd)
{
	fmt_print_to(fd, stats_print_pagetypeinfo);
}

/* --- /proc/zoneinfo ----------------------------------------------------------------- */

static void print_marks(struct fmt_writer *out, const struct zone *z)
{
	static const char *const names[NR_WMARK] = { "min", "low", "high", "promo" };
	unsigned long blocks[MIGRATE_TYPES];
	struct zone_line line;

	count_pageblocks(z, blocks);
	zone_line_read(&line, z);
	fmt_print(out, "  pages free     %lu\n", line.free_pages);
	fmt_print(out, "        boost    %lu\n", line.boost);
	for (unsigned int i = 0; i < NR_WMARK; i++)
		fmt_print(out, "        %-8s %lu\n", names[i], line.watermarks[i]);
	fmt_print(out, "        spanned  %lu\n", line.spanned_pages);
	fmt_print(out, "        present  %lu\n", line.present_pages);
	fmt_print(out, "        managed  %lu\n", line.managed_pages);
	fmt_print(out, "        cma      %lu\n", blocks[MIGRATE_CMA] * PAGEBLOCK_PAGES);
	fmt_print(out, "        protection: (%lu", z->lowmem_reserve[0]);
	for (unsigned int i = 1; i < MAX_NR_ZONES; i++)
		fmt_print(out, ", %lu", z->lowmem_reserve[i]);
	fmt_print(out, ")\n");
}

/* With mm_cid a slot is not a CPU's, so it is called "slot". */
static void print_pagesets(struct fmt_writer *out, const struct zone *z)
{
	const char *name = percpu_mode() == PERCPU_RSEQ_MM_CID ? "slot" : "cpu";

	fmt_print(out, "  pagesets\n");
	for (unsigned int slot = 0; slot < percpu_nr_slots(); slot++) {
		struct pcp_counts counts;

		pcp_counts_read(z, slot, &counts);
		fmt_print(out, "    %s: %u\n", name, slot);
		fmt_print(out, "              count: %lu\n", counts.count);
		fmt_print(out, "              high:  %d\n", counts.high);
		fmt_print(out, "              batch: %d\n", counts.batch);
		/* CPUs keep no part of the zones' counts. */
		fmt_print(out, "  vm stats threshold: %d\n", 0);
	}
}

static void print_item(struct fmt_writer *out, const char *name, unsigned long value)
{
	fmt_print(out, "      %-12s %lu\n", name, value);
}

/* Slabs are not counted by node, so this is printed only with a single node. */
static void print_node_items(struct fmt_writer *out, const struct zone *z)
{
	if (z != first_populated_zone() || nr_online_nodes > 1)
		return;
	fmt_print(out, "  per-node stats\n");
	print_item(out, "nr_slab_reclaimable", vmstat_slab_pages(true));
	print_item(out, "nr_slab_unreclaimable", vmstat_slab_pages(false));
}

/* As in Linux: a zone that one node has is printed for every node, even if it is empty. */
static void print_zone(struct fmt_writer *out, const struct zone *z)
{
	fmt_print(out, "Node %d, zone %8s\n", (int)z->node, z->name);
	print_node_items(out, z);
	print_marks(out, z);
	if (!populated_zone(z))
		return;
	for (unsigned int i = 0; i < NR_ZONE_ITEMS; i++)
		print_item(out, vmstat_names[VMSTAT_nr_free_pages + i], vmstat_zone_item(z, i));
	for (unsigned int i = 0; i < NR_NUMA_EVENTS; i++)
		print_item(out, vmstat_names[VMSTAT_numa_hit + i],
			   vmstat_numa_item(z, (enum numa_event)i));
	print_pagesets(out, z);
	fmt_print(out, "  node_unreclaimable:  %u\n",
		  (unsigned int)kswapd_gave_up(z->node));
	fmt_print(out, "  start_pfn:           %lu\n", atomic_load_relaxed(&z->start_pfn));
}

void stats_print_zoneinfo(struct fmt_writer *out)
{
	if (!page_init())
		for (unsigned int node = 0; node < nr_online_nodes; node++)
			for (unsigned int i = 0; i < MAX_NR_ZONES; i++)
				if (page_has_zone(i))
					print_zone(out, &NODE_DATA(node)->node_zones[i]);
}

void usermm_print_zoneinfo(int fd)
{
	fmt_print_to(fd, stats_print_zoneinfo);
}
