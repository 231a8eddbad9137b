/* SPDX-License-Identifier: MIT */
/*
 * Many objects at once: kmem_cache_alloc_bulk(), kmem_cache_free_bulk().
 *
 * The objects that a sheaf holds or has room for move in one restartable sequence. For the rest
 * the cache's table (cpu_cache.h) says where they come from and go: sheaf_bulk.c, cpu_slab.c.
 *
 * Each freed object is marked and checked as kmem_cache_free() would do it, so an array that has
 * an object twice is found. An object that does not pass ends a run of good ones. It goes the way
 * of a single call, which knows debugging, page blocks, other caches and what to report.
 */
#include <string.h>

#include "base/check.h"
#include "slab/bulk.h"
#include "slab/clearing.h"
#include "slab/cpu_cache.h"
#include "slab/debug/debug.h"
#include "slab/kfence/kfence.h"
#include "slab/kmalloc/kmalloc.h"
#include "slab/sheaf/sheaf.h"
#include "slab/slab_fast.h"
#include "usermm/fault.h"

/* --- Allocation ------------------------------------------------------------ */

/*
 * Marks objects as in use. Each round of the loop takes four objects, as in mark_run(). With one
 * object a round the processor would mispredict the end of the loop, which costs more than the
 * rounds.
 */
static __always_inline void unmark(const struct kmem_cache *cache, void **objects, size_t n)
{
	const uint32_t mark_offset = cache->mark_offset;

	if (cache->byte_marks) {
		while (n--)
			*byte_mark(*objects++) = BYTE_MARK_IN_USE;
		return;
	}
	for (; n >= 4; n -= 4, objects += 4) {
		*object_mark(objects[0], mark_offset) = 0;
		*object_mark(objects[1], mark_offset) = 0;
		*object_mark(objects[2], mark_offset) = 0;
		*object_mark(objects[3], mark_offset) = 0;
	}
	for (; n; n--, objects++)
		*object_mark(objects[0], mark_offset) = 0;
}

static noinline void clear_objects(const struct kmem_cache *cache, void **objects, size_t n)
{
	for (size_t i = 0; i < n; i++)
		memset(objects[i], 0, cache->object_size);
}

size_t slab_take_marked(struct kmem_cache *cache, gfp_t gfp, void **objects, size_t n)
{
	return cache->cpu_ops->take(cache, gfp, objects, n);
}

void slab_put_marked(struct kmem_cache *cache, void **objects, size_t n)
{
	cache->cpu_ops->put(cache, objects, n);
}

size_t slab_debug_alloc_bulk(struct kmem_cache *cache, gfp_t gfp, void **objects, size_t n,
			     const void *caller)
{
	for (size_t i = 0; i < n; i++) {
		objects[i] = slab_debug_alloc(cache, gfp, SIZE_MAX, caller);
		if (!objects[i]) {
			kmem_cache_free_bulk(cache, i, objects);
			return 0;
		}
	}
	return n;
}

/*
 * Gets the rest of n objects; the first `got` are in objects[] already, marked free. Returns n; or
 * gives all back, and returns 0.
 */
static size_t alloc_bulk_rest(struct kmem_cache *cache, gfp_t gfp, size_t n, void **objects,
			      size_t got, const void *caller)
{
	if (!got && cache_is_debugged(cache))
		return slab_debug_alloc_bulk(cache, slab_clearing_gfp(cache, gfp), objects, n,
					     caller);
	got += slab_take_marked(cache, gfp, objects + got, n - got);
	if (got < n) {
		slab_put_marked(cache, objects, got);
		return 0;
	}
	if (slab_clears(cache))
		for (size_t i = 0; i < n; i++)
			slab_clear_allocated(cache, objects[i]);
	unmark(cache, objects, n);
	if (gfp & __GFP_ZERO)
		clear_objects(cache, objects, n);
	return n;
}

/*
 * Objects that kfence_sample= guards come first. A cache that may have such objects shows this call
 * no sheaf, so none has been taken yet.
 */
static size_t alloc_bulk_guarded(struct kmem_cache *cache, gfp_t gfp, size_t n, void **objects,
				 const void *caller)
{
	size_t guarded = slab_kfence_alloc_some(cache, gfp, objects, n, caller);

	if (guarded == n || alloc_bulk_rest(cache, gfp, n - guarded, objects + guarded, 0, caller))
		return n;
	kmem_cache_free_bulk(cache, guarded, objects);
	return 0;
}

static slow_path int alloc_bulk_slow(struct kmem_cache *cache, gfp_t gfp, size_t n,
				     void **objects, size_t got, const void *caller)
{
	/* failslab= is asked once a call, as in Linux, for any number of objects. */
	if (!got && (!slab_cache_is_up(cache) ||
		     (slab_failslab_is_armed() && should_failslab(cache, gfp))))
		return 0;
	if (unlikely(options.kfence_sample))
		return (int)alloc_bulk_guarded(cache, gfp, n, objects, caller);
	return (int)alloc_bulk_rest(cache, gfp, n, objects, got, caller);
}

int kmem_cache_alloc_bulk(struct kmem_cache *cache, gfp_t gfp, size_t n, void **objects)
{
	size_t got;

	if (unlikely(!n))
		return 0;
	got = sheaf_pop_n(cache_sheaf(cache), objects, n);
	if (unlikely(got < n))
		return alloc_bulk_slow(cache, gfp, n, objects, got, __builtin_return_address(0));
	unmark(cache, objects, n);
	if (unlikely(gfp & __GFP_ZERO))
		clear_objects(cache, objects, n);
	return (int)n;
}

/* --- Free ------------------------------------------------------------------- */

/*
 * Fields of the cache and the window that a free looks at, read once: as far as the compiler knows,
 * each store of a mark might change them. Memory that has come online since cannot hold objects of
 * this caller's.
 */
struct bulk_look {
	const struct kmem_cache *cache;
	struct kmem_cache *const *slab_caches;
	unsigned long base, online_bytes;
	unsigned long slab_mask, divisor, start_limit, mark_key;
	uint32_t mark_offset;
};

static __always_inline bool is_of_cache(const struct bulk_look *look, const void *object)
{
	unsigned long place = (unsigned long)object - look->base;

	return likely(place < look->online_bytes) &&
	       atomic_load_relaxed(&look->slab_caches[place >> PAGE_SHIFT]) == look->cache;
}

/*
 * Marks the object as free if it may be freed; else false. Does the work of cache_of() and
 * object_may_be_freed(), for marks in words. `before` is an object of the cache: if it lies in the
 * same page, the object's cache need not be looked up.
 */
static __always_inline bool mark_object(const struct bulk_look *look, const void *object,
					const void *before)
{
	unsigned long mark = (unsigned long)object ^ look->mark_key;
	unsigned long offset = (unsigned long)object & look->slab_mask;

	if (((unsigned long)object ^ (unsigned long)before) >= PAGE_SIZE &&
	    unlikely(!is_of_cache(look, object)))
		return false;
	if (unlikely(offset * look->divisor >= look->start_limit ||
		     (uint32_t)*object_mark(object, look->mark_offset) == (uint32_t)mark))
		return false;
	*object_mark(object, look->mark_offset) = mark;
	return true;
}

static size_t mark_large(const struct kmem_cache *cache, void **objects, size_t n)
{
	size_t i = 0;

	while (i < n && cache_of(objects[i]) == cache && object_starts_at(cache, objects[i]) &&
	       !may_be_marked(cache, objects[i]))
		slab_mark_free(cache, objects[i++]);
	return i;
}

/*
 * Marks the objects at the front of the array as far as the cache may take them back; returns how
 * many. One after the other: an object that comes twice is marked already when it comes again.
 */
static __always_inline size_t mark_run(const struct kmem_cache *cache, void **objects, size_t n)
{
	const struct bulk_look look = {
		.cache = cache, .slab_caches = mm_window.slab_caches, .base = mm_window.base,
		.online_bytes = atomic_load_relaxed(&mm_window.online_bytes),
		.slab_mask = slab_mask_of(cache), .divisor = cache->divisor,
		.start_limit = cache->start_limit, .mark_key = slab_mark_key,
		.mark_offset = cache->mark_offset,
	};
	const void *before;
	size_t i = 0;

	if (cache->byte_marks)
		return mark_large(cache, objects, n);
	before = *objects;
	if (unlikely(!is_of_cache(&look, before)))
		return 0;
	for (; n - i >= 4; i += 4) {
		if (!mark_object(&look, objects[i], before))
			return i;
		if (!mark_object(&look, objects[i + 1], objects[i]))
			return i + 1;
		if (!mark_object(&look, objects[i + 2], objects[i + 1]))
			return i + 2;
		before = objects[i + 3];
		if (!mark_object(&look, before, objects[i + 2]))
			return i + 3;
	}
	for (; i < n && mark_object(&look, objects[i], before); i++)
		before = objects[i];
	return i;
}

/* Frees one object as kmem_cache_free() would; if cache is NULL, as kfree(). */
static slow_path void free_one(struct kmem_cache *cache, void *object, const void *caller)
{
	if (!object)
		report_warning("WARNING: kmem_cache_free_bulk: an entry of the array is NULL");
	else
		slab_free_for(cache, object, "kmem_cache_free_bulk", caller);
}

/*
 * Clears objects that mark_run() has marked, and marks them again. None is in a sheaf yet, since a
 * cache that clears shows none.
 */
static slow_path void clear_freed(struct kmem_cache *cache, void **objects, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		slab_clear_freed(cache, objects[i]);
		slab_mark_free(cache, objects[i]);
	}
}

void kmem_cache_free_bulk(struct kmem_cache *cache, size_t n, void **objects)
{
	while (n) {
		struct kmem_cache *owner = cache ? cache : cache_of(*objects);
		size_t run = likely(owner) ? mark_run(owner, objects, n) : 0;
		unsigned int put;

		if (unlikely(!run)) {
			free_one(cache, *objects++, __builtin_return_address(0));
			n--;
			continue;
		}
		put = percpu_push_n(cache_sheaf(owner), objects, (unsigned int)run);
		if (unlikely(slab_clears(owner)))
			clear_freed(owner, objects, run);
		if (unlikely(put < run))
			slab_put_marked(owner, objects + put, run - put);
		objects += run;
		n -= run;
	}
}
