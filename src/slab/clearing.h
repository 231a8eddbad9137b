/* SPDX-License-Identifier: MIT */
/*
 * init_on_alloc=1 and init_on_free=1, for objects. cf. Linux slab_want_init_on_alloc(),
 * slab_want_init_on_free().
 *
 * A cache that clears hides its sheaf from the fast paths, so every call ends in the slow paths,
 * which check. Objects are not cleared if they keep their state while free (constructor,
 * SLAB_TYPESAFE_BY_RCU) or are filled with a pattern (SLAB_POISON).
 *
 * With init_on_alloc krealloc() clears the bytes that it gives up at an object's end, as if
 * __GFP_ZERO was asked for. Fast paths then read size 0, and slow paths do the work.
 *
 * With init_on_free a free object holds only the allocator's mark and link. Both are wiped when the
 * object is handed out, so it is then all zero.
 */
#ifndef SLAB_CLEARING_H
#define SLAB_CLEARING_H

#include <string.h>

#include "base/options.h"
#include "slab/freeptr.h"

/* Applies to all objects, as in Linux: cf. want_init_on_alloc(). */
static inline bool slab_clears_what_krealloc_leaves(void)
{
	return options.init_on_alloc && !options.page_poison;
}

/*
 * What freed objects are filled with: 0, or the byte of malloc/perturb.h. Then malloc's caches
 * alone clear. Sync: atomic relaxed
 */
extern unsigned char slab_freed_byte;

/* Applies the options to a new cache. */
void slab_clearing_setup(struct kmem_cache *cache);

static inline bool slab_clears(const struct kmem_cache *cache)
{
	return unlikely(cache->init_on_alloc || cache->init_on_free);
}

/* The request's flags, with __GFP_ZERO added if the cache clears on allocation. */
static inline gfp_t slab_clearing_gfp(const struct kmem_cache *cache, gfp_t gfp)
{
	return unlikely(cache->init_on_alloc) ? gfp | __GFP_ZERO : gfp;
}

/* Clears an object that is on no list and about to be handed out. Not for caches with debugging. */
static inline void slab_clear_allocated(const struct kmem_cache *cache, void *object)
{
	if (cache->init_on_alloc)
		memset(object, 0, cache->size);
	else if (cache->init_on_free)
		*slab_link_word(cache, object) = 0;
}

/* Clears a freed object. Set its mark afterwards. */
static inline void slab_clear_freed(const struct kmem_cache *cache, void *object)
{
	if (unlikely(cache->init_on_free))
		memset(object, atomic_load_relaxed(&slab_freed_byte), cache->size);
}

/* With debugging, clears only the user's bytes: the bytes around them record who had the object. */
static inline void slab_clear_debugged(const struct kmem_cache *cache, void *object)
{
	if (unlikely(cache->init_on_free))
		memset(object, 0, cache->object_size);
}

#endif
