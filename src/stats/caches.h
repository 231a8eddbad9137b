/* SPDX-License-Identifier: MIT */
/* What /proc/slabinfo tells of a cache: for its text, and for the metrics. */
#ifndef STATS_CACHES_H
#define STATS_CACHES_H

#include "slab/slab.h"

struct cache_line {
	char name[CACHE_NAME_BYTES];	/* as much as fits */
	unsigned long namesakes;	/* older caches whose name is the same, if that was asked */
	unsigned long active_objects, objects, size, objects_per_slab, pages_per_slab;
	unsigned long active_slabs, slabs;
};

/* Are these two names, cut as they are here, one to the reader? */
typedef bool (*cache_names_same_fn)(const char *a, const char *b);

/*
 * Calls fn for each cache that has slabs, in the order of their making. No lock is held
 * meanwhile, so one that is made or destroyed may be left out, and another one with it.
 * are_same: NULL if nobody asks for namesakes.
 */
void cache_lines_walk(void (*fn)(const struct cache_line *line, void *arg), void *arg,
		      cache_names_same_fn are_same);

#endif
