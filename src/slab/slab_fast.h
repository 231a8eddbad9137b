/* SPDX-License-Identifier: MIT */
/*
 * The fast paths: one object from, or to, this CPU's sheaf.
 *
 * Everything rare (no sheaf yet, empty, full, not initialised) makes the pop or push fail, and is
 * sorted out in slowpath.c.
 */
#ifndef SLAB_SLAB_FAST_H
#define SLAB_SLAB_FAST_H

#include "percpu/locked.h"
#include "percpu/percpu.h"
#include "slab/free_mark.h"
#include "slab/slowpath.h"

/* The cache of an object; NULL if there is no slab at the address. The address must be online. */
static __always_inline struct kmem_cache *cache_of_online(const void *object)
{
	return atomic_load_relaxed(&mm_window.slab_caches[mm_offset(object) >> PAGE_SHIFT]);
}

/* As cache_of_online(), for any address. */
static __always_inline struct kmem_cache *cache_of(const void *object)
{
	return likely(mm_is_online(object)) ? cache_of_online(object) : NULL;
}

/* The cache of an object, if fast paths may free it by slab_free_fast(cache, object, true). */
static __always_inline struct kmem_cache *cache_if_freeable(const void *object)
{
	if (likely(mm_offset(object) < atomic_load_operand(&mm_window.free_bytes)))
		return cache_of_online(object);
	return NULL;
}

/*
 * Maps the offset of an address in its slab to a number that tells whether an object starts there.
 * Let divisor = 2^64 / size + 1, rounded down, and e = divisor * size - 2^64, so 0 < e <= size. For
 * an offset n * size + rest the product with divisor, modulo 2^64, is n * e + rest * divisor. This
 * sum does not wrap around, since n * e is far below the divisor. So it is less than objects * e
 * exactly if rest is 0 and n < objects: then the n-th object starts there. (After D. Lemire,
 * "Faster remainder by direct computation", 2019.)
 */
static __always_inline unsigned long object_place(const struct kmem_cache *cache,
						  unsigned long slab_mask, const void *object)
{
	return ((unsigned long)object & slab_mask) * cache->divisor;
}

/* Is this the address of an object, not of a byte inside one? start_limit is objects * e. */
static __always_inline bool object_starts_at(const struct kmem_cache *cache, const void *object)
{
	return object_place(cache, slab_mask_of(cache), object) < cache->start_limit;
}

/*
 * As object_starts_at(), for slow paths. It also works for caches whose objects are hidden from the
 * fast paths.
 */
static inline bool object_is_at(const struct kmem_cache *cache, const void *object)
{
	return object_place(cache, slab_mask_of(cache), object) < cache->objects_limit;
}

/* May this object of the cache be freed? For a small object this reads only what a free reads. */
static __always_inline bool object_may_be_freed(const struct kmem_cache *cache,
						const void *object)
{
	unsigned long place = object_place(cache, slab_mask_of(cache), object);

	if (likely(place < cache->small_limit))
		return !mark_says_free(*object_mark(object, SLAB_MARK_OFFSET), object);
	return place < cache->start_limit && !is_marked_free(cache, object);
}

/*
 * Bytes that malloc's objects of the cache can hold. A merge may raise the number meanwhile, but
 * existing objects keep theirs.
 */
static __always_inline size_t cache_object_bytes(const struct kmem_cache *cache)
{
	return atomic_load_relaxed(&cache->fast_object_size);
}

/*
 * Takes an object from this CPU's sheaf. NULL if the sheaf is empty, or if the one try failed: see
 * slab_alloc_slow().
 */
static __always_inline void *slab_alloc_fast(const struct kmem_cache *cache)
{
	void *object = percpu_pop_fast(cache_sheaf(cache));

	if (likely(object))
		slab_mark_in_use(cache, object);
	return object;
}

/* The fast paths' work under a lock, for slow paths in a process without restartable sequences. */
static inline void *slab_alloc_locked(const struct kmem_cache *cache)
{
	struct percpu_array *sheaf = cache_sheaf(cache);
	void *object = likely(sheaf) ? locked_pop(sheaf) : NULL;

	if (likely(object))
		slab_mark_in_use(cache, object);
	return object;
}

static inline bool slab_keep_locked(const struct kmem_cache *cache, void *object)
{
	struct percpu_array *sheaf = cache_sheaf(cache);

	return likely(sheaf) && locked_push(sheaf, object);
}

/*
 * slab_alloc_fast() for the sheaf of a cache whose objects are small, or large: see free_mark.h.
 * sequences: the caller knows that there are restartable sequences.
 */
static __always_inline void *slab_alloc_small(struct percpu_array *sheaf, bool sequences)
{
	void *object = sequences ? percpu_pop_sequence(sheaf) : percpu_pop_fast(sheaf);

	if (likely(object))
		*object_mark(object, SLAB_MARK_OFFSET) = 0;
	return object;
}

static __always_inline void *slab_alloc_large(struct percpu_array *sheaf, bool sequences)
{
	void *object = sequences ? percpu_pop_sequence(sheaf) : percpu_pop_fast(sheaf);

	if (likely(object))
		*byte_mark(object) = BYTE_MARK_IN_USE;
	return object;
}

/*
 * Who keeps cache_sheaf() of a cache of small objects may pop from it, by slab_alloc_small(sheaf,
 * true), for requests of fewer bytes than this. 0 without restartable sequences; and from
 * usermm_arm_faults() on, since the slow path asks failslab=. Sync: atomic relaxed; a thread that
 * sees the 0 late gets a few more objects that failslab= was not asked for
 */
extern size_t slab_kept_sheaf_limit __hidden;

static __always_inline bool slab_push_fast(struct percpu_array *sheaf, void *object, bool sequences)
{
	return sequences ? percpu_push_sequence(sheaf, object) : percpu_push_fast(sheaf, object);
}

/*
 * Frees an object of the cache if its mark is in a usual place and says "in use". False: nothing
 * has happened, and the caller passes the object to slab_free_checked(). It may still be a good
 * one, whose mark is elsewhere.
 */
static __always_inline bool slab_free_fast(struct kmem_cache *cache, void *object,
					    bool sequences)
{
	unsigned long word = atomic_load_relaxed(&cache->sheaf_and_mask);
	unsigned long place = object_place(cache, mask_of_word(word), object);

	if (likely(place < cache->small_limit)) {
		if (unlikely(mark_may_say_free(object, SLAB_MARK_OFFSET)))
			return false;
		*object_mark(object, SLAB_MARK_OFFSET) = free_mark(object);
	} else {
		uint8_t *mark;

		if (unlikely(place >= cache->large_limit))
			return false;
		mark = byte_mark(object);
		if (unlikely(*mark != BYTE_MARK_IN_USE))
			return false;
		*mark = BYTE_MARK_FREE;
	}
	if (unlikely(!slab_push_fast(sheaf_of_word(word), object, sequences)))
		slab_free_slow(cache, object);
	return true;
}

#endif
