/* SPDX-License-Identifier: MIT */
/* Many objects at once, to and from sheaves: take and put of sheaf_ops (cpu_cache.h). */
#include <string.h>

#include "slab/bulk.h"
#include "slab/partial.h"
#include "slab/sheaf/cache_barns.h"
#include "slab/sheaf/sheaf.h"
#include "slab/sheaf/sheaf_size.h"
#include "slab/slab_free.h"

/*
 * Gives the barn a batch of n objects and of others from the sheaf. False if the barn refuses; the
 * objects stay the caller's.
 */
static bool give_with_others(struct kmem_cache *cache, struct barn *barn, void **objects,
			     unsigned int n)
{
	void *batch[BARN_BATCH_MAX];
	unsigned int others = sheaf_pop_n(cache->own_sheaf, batch, barn->batch - n), put;

	memcpy(batch + others, objects, n * sizeof(batch[0]));
	if (barn_give(barn, batch, others + n))
		return true;
	put = percpu_push_n(cache->own_sheaf, batch, others);
	if (put < others)
		slab_return_objects(cache, batch + put, others - put);
	return false;
}

/*
 * Gives the barn the objects that a full sheaf has no room for, in whole batches. Returns how many;
 * the others are those that the barn refuses.
 */
static unsigned int give_batches(struct kmem_cache *cache, void **objects, unsigned int n)
{
	struct barn *barn = slab_barn_here(cache);
	unsigned int given = 0;

	if (!cache->own_sheaf)
		return 0;
	while (n - given >= barn->batch && barn_give(barn, objects + given, barn->batch))
		given += barn->batch;
	if (given < n && n - given < barn->batch &&
	    give_with_others(cache, barn, objects + given, n - given))
		given = n;
	return given;
}

/*
 * Puts what fits into the sheaf, and the others into the barn or into their slabs. Returns the
 * number of the others.
 */
static unsigned int put_some(struct kmem_cache *cache, void **objects, unsigned int n)
{
	unsigned int put = percpu_push_n(cache->own_sheaf, objects, n), others, given;
	bool is_wider;

	if (put < n && sheaf_size_widen(cache, &is_wider))
		put += percpu_push_n(cache->own_sheaf, objects + put, n - put);
	others = n - put;
	given = others ? give_batches(cache, objects + put, others) : 0;
	if (given < others)
		slab_return_objects(cache, objects + put + given, others - given);
	return others;
}

/* Takes a part of a batch; the rest of the batch goes to the sheaf. */
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

/* Takes up to n objects: from barns before slabs, as for a single object. */
static unsigned int take_some(struct kmem_cache *cache, gfp_t gfp, void **objects, size_t n)
{
	unsigned int taken = slab_take_batch(cache, objects, n);

	if (!taken)
		taken = break_batch(cache, objects, n);
	return taken ? taken : slab_take_objects(cache, gfp, objects,
						 (unsigned int)min(n, SLAB_AT_ONCE_MAX));
}

size_t sheaf_take(struct kmem_cache *cache, gfp_t gfp, void **objects, size_t n)
{
	size_t popped = n ? sheaf_pop_n(cache->own_sheaf, objects, n) : 0, got = popped;
	unsigned int taken;

	while (got < n && (taken = take_some(cache, gfp, objects + got, n - got)))
		got += taken;
	slab_count_n(cache, SLAB_ALLOC_FASTPATH, popped);
	slab_count_n(cache, SLAB_ALLOC_SLOWPATH, got - popped);
	return got;
}

void sheaf_put(struct kmem_cache *cache, void **objects, size_t n)
{
	unsigned int some, others;

	for (; n; n -= some, objects += some) {
		some = (unsigned int)min(n, SLAB_AT_ONCE_MAX);
		others = put_some(cache, objects, some);
		slab_count_n(cache, SLAB_FREE_FASTPATH, some - others);
		slab_count_n(cache, SLAB_FREE_SLOWPATH, others);
	}
}
