/* SPDX-License-Identifier: MIT */
/* Events of all caches since the start, for reports. Destroyed caches count as well. */
#ifndef SLAB_EVENTS_H
#define SLAB_EVENTS_H

#include "slab/slab.h"

/* Approximate: two threads that count at once may lose counts (counters.h). */
struct slab_events {
	unsigned long refills, flushes, objects;	/* see struct kmem_cache */
	unsigned long slabs_created, slabs_freed;
};

/* Adds the cache's events. */
void slab_events_add(struct slab_events *events, const struct kmem_cache *cache);
/* The events of destroyed caches. The caller holds slab_caches_lock. */
struct slab_events slab_events_of_gone_locked(void);
/*
 * For a cache that leaves slab_caches, or has left it: adds its events since *counted to those of
 * destroyed caches, and updates *counted. Pass zeros the first time. The caller holds
 * slab_caches_lock.
 */
void slab_events_keep_locked(const struct kmem_cache *cache, struct slab_events *counted);

#endif
