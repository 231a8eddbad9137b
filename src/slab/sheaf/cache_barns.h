/* SPDX-License-Identifier: MIT */
/* A cache's barns: one for each memory node, for batches of the node's sheaves. See barn.h. */
#ifndef SLAB_SHEAF_CACHE_BARNS_H
#define SLAB_SHEAF_CACHE_BARNS_H

#include "slab/slab.h"

/* Make and destroy the barns of a cache with sheaves. The caller holds slab_caches_lock. */
void slab_barns_init(struct kmem_cache *cache);
void slab_barns_destroy(struct kmem_cache *cache);
/*
 * Both move the barns' objects into the slabs; _close(), for a cache that nobody uses, also stops
 * the barns from taking more.
 */
void slab_barns_close(struct kmem_cache *cache);
void slab_barns_empty(struct kmem_cache *cache);
/* The barn of the node that the caller runs on. */
struct barn *slab_barn_here(struct kmem_cache *cache);
/*
 * Takes a batch of free objects from the barn of the caller's node, if a batch has at most n
 * objects (n = BARN_BATCH_MAX: always). Returns how many, or 0.
 */
unsigned int slab_take_batch(struct kmem_cache *cache, void **objects, size_t n);

#endif
