/* SPDX-License-Identifier: MIT */
/* What zones count, under Linux's names: for /proc/vmstat and /proc/zoneinfo. */
#ifndef STATS_VMSTAT_H
#define STATS_VMSTAT_H

#include "page/zone.h"

enum vmstat {
#define VMSTAT(kind, name) VMSTAT_##name,
#include "stats/vmstat.def"
#undef VMSTAT
	NR_VMSTAT
};

#define VMSTAT_NAME_BYTES 24
extern const char vmstat_names[NR_VMSTAT][VMSTAT_NAME_BYTES];

/* Those from VMSTAT_nr_free_pages on are each zone's, as are numa_*. */
#define NR_ZONE_ITEMS 10

/* All of /proc/vmstat; false, and zeros, if there are no pages to be had. */
bool vmstat_read(unsigned long values[NR_VMSTAT]);
unsigned long vmstat_zone_item(const struct zone *z, unsigned int item);
/*
 * Like pgalloc_*, without what a request finds on its CPU's list. With several nodes these
 * are the requests that went on to the zones, as all do that name a node, and the pages of
 * bulks; with one node all is local, and what it counts is pages taken from the zones' lists.
 */
unsigned long vmstat_numa_item(const struct zone *z, enum numa_event event);
/* Pages of slabs; of those that reclaim may ask for, or the others. */
unsigned long vmstat_slab_pages(bool reclaimable);

#endif
