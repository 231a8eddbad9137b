/* SPDX-License-Identifier: MIT */
/* The numbers of a cache in /proc/slabinfo: for its text, and for the metrics. */
#ifndef STATS_CACHES_H
#define STATS_CACHES_H

#include "slab/slab.h"

struct cache_line {
	char name[CACHE_NAME_BYTES];	/* cut off if it is longer */
	unsigned long namesakes;	/* how many older caches have the same name; see are_same */
	unsigned long active_objects, objects, size, objects_per_slab, pages_per_slab;
	unsigned long active_slabs, slabs;
};

/* Do these two names, maybe cut off, look the same in the output? */
typedef bool (*cache_names_same_fn)(const char *a, const char *b);

/*
 * Calls fn for each cache that has slabs, in the order in which they were made. No lock is held
 * while fn runs, so when a cache is made or destroyed meanwhile, it and its neighbour may be left
 * out. If are_same is NULL, namesakes is 0.
 */
void cache_lines_walk(void (*fn)(const struct cache_line *line, void *arg), void *arg,
		      cache_names_same_fn are_same);

#endif
