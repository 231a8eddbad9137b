/* SPDX-License-Identifier: MIT */
/* The zones' counts, for files that see Linux's struct zone and not the core's. */
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

/* Of one of a node's zones. */
void zone_counts_read(unsigned int node, unsigned int index, struct zone_counts *counts);
/* The kind of the page's zone, and its node. */
unsigned int zone_counts_index(const struct page *page);
unsigned int zone_counts_node(const struct page *page);

/* --- Nodes ---------------------------------------------------------------------- */

/* 1 + the highest number of a node; 0 without memory for the library. */
unsigned int zone_counts_nodes(void);
/* Has the node memory or CPUs? */
bool zone_counts_node_is_online(unsigned int node);
/* Are the nodes the machine's? Then cpu below is a processor's number. */
bool zone_counts_nodes_are_real(void);
unsigned int zone_counts_cpu_node(unsigned int cpu);
unsigned int zone_counts_distance(unsigned int from, unsigned int to);
/* The calling thread's node is what this says from now on. */
void zone_counts_set_node_hook(unsigned int (*hook)(void));
/*
 * A zone of a node's list of all zones, or of its own: the place-th. False behind the
 * last one.
 */
bool zone_counts_listed(unsigned int node, bool own, unsigned int place, unsigned int *zone_node,
			unsigned int *index);
/* Memory of nobody's yet comes from that node while it has some. */
void zone_counts_prefer_node(void *memory, unsigned long bytes, unsigned int node);

/* Of all zones. */
unsigned long zone_counts_free(void);
unsigned long zone_counts_managed(void);

/* Pages of slabs: of those that reclaim may ask for, or the others. */
unsigned long zone_counts_slab_pages(bool reclaimable);

/* All zones together keep back so many pages, and the other marks follow. */
void zone_counts_set_min(unsigned long pages);

/* Charges pages outside of the window to a zone; false if it lacks them. */
bool zone_counts_charge(unsigned long pages);
void zone_counts_uncharge(unsigned long pages);

#endif
