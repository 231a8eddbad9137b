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
	return atomic_load_relaxed(&mm_page(object)->slab_cache);
}

/* Keys the marks; random, so that no program writes them by accident. Constant. */
extern unsigned long slab_mark_key __hidden;

/* Where caches have their mark that keep nothing in free objects; lay_out_plain() says so. */
#define SLAB_MARK_OFFSET 8

/* The mark's word of an object. */
static __always_inline unsigned long *object_mark(const void *object, uint32_t mark_offset)
{
	return (unsigned long *)((char *)object + mark_offset);
}

/*
 * In the mark of an object on its slab's freelist, so that a list which leads back to what
 * was taken from it is found out. In the upper half: see mark_may_say_free().
 */
#define MARK_LISTED (1UL << 63)

/* What the mark's word of this object holds while the object is free, or that + MARK_LISTED. */
static __always_inline unsigned long free_mark(const void *object)
{
	return (unsigned long)object ^ slab_mark_key;
}

/*
 * The lower half of the word is enough to say that an object is in use. If it says "free",
 * a program may have written that by accident: one word of 2^32 does.
 */
static __always_inline bool mark_may_say_free(const void *object, uint32_t mark_offset,
					      unsigned long mark)
{
	return (uint32_t)*object_mark(object, mark_offset) == (uint32_t)mark;
}

static inline bool is_marked_free(const struct kmem_cache *cache, const void *object)
{
	return ((*object_mark(object, cache->mark_offset) ^ free_mark(object)) & ~MARK_LISTED) ==
	       0;
}

static inline void slab_mark_free(const struct kmem_cache *cache, void *object)
{
	*object_mark(object, cache->mark_offset) = free_mark(object);
}

/*
 * Of address - start of the slab: let divisor = 2^64 / size + 1, rounded down, and
 * e = divisor * size - 2^64, so 0 < e <= size. Modulo 2^64 the product
 * (n * size + rest) * divisor is n * e + rest * divisor: that wraps around no more, since
 * n * e is far below the divisor. So it is less than objects * e exactly if rest is 0 and
 * n < objects, which is to say that the n-th object starts there. (After D. Lemire,
 * "Faster remainder by direct computation", 2019.)
 */
static __always_inline unsigned long object_place(const struct kmem_cache *cache,
						  const void *object)
{
	return ((unsigned long)object & cache->slab_mask) * cache->divisor;
}

/* Is this the address of an object, not of a byte inside one? start_limit is objects * e. */
static __always_inline bool object_starts_at(const struct kmem_cache *cache, const void *object)
{
	return object_place(cache, object) < cache->start_limit;
}

/* The same for slow paths, also of caches in which fast paths are to see no object. */
static inline bool object_is_at(const struct kmem_cache *cache, const void *object)
{
	return object_place(cache, object) < cache->objects_limit;
}

/* NULL if the sheaf is empty, or the one try failed: see slab_alloc_slow(). */
static __always_inline void *slab_alloc_fast(struct percpu_array *sheaf, uint32_t mark_offset)
{
	void *object = percpu_pop_fast(sheaf);

	if (likely(object))
		*object_mark(object, mark_offset) = 0;
	return object;
}

/* May this object of the cache be freed? */
static inline bool object_may_be_freed(const struct kmem_cache *cache, const void *object)
{
	return object_starts_at(cache, object) && !is_marked_free(cache, object);
}

/* What slab_free_fast() has done. */
enum slab_freed {
	SLAB_FREED,
	SLAB_FREED_NOT_CACHED,	/* the object is marked, and for slab_free_slow() */
	SLAB_FREED_NOT,		/* for slab_free_odd() to look at: few of them may be freed */
};

/*
 * Marks an object of a cache free and caches it. limit and mark_offset are the cache's
 * start_limit and mark_offset; or, for less to load, its plain_limit and SLAB_MARK_OFFSET:
 * where marks are elsewhere that limit is 0.
 */
static __always_inline enum slab_freed slab_free_fast(struct kmem_cache *cache, void *object,
						      unsigned long limit, uint32_t mark_offset)
{
	unsigned long mark = free_mark(object);

	if (unlikely(object_place(cache, object) >= limit) ||
	    unlikely(mark_may_say_free(object, mark_offset, mark)))
		return SLAB_FREED_NOT;
	*object_mark(object, mark_offset) = mark;
	return likely(percpu_push_fast(cache->sheaf, object)) ? SLAB_FREED :
								 SLAB_FREED_NOT_CACHED;
}

#endif
