/* SPDX-License-Identifier: MIT */
/* The zones' counters under Linux's names, for /proc/vmstat and /proc/zoneinfo. */
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

/* This many items, from VMSTAT_nr_free_pages on, are kept for each zone, as are numa_*. */
#define NR_ZONE_ITEMS 10

/* Reads all of /proc/vmstat. False, and zeros, if the page layer cannot come up. */
bool vmstat_read(unsigned long values[NR_VMSTAT]);
unsigned long vmstat_zone_item(const struct zone *z, unsigned int item);
/*
 * As in pgalloc_*, requests that a CPU's list serves are not counted. With several nodes this
 * counts the requests that reach the zones (all that name a node do), and each page of a bulk call.
 * With one node all memory is local, and this counts the pages taken from the zones' lists.
 */
unsigned long vmstat_numa_item(const struct zone *z, enum numa_event event);
/* Pages of slabs: of reclaimable caches (SLAB_RECLAIM_ACCOUNT), or of all others. */
unsigned long vmstat_slab_pages(bool reclaimable);

#endif
