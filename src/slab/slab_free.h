/* SPDX-License-Identifier: MIT */
/* Objects go back into their slabs. */
#ifndef SLAB_SLAB_FREE_H
#define SLAB_SLAB_FREE_H

#include "slab/slab.h"

/* Returns n objects to their slabs; no CPU keeps them any more. Overwrites objects[0 .. n-1]. */
void slab_return_objects(struct kmem_cache *cache, void **objects, unsigned int n);
/*
 * slab_return_objects() in two steps: the caller's batch is off the stack before the second. The
 * first puts slabs that become empty on the list; the second frees them.
 */
void slab_return_begin(struct kmem_cache *cache, void **objects, unsigned int n,
		       struct list_head *empty);
/* Returns deferred objects to their slabs. */
void slab_return_deferred(struct kmem_cache *cache);

static inline void slab_return_end(struct kmem_cache *cache, struct list_head *empty)
{
	slab_discard_list(cache, empty);
	if (unlikely(cache->more_nodes || atomic_load_relaxed(&cache->first_node.deferred)))
		slab_return_deferred(cache);
}

/* Defers an object: the next thread about to take the node's lock returns it. */
void slab_defer_object(struct kmem_cache *cache, struct kmem_cache_node *node, void *object);

#endif
