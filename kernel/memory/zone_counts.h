/* SPDX-License-Identifier: MIT */
/* Access to the core's zones and nodes, for files that include Linux's struct zone. */
#ifndef KERNEL_ZONE_COUNTS_H
#define KERNEL_ZONE_COUNTS_H

#include <stdbool.h>

#include <usermm/page.h>

#define ZONE_COUNTS_WMARKS 4	/* min, low, high, promo */
#define ZONE_COUNTS_ZONES 4

struct zone_counts {
	unsigned long managed, free, boost, start_pfn, spanned;
	unsigned long watermark[ZONE_COUNTS_WMARKS];
	unsigned long lowmem_reserve[ZONE_COUNTS_ZONES];
	unsigned long nr_free[NR_PAGE_ORDERS];
};

/* Reads the counts of one of a node's zones. */
void zone_counts_read(unsigned int node, unsigned int index, struct zone_counts *counts);
/* Kind (index) and node of the page's zone. */
unsigned int zone_counts_index(const struct page *page);
unsigned int zone_counts_node(const struct page *page);

/* --- Nodes ---------------------------------------------------------------------- */

/* 1 + the highest node number; 0 if there was no memory to initialise the library. */
unsigned int zone_counts_nodes(void);
/* Does the node have memory or CPUs? */
bool zone_counts_node_is_online(unsigned int node);
/* Are the nodes those of the machine? Then cpu below is the number of a real processor. */
bool zone_counts_nodes_are_real(void);
unsigned int zone_counts_cpu_node(unsigned int cpu);
unsigned int zone_counts_distance(unsigned int from, unsigned int to);
/* Sets the function that tells the calling thread's node. */
void zone_counts_set_node_hook(unsigned int (*hook)(void));
/*
 * Gives the zone at this place of a node's zonelist: with `own` the list has the node's own zones
 * only, else the zones of all nodes. False behind the last zone.
 */
bool zone_counts_listed(unsigned int node, bool own, unsigned int place, unsigned int *zone_node,
			unsigned int *index);
/* Memory that was not touched yet comes from that node, as long as the node has some. */
void zone_counts_prefer_node(void *memory, unsigned long bytes, unsigned int node);

/* Sums over all zones. */
unsigned long zone_counts_free(void);
unsigned long zone_counts_managed(void);

/* Pages of slabs, either of reclaimable caches or of all others. */
unsigned long zone_counts_slab_pages(bool reclaimable);

/* Sets the sum of all zones' min watermarks; the other watermarks follow from it. */
void zone_counts_set_min(unsigned long pages);

/*
 * Charges a mapping of so many pages to a zone's budget, though the mapping is outside of the
 * window (docs/glossary.md: budget, window). False if the zone has less left.
 */
bool zone_counts_charge(unsigned long pages);
void zone_counts_uncharge(unsigned long pages);

#endif
