/* SPDX-License-Identifier: MIT */
/* A CPU's sheaf: an array of free objects of one cache, and its traffic with the slabs. */
#ifndef SLAB_SHEAF_SHEAF_H
#define SLAB_SHEAF_SHEAF_H

#include "slab/slab.h"

/*
 * Objects moved between a sheaf and the slabs at a time, at most. They lie on the stack, which may
 * be that of a coroutine or a signal handler; so only functions that go no deeper than a node's
 * or a barn's lock have them there, and what comes before or behind them is their callers'.
 */
#define SLAB_BATCH_MAX 127

/* Half a sheaf: it takes as many calls to be full or empty again. */
static inline unsigned int sheaf_batch(const struct kmem_cache *cache)
{
	return clamp(cache->sheaf_limit / 2, 1u, (unsigned int)SLAB_BATCH_MAX);
}

/* An object that still has its mark, from the sheaf, which is refilled if it is empty; or NULL. */
void *sheaf_alloc(struct kmem_cache *cache, gfp_t gfp);
/* Takes an object with its mark. A full sheaf gives a batch away first. */
void sheaf_free(struct kmem_cache *cache, void *object);
/* As sheaf_free(), for n objects. */
void sheaf_free_n(struct kmem_cache *cache, void **objects, unsigned int n);

#endif
