/* SPDX-License-Identifier: MIT */
/* The slow path of an allocation or a free. slowpath.c has the table of its decisions. */
#ifndef SLAB_SLOWPATH_H
#define SLAB_SLOWPATH_H

#include "slab/slab.h"

/*
 * Allocates when the CPU had no object. Caches with debugging flags use size (bytes wanted) and
 * caller.
 */
void *slab_alloc_slow(struct kmem_cache *cache, gfp_t gfp, size_t size, const void *caller);
/* An object of a node; see kmem_cache_alloc_node(). */
void *slab_alloc_node(struct kmem_cache *cache, gfp_t gfp, int nid, size_t size,
		      const void *caller);
/* Takes a freed object that the fast path could not keep. */
void slab_free_slow(struct kmem_cache *cache, void *object);
/* As slab_free_slow(), for an object that need not be cleared. */
void slab_free_cleared(struct kmem_cache *cache, void *object);

#endif
