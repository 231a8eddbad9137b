/* SPDX-License-Identifier: MIT */
/* What CPUs keep in sheaves, and the traffic between them and the slabs. */
#ifndef SLAB_SHEAF_SHEAF_H
#define SLAB_SHEAF_SHEAF_H

#include "slab/slab.h"

/*
 * Allocates when the CPU had no object. Caches with debugging flags use size (bytes wanted) and
 * caller.
 */
void *slab_alloc_slow(struct kmem_cache *cache, gfp_t gfp, size_t size, const void *caller);
/* An object of a node; see kmem_cache_alloc_node(). */
void *slab_alloc_node(struct kmem_cache *cache, gfp_t gfp, int nid, size_t size,
		      const void *caller);
/*
 * Takes a batch of free objects from the barn of the caller's node, if a batch has at most n
 * objects (n = BARN_BATCH_MAX: always). Returns how many, or 0.
 */
unsigned int slab_take_batch(struct kmem_cache *cache, void **objects, size_t n);
/* Takes a freed object that the fast path could not keep. */
void slab_free_slow(struct kmem_cache *cache, void *object);
/* As slab_free_slow(), for an object that need not be cleared. */
void slab_free_cleared(struct kmem_cache *cache, void *object);
/* As slab_free_cleared(), for n objects. */
void slab_free_cleared_n(struct kmem_cache *cache, void **objects, unsigned int n);
/* Moves every CPU's objects into the slabs. Nobody may be using the cache. */
void slab_drain_all(struct kmem_cache *cache);
/* Make and destroy the barns of a cache with sheaves. The caller holds slab_caches_lock. */
void slab_barns_init(struct kmem_cache *cache);
void slab_barns_destroy(struct kmem_cache *cache);
/*
 * Both move the barns' objects into the slabs; _close(), for a cache that nobody uses, also stops
 * the barns from taking more.
 */
void slab_barns_close(struct kmem_cache *cache);
void slab_barns_empty(struct kmem_cache *cache);
/* Slabs that CPUs have for themselves. */
unsigned int slab_nr_cpu_slabs(const struct kmem_cache *cache);
/* Objects that CPUs and barns keep; approximate. A sheaf that is stopped counts as empty. */
unsigned long slab_cached_objects(const struct kmem_cache *cache);

#endif
