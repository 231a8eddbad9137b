/* SPDX-License-Identifier: MIT */
/* What CPUs keep in sheaves, and the traffic between them and the slabs. See slab.h. */
#include "percpu/tagged_list.h"
#include "page/pageblock.h"
#include "page/zone.h"
#include "slab/debug.h"
#include "slab/freelist.h"
#include "slab/slab_fast.h"
#include "usermm/fault.h"

/* Objects moved between a sheaf and the slabs at a time, at most. */
#define SLAB_BATCH_MAX 32

static unsigned int batch_of(const struct kmem_cache *cache)
{
	if (!cache->own_sheaf || percpu_current_slot() < 0)
		return 1;	/* nowhere to keep more */
	return clamp(cache->sheaf_limit / 2, 1u, (unsigned int)SLAB_BATCH_MAX);
}

/* --- Taking ------------------------------------------------------------------ */

static void *refill(struct kmem_cache *cache, gfp_t gfp)
{
	void *objects[SLAB_BATCH_MAX];
	unsigned int taken, put;

	taken = slab_take_objects(cache, gfp, objects, batch_of(cache));
	if (!taken)
		return NULL;
	atomic_add_relaxed(&cache->refills, 1);
	taken--;
	percpu_array_prepare(cache->own_sheaf, cache->sheaf_limit);
	put = percpu_push_n(cache->own_sheaf, objects, taken);
	if (put < taken)
		slab_return_objects(cache, objects + put, taken - put);
	return objects[taken];
}

void *slab_alloc_slow(struct kmem_cache *cache, gfp_t gfp, size_t size, const void *caller)
{
	void *object = NULL;

	if (likely(cache->freelist)) {
		object = percpu_tagged_pop_fast(cache->freelist, cache->link_offset);
		if (likely(object))
			goto out;
	}
	if (slab_init() || (slab_failslab_is_armed() && should_failslab(cache, gfp)))
		return NULL;
	if (cache_is_debugged(cache))
		return slab_debug_alloc(cache, gfp, size, caller);
	if (cache->own_freelist) {
		object = slab_freelist_alloc(cache, gfp);
	} else {
		/* The fast path tried once; that may have been aborted, or need the lock. */
		object = percpu_pop(cache->own_sheaf);
		if (!object)
			object = refill(cache, gfp);
	}
	if (!object)
		return NULL;
out:
	*object_mark(object, cache->mark_offset) = 0;
	return object;
}

/* --- Objects of a node ---------------------------------------------------- */

static bool is_of_node(const void *object, unsigned int nid)
{
	return page_zone(virt_to_page(object))->node == nid;
}

static void *pop_here(struct kmem_cache *cache)
{
	return cache->own_freelist ? percpu_tagged_pop(cache->own_freelist, cache->link_offset) :
				     percpu_pop(cache->own_sheaf);
}

static bool push_here(struct kmem_cache *cache, void *object)
{
	return cache->own_freelist ? slab_freelist_push(cache, object) :
				     percpu_push(cache->own_sheaf, object);
}

/* What the CPU hands out first, if it is of the node. */
static void *take_cached_of_node(struct kmem_cache *cache, unsigned int nid)
{
	void *object = pop_here(cache);

	if (!object || is_of_node(object, nid))
		return object;
	if (!push_here(cache, object))
		slab_return_objects(cache, &object, 1);
	return NULL;
}

/* Is this a node that could be meant, and has memory? */
static bool is_node_with_memory(int nid)
{
	return nr_online_nodes > 1 && nid >= 0 && nid < (int)nr_online_nodes &&
	       NODE_DATA(nid)->node_zonelists[ZONELIST_NOFALLBACK].refs->zone;
}

void *slab_alloc_node(struct kmem_cache *cache, gfp_t gfp, int nid, size_t size,
		      const void *caller)
{
	void *object = NULL;

	if (slab_init())
		return NULL;
	if (!is_node_with_memory(nid) || cache_is_debugged(cache))
		return slab_alloc_slow(cache, gfp, size, caller);
	if (slab_failslab_is_armed() && should_failslab(cache, gfp))
		return NULL;
	object = take_cached_of_node(cache, (unsigned int)nid);
	if (!object)
		object = slab_take_of_node(cache, gfp, (unsigned int)nid);
	if (!object)
		return gfp & __GFP_THISNODE ? NULL : slab_alloc_slow(cache, gfp, size, caller);
	*object_mark(object, cache->mark_offset) = 0;
	return object;
}

/* --- Giving back ---------------------------------------------------------- */

static noinline void free_to_sheaf(struct kmem_cache *cache, void *object)
{
	void *objects[SLAB_BATCH_MAX + 1] = { NULL };
	unsigned int taken;

	/* The fast path tried once; that may have been aborted, or need the lock. */
	if (percpu_push(cache->own_sheaf, object))
		return;
	percpu_array_prepare(cache->own_sheaf, cache->sheaf_limit);
	if (percpu_push(cache->own_sheaf, object))
		return;
	taken = percpu_pop_n(cache->own_sheaf, objects, batch_of(cache));
	if (!taken || !percpu_push(cache->own_sheaf, object))
		objects[taken++] = object;
	slab_return_objects(cache, objects, taken);
}

void slab_free_slow(struct kmem_cache *cache, void *object)
{
	if (!cache->own_freelist)
		free_to_sheaf(cache, object);
	else if (!slab_freelist_push(cache, object))
		slab_return_objects(cache, &object, 1);
}

void slab_drain_all(struct kmem_cache *cache)
{
	for (unsigned int slot = 0; cache->own_freelist && slot < percpu_nr_slots(); slot++)
		slab_freelist_drain(cache, slot);
	for (unsigned int slot = 0; cache->own_sheaf && slot < percpu_nr_slots(); slot++) {
		struct percpu_array *sheaf = percpu_ptr(cache->own_sheaf, slot);

		if (sheaf->count)
			slab_return_objects(cache, sheaf->items, sheaf->count);
		sheaf->count = 0;
	}
}

unsigned long slab_cached_objects(const struct kmem_cache *cache)
{
	unsigned long cached = 0;

	for (unsigned int slot = 0; cache->own_freelist && slot < percpu_nr_slots(); slot++)
		cached += slab_freelist_cached(cache, slot);
	for (unsigned int slot = 0; cache->own_sheaf && slot < percpu_nr_slots(); slot++) {
		const struct percpu_array *sheaf = percpu_ptr(cache->own_sheaf, slot);
		int32_t count = (int32_t)atomic_load_relaxed(&sheaf->count);

		/* A sheaf that somebody has stopped (percpu/remote.h) has less than none. */
		cached += (unsigned long)max(count, 0);
	}
	return cached;
}
