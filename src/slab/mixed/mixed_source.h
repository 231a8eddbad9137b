/* SPDX-License-Identifier: MIT */
/*
 * Which slabs become mixed ones (mixed.h), and when.
 *
 *	who			which slabs				how many at a time
 *	a class that needs a	sparse ones of classes that were left,	MIXED_AT_ONCE
 *	new slab, if no mixed	whose free runs are half as long as
 *	slab has room		the request on average
 *	decay (shrink.c)	sparse ones of classes that were left	a quarter of a class's, but
 *								at least MIXED_AT_DECAY
 *	trim, or no memory	all sparse ones				all
 *
 * A class was left if nobody took objects from its slabs for a while: for as long as other classes
 * needed MIXED_LEFT_BYTES of new slabs, or from one decay to the next. So a class that is in use
 * keeps its slabs, and its fast paths. The oldest slabs of a node's partial list are looked at
 * first; a dense one moves to the front. So each call looks at few slabs, and at others each time.
 *
 * Nothing happens below MIXED_FROM_BYTES of slabs: a small process has little to gain.
 */
#ifndef SLAB_MIXED_MIXED_SOURCE_H
#define SLAB_MIXED_MIXED_SOURCE_H

#include "slab/mixed/mixed.h"
#include "slab/sheaf/barn_budget.h"

#define MIXED_FROM_BYTES (4 * MIB)
#define MIXED_LEFT_BYTES (1 * MIB)
#define MIXED_AT_ONCE 8
#define MIXED_AT_DECAY 64

/* The cache may be a source, if it has may_mix. The caller holds slab_caches_lock. */
void mixed_source_join(struct kmem_cache *cache);

/*
 * Would the cache need a new slab for its next object, as far as a look without a lock can tell?
 * Then slab_mixed_alloc() is worth a try.
 */
static inline bool slab_mixed_may_serve(const struct kmem_cache *cache)
{
	return cache->may_mix && !atomic_load_relaxed(&cache->first_node.nr_partial) &&
	       !atomic_load_relaxed(&cache->first_node.barn.nr) &&
	       barn_budget_slab_bytes() >= MIXED_FROM_BYTES;
}

/*
 * A block for a request that would need a new slab of its class: from a mixed slab, or from a slab
 * that becomes one. NULL: make a new slab. The block is freed by free() alone.
 */
void *slab_mixed_alloc(size_t size, size_t align);

/* Called once a round of decay; no lock is held. Returns how many pages the system got back. */
unsigned long slab_mixed_decay(void);
/* As slab_mixed_decay(), called under pressure. */
unsigned long slab_mixed_give_back(void);

#endif
