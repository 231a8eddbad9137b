/* SPDX-License-Identifier: MIT */
/* A CPU's sheaf: an array of free objects of one cache, and its traffic with the slabs. */
#ifndef SLAB_SHEAF_SHEAF_H
#define SLAB_SHEAF_SHEAF_H

#include "slab/sheaf/cache_barns.h"
#include "slab/slab.h"

/*
 * At most this many objects move between a sheaf and the slabs at a time. They lie on the stack,
 * which may be a small one (a coroutine's, a signal handler's). So a function that has them there
 * goes no deeper than a node's or a barn's lock; its callers do the rest before and after it.
 */
#define SLAB_BATCH_MAX 127

/* A batch: half a sheaf, so that as many calls fill it again as empty it. */
static inline unsigned int sheaf_batch(const struct kmem_cache *cache)
{
	return clamp(cache->sheaf_room_max / 2, 1u, (unsigned int)SLAB_BATCH_MAX);
}

/* Takes up to n objects out of this CPU's sheaf; they stay marked free. */
static __always_inline unsigned int sheaf_pop_n(struct percpu_array *sheaf, void **objects,
						size_t n)
{
	unsigned int most = (unsigned int)min(n, (size_t)SHEAF_OBJECTS_MAX);

	/* Touches all pages of the array, so that the sequence meets none for the first time. */
	objects[0] = NULL;
	objects[most - 1] = NULL;
	return percpu_pop_n(sheaf, objects, most);
}

/* sheaf_ops.free() for n objects: pushes as many at a time as the sheaf has room for. */
void sheaf_free_n(struct kmem_cache *cache, void **objects, unsigned int n);

/* In sheaf_bulk.c: sheaf_ops.take() and sheaf_ops.put(). */
size_t sheaf_take(struct kmem_cache *cache, gfp_t gfp, void **objects, size_t n);
void sheaf_put(struct kmem_cache *cache, void **objects, size_t n);

#endif
