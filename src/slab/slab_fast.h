/* SPDX-License-Identifier: MIT */
/*
 * The fast paths: one object from, or to, this CPU's sheaf.
 *
 * Everything rare (no sheaf yet, empty, full, not initialised) makes the pop or
 * push fail and is sorted out in sheaf.c and freelist.c.
 */
#ifndef SLAB_SLAB_FAST_H
#define SLAB_SLAB_FAST_H

#include "mm/memmap.h"
#include "slab/slab.h"

/* The cache of an object; NULL if there is no slab at that address. */
static __always_inline struct kmem_cache *cache_of(const void *object)
{
	if (unlikely(!mm_is_online(object)))
		return NULL;
	return atomic_load_relaxed(&virt_to_page(object)->slab_cache);
}

/* Where caches have their mark that keep nothing in free objects; lay_out_plain() says so. */
#define SLAB_MARK_OFFSET 8

/* The mark's word of an object. */
static __always_inline unsigned long *object_mark(const void *object, uint32_t mark_offset)
{
	return (unsigned long *)((char *)object + mark_offset);
}

/*
 * In the mark of an object on its slab's freelist, so that a list which leads back to what
 * was taken from it is found out.
 */
#define MARK_LISTED 1UL

/* What the mark's word of this object holds while the object is free, or that + MARK_LISTED. */
static __always_inline unsigned long free_mark(const struct kmem_cache *cache,
					       const void *object)
{
	return (unsigned long)object ^ cache->mark_key;
}

static __always_inline bool is_marked_free(const struct kmem_cache *cache, const void *object)
{
	return (*object_mark(object, cache->mark_offset) ^ free_mark(cache, object)) <=
	       MARK_LISTED;
}

static inline void slab_mark_free(const struct kmem_cache *cache, void *object)
{
	*object_mark(object, cache->mark_offset) = free_mark(cache, object);
}

/*
 * Is this the address of an object, not of a byte inside one? offset is a
 * multiple of size exactly if offset * (2^64 / size + 1) wraps around to less
 * than the factor (D. Lemire, "Faster remainder by direct computation", 2019).
 */
static __always_inline bool object_starts_at(const struct kmem_cache *cache, const void *object)
{
	unsigned long offset = (unsigned long)object & cache->slab_mask;

	return offset * cache->divisor < cache->divisor && offset <= cache->last_offset;
}

/* NULL if the sheaf is empty, or the one try failed: see slab_alloc_slow(). */
static __always_inline void *slab_alloc_fast(struct percpu_array *sheaf, uint32_t mark_offset)
{
	void *object = percpu_pop_fast(sheaf);

	if (likely(object))
		*object_mark(object, mark_offset) = 0;
	return object;
}

/*
 * Marks the object free and caches it; false if the sheaf is full or the one try
 * failed (the object is marked all the same). The caller knows that it is one of
 * the cache's.
 */
static __always_inline bool slab_free_fast(struct kmem_cache *cache, void *object)
{
	*object_mark(object, cache->mark_offset) = free_mark(cache, object);
	return percpu_push_fast(cache->sheaf, object);
}

/* May this object of the cache be freed? */
static __always_inline bool object_may_be_freed(const struct kmem_cache *cache,
						const void *object)
{
	return object_starts_at(cache, object) && !is_marked_free(cache, object);
}

#endif
