/* SPDX-License-Identifier: MIT */
/*
 * Many objects at once: kmem_cache_alloc_bulk(), kmem_cache_free_bulk().
 *
 * What the sheaf holds moves in one restartable sequence; what is missing comes in batches
 * from the barn and in one visit from the slabs, and to these goes what does not fit. A CPU
 * with a slab of its own in place of a sheaf (cpu_slab.c) has no such sequence: a few objects
 * are taken from and put on its list one by one. Each object is looked at by itself all the
 * same: it is marked and checked as kmem_cache_free() would, so that an array that has an
 * object twice is found. What does not pass ends a run of good ones and goes the way of a
 * single call, which knows debugging, page blocks, other caches and what to say.
 */
#include <string.h>

#include "base/check.h"
#include "slab/bulk.h"
#include "slab/clearing.h"
#include "slab/cpu_slab/cpu_slab.h"
#include "slab/debug/debug.h"
#include "slab/kfence/kfence.h"
#include "slab/kmalloc/kmalloc.h"
#include "slab/partial.h"
#include "slab/sheaf/cache_barns.h"
#include "slab/sheaf/sheaf_size.h"
#include "slab/slab_fast.h"
#include "slab/slab_free.h"
#include "usermm/fault.h"

/* Objects that one call of the functions below is asked for. */
#define AT_ONCE_MAX (1UL << 20)

/* --- Allocation ------------------------------------------------------------ */

/*
 * They are in use from here on. Here and in mark_run() four at a time: the end of a loop of
 * so many rounds as there are objects would not be predicted, and cost more than they do.
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

/* Up to n objects of this CPU's sheaf, marked free still. */
static __always_inline unsigned int pop_objects(struct percpu_array *sheaf, void **objects,
						size_t n)
{
	unsigned int most = (unsigned int)min(n, (size_t)SHEAF_OBJECTS_MAX);

	/* So that no page of the array is touched for the first time inside the sequence. */
	objects[0] = NULL;
	objects[most - 1] = NULL;
	return percpu_pop_n(sheaf, objects, most);
}

/*
 * Where a CPU has a slab: so many cost less one by one from its list than a visit to the
 * slabs. Without sequences a pop is a locked swap.
 */
#define FEW_OBJECTS 16
#define FEW_OBJECTS_LOCKED 4

static bool are_few(const struct kmem_cache *cache, size_t n)
{
	return cache->own_freelist &&
	       n <= (percpu_has_sequences() ? FEW_OBJECTS : FEW_OBJECTS_LOCKED);
}

/* Of the CPU's slab, and of those that become its. */
static size_t take_few(struct kmem_cache *cache, gfp_t gfp, void **objects, size_t n)
{
	size_t got = 0;

	while (got < n && (objects[got] = slab_freelist_alloc(cache, gfp)))
		got++;
	return got;
}

/* What is of the CPU's slab goes there; the others close up. How many these are. */
static size_t put_few(struct kmem_cache *cache, void **objects, size_t n)
{
	size_t others = 0;

	for (size_t i = 0; i < n; i++)
		if (!slab_freelist_push(cache, objects[i]))
			objects[others++] = objects[i];
	slab_count_n(cache, SLAB_FREE_FASTPATH, n - others);
	return others;
}

/* On the CPU as far as there is room, the others into their slabs; how many these are. */
static unsigned int put_some(struct kmem_cache *cache, void **objects, unsigned int n)
{
	unsigned int put = percpu_push_n(cache->own_sheaf, objects, n);

	if (put < n && sheaf_size_widen(cache))
		put += percpu_push_n(cache->own_sheaf, objects + put, n - put);
	if (put < n)
		slab_return_objects(cache, objects + put, n - put);
	return n - put;
}

/* A part of a batch; the CPU has the rest. */
static unsigned int break_batch(struct kmem_cache *cache, void **objects, size_t n)
{
	void *batch[BARN_BATCH_MAX];
	unsigned int taken = slab_take_batch(cache, batch, ARRAY_SIZE(batch));
	unsigned int some = (unsigned int)min(n, (size_t)taken);

	memcpy(objects, batch, some * sizeof(batch[0]));
	if (some < taken)
		put_some(cache, batch + some, taken - some);
	return some;
}

/* Up to n: what barns have comes before what slabs have, as for a single object. */
static unsigned int take_some(struct kmem_cache *cache, gfp_t gfp, void **objects, size_t n)
{
	unsigned int taken = slab_take_batch(cache, objects, n);

	if (!taken)
		taken = break_batch(cache, objects, n);
	return taken ? taken : slab_take_objects(cache, gfp, objects,
						 (unsigned int)min(n, AT_ONCE_MAX));
}

size_t slab_take_marked(struct kmem_cache *cache, gfp_t gfp, void **objects, size_t n)
{
	size_t popped, got;
	unsigned int taken;

	if (are_few(cache, n))
		return take_few(cache, gfp, objects, n);
	got = popped = n ? pop_objects(cache->own_sheaf, objects, n) : 0;
	while (got < n && (taken = take_some(cache, gfp, objects + got, n - got)))
		got += taken;
	slab_count_n(cache, SLAB_ALLOC_FASTPATH, popped);
	slab_count_n(cache, SLAB_ALLOC_SLOWPATH, got - popped);
	return got;
}

void slab_put_marked(struct kmem_cache *cache, void **objects, size_t n)
{
	unsigned int some, others;

	if (are_few(cache, n))
		n = put_few(cache, objects, n);
	for (; n; n -= some, objects += some) {
		some = (unsigned int)min(n, AT_ONCE_MAX);
		others = put_some(cache, objects, some);
		slab_count_n(cache, SLAB_FREE_FASTPATH, some - others);
		slab_count_n(cache, SLAB_FREE_SLOWPATH, others);
	}
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

/* The first `got` of n are there, marked free. n, or 0. */
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

/* Guarded objects come first. A cache that may have some shows this call no sheaf. */
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
	/* As in Linux a call is asked about once, however many it wants. */
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
	got = pop_objects(cache_sheaf(cache), objects, n);
	if (unlikely(got < n))
		return alloc_bulk_slow(cache, gfp, n, objects, got, __builtin_return_address(0));
	unmark(cache, objects, n);
	if (unlikely(gfp & __GFP_ZERO))
		clear_objects(cache, objects, n);
	return (int)n;
}

/* --- Free ------------------------------------------------------------------- */

/*
 * What is read of the cache and the window, once: marks are stores that might change it, as
 * far as the compiler knows. What has come online since is not this caller's.
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
 * cf. cache_of(), object_may_be_freed(); the object is marked if it may. For marks in words.
 * What shares a page with the one before, which may, need not be looked up.
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
 * Marks the first objects that the cache may take back, one after the other: an object
 * that comes twice is marked when it comes again. How many there are.
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

/* Of the cache, or where that is NULL, of any. */
static slow_path void free_one(struct kmem_cache *cache, void *object, const void *caller)
{
	if (!object)
		report_warning("WARNING: kmem_cache_free_bulk: an entry of the array is NULL");
	else
		slab_free_for(cache, object, "kmem_cache_free_bulk", caller);
}

/* Such a cache has no sheaf to be seen, so all of them are still here. */
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
