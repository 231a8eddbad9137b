/* SPDX-License-Identifier: MIT */
/*
 * init_on_alloc=1 and init_on_free=1, for objects. cf. Linux slab_want_init_on_alloc(),
 * slab_want_init_on_free().
 *
 * A cache that clears shows no sheaf to the fast paths, so that every call ends in the slow
 * ones, which ask. Not cleared are objects that keep their state while they are free
 * (constructor, SLAB_TYPESAFE_BY_RCU) and those that are filled (SLAB_POISON).
 *
 * What krealloc() gives up at an object's end is cleared with init_on_alloc, as if it had been
 * asked for with __GFP_ZERO; fast paths then find no size, and the slow ones know why.
 *
 * With init_on_free all that an object holds while it is free is the allocator's mark and
 * link, and these are wiped when it is handed out: it is then zero in any case.
 */
#ifndef SLAB_CLEARING_H
#define SLAB_CLEARING_H

#include <string.h>

#include "base/options.h"
#include "slab/debug/debug.h"
#include "slab/freeptr.h"

/* Of any object, as in Linux: cf. want_init_on_alloc(). */
static inline bool slab_clears_what_krealloc_leaves(void)
{
	return options.init_on_alloc && !options.page_poison;
}

/* What the options ask of a new cache. */
void slab_clearing_setup(struct kmem_cache *cache);

static inline bool slab_clears(const struct kmem_cache *cache)
{
	return unlikely(cache->init_on_alloc || cache->init_on_free);
}

/* Flags of a request as a cache that clears means them. */
static inline gfp_t slab_clearing_gfp(const struct kmem_cache *cache, gfp_t gfp)
{
	return unlikely(cache->init_on_alloc) ? gfp | __GFP_ZERO : gfp;
}

/* An object that is on no list, about to be handed out; not of a cache with debugging. */
static inline void slab_clear_allocated(const struct kmem_cache *cache, void *object)
{
	if (cache->init_on_alloc)
		memset(object, 0, cache->size);
	else if (cache->init_on_free)
		*slab_link_word(cache, object) = 0;
}

/* The same, freed; its mark is to be set afterwards. */
static inline void slab_clear_freed(const struct kmem_cache *cache, void *object)
{
	if (unlikely(cache->init_on_free))
		memset(object, 0, cache->size);
}

/* With debugging the user's bytes alone: what lies around them says who had it. */
static inline void slab_clear_debugged(const struct kmem_cache *cache, void *object)
{
	if (unlikely(cache->init_on_free))
		memset(object, 0, cache->object_size);
}

#endif
