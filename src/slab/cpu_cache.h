/* SPDX-License-Identifier: MIT */
/* What CPUs keep of a cache, in sheaves or slabs of their own (slab.h, option slab_cpu_cache=). */
#ifndef SLAB_CPU_CACHE_H
#define SLAB_CPU_CACHE_H

#include "slab/slab.h"

/* Moves every CPU's objects, and those in barns, into the slabs. Nobody may be using the cache. */
void slab_drain_all(struct kmem_cache *cache);
/* Slabs that CPUs have for themselves. */
unsigned int slab_nr_cpu_slabs(const struct kmem_cache *cache);
/* Objects that CPUs and barns keep; approximate. A sheaf that is stopped counts as empty. */
unsigned long slab_cached_objects(const struct kmem_cache *cache);

#endif
