/* SPDX-License-Identifier: MIT */
/* What zones count, under Linux's names: for /proc/vmstat and /proc/zoneinfo. */
#ifndef STATS_VMSTAT_H
#define STATS_VMSTAT_H

#include "page/zone.h"

#define NR_ZONE_ITEMS 10
extern const char *const vmstat_zone_names[NR_ZONE_ITEMS];
extern const char *const vmstat_numa_names[NR_NUMA_EVENTS];

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
