/* SPDX-License-Identifier: MIT */
/*
 * The slow path of an allocation or a free: all that the fast path could not do.
 *
 * The table of decisions. In each column the first line that applies decides.
 *
 *	the cache or the call		allocation		free
 *	the cache is not up		brings it up, or NULL	cannot happen
 *	failslab= picks the call	NULL			is not asked
 *	it is kfence_sample='s turn	slab_kfence_alloc(): an	slab_kfence_free() already: the
 *	and a slot is free		object in its own page	address is in no slab
 *	debugging flags			slab_debug_alloc()	slab_debug_free() already
 *	hardened			as the lines below	quarantine (hardened.c); what
 *								leaves it comes here, cleared
 *	option slab_cpu_cache=slab	cpu_slab_ops.alloc	cpu_slab_ops.free
 *	any other			sheaf_ops.alloc		sheaf_ops.free
 *
 * "Already" means that slab_free_checked() or its callers (kmalloc.c) have decided so.
 *
 * After the last three lines of an allocation hand_out() checks that an object of a hardened cache
 * was not written to, clears the object if the cache clears (clearing.h), and marks it as in use. A
 * freed object is marked as free before it comes here.
 *
 * An allocation from a certain node skips kfence_sample=. It takes the object that the CPU would
 * hand out first, if that object is of the node; else one from the node's slabs; else, without
 * __GFP_THISNODE, what the last three lines give.
 *
 * Which calls come here? First, those whose fast path found the CPU's memory empty or full. Second,
 * all calls of a cache that shows nothing to the fast paths (set_up() in cache.c): a cache to which
 * one of the first five lines may apply, that clears objects, or that counts calls. Malloc's caches
 * show their sheaves to malloc() in spite of kfence_sample=, since malloc() counts turns itself.
 */
#include "slab/slowpath.h"

#include "page/pageblock.h"
#include "page/zone.h"
#include "slab/cache.h"
#include "slab/clearing.h"
#include "slab/cpu_cache.h"
#include "slab/cpu_slab/cpu_slab.h"
#include "slab/debug/debug.h"
#include "slab/hardened/hardened.h"
#include "slab/kfence/kfence.h"
#include "slab/partial.h"
#include "slab/slab_fast.h"
#include "slab/slab_free.h"
#include "usermm/fault.h"

/* --- Allocation ------------------------------------------------------------ */

/* A free object becomes the user's. */
static void hand_out(const struct kmem_cache *cache, void *object)
{
	if (unlikely(cache->is_hardened))
		slab_hardened_check_free(cache, object);
	if (slab_clears(cache))
		slab_clear_allocated(cache, object);
	slab_mark_in_use(cache, object);
}

/*
 * Returns an object that is still marked free. Inline, since page_owner= keeps 16 callers, and the
 * program's own must be among them.
 */
static __always_inline void *alloc_anywhere(struct kmem_cache *cache, gfp_t gfp)
{
	return cache->cpu_ops->alloc(cache, gfp);
}

static bool must_fail(struct kmem_cache *cache, gfp_t gfp)
{
	return slab_failslab_is_armed() && should_failslab(cache, gfp);
}

static noinline void *slab_alloc_dispatch(struct kmem_cache *cache, gfp_t gfp, size_t size,
					  const void *caller)
{
	void *object = NULL;

	if (!slab_cache_is_up(cache) || must_fail(cache, gfp))
		return NULL;
	if (unlikely(options.kfence_sample) && slab_kfence_is_due()) {
		object = slab_kfence_alloc(cache, gfp, size, caller);
		if (object)
			return object;
	}
	if (cache_is_debugged(cache))
		return slab_debug_alloc(cache, slab_clearing_gfp(cache, gfp), size, caller);
	object = alloc_anywhere(cache, gfp);
	if (object)
		hand_out(cache, object);
	return object;
}

/* The fast path of a cache with slab_cpu_cache=slab begins here: others pay nothing for it. */
fast_path void *slab_alloc_slow(struct kmem_cache *cache, gfp_t gfp, size_t size,
				const void *caller)
{
	void *object = cpu_slab_pop_fast(cache);

	if (unlikely(!object))
		return slab_alloc_dispatch(cache, gfp, size, caller);
	slab_mark_in_use(cache, object);
	return object;
}

/* --- Allocation from a node ------------------------------------------------ */

static bool is_of_node(const void *object, unsigned int nid)
{
	return page_zone(virt_to_page(object))->node == nid;
}

/* The object that the CPU hands out first, if that object is of the node. */
static void *take_cached_of_node(struct kmem_cache *cache, unsigned int nid)
{
	void *object = cache->cpu_ops->pop(cache);

	if (!object || is_of_node(object, nid)) {
		slab_count_n(cache, SLAB_ALLOC_FASTPATH, !!object);
		return object;
	}
	slab_count(cache, SLAB_ALLOC_NODE_MISMATCH);
	if (!cache->cpu_ops->push(cache, object))
		slab_return_objects(cache, &object, 1);
	return NULL;
}

/* Are there several nodes, and is nid one that has memory? */
static bool is_node_with_memory(int nid)
{
	return nr_online_nodes > 1 && nid >= 0 && nid < (int)nr_online_nodes &&
	       NODE_DATA(nid)->node_zonelists[ZONELIST_NOFALLBACK].refs->zone;
}

seldom_called void *slab_alloc_node(struct kmem_cache *cache, gfp_t gfp, int nid, size_t size,
		      const void *caller)
{
	void *object = NULL;

	if (!slab_cache_is_up(cache))
		return NULL;
	if (!is_node_with_memory(nid) || cache_is_debugged(cache))
		return slab_alloc_slow(cache, gfp, size, caller);
	if (must_fail(cache, gfp))
		return NULL;
	object = take_cached_of_node(cache, (unsigned int)nid);
	if (!object) {
		object = slab_take_of_node(cache, gfp, (unsigned int)nid);
		slab_count_n(cache, SLAB_ALLOC_SLOWPATH, !!object);
	}
	if (!object && !(gfp & __GFP_THISNODE))
		object = alloc_anywhere(cache, gfp);
	if (object)
		hand_out(cache, object);
	return object;
}

/* --- Free ------------------------------------------------------------------ */

void slab_free_cleared(struct kmem_cache *cache, void *object)
{
	cache->cpu_ops->free(cache, object);
}

static noinline void slab_free_dispatch(struct kmem_cache *cache, void *object)
{
	if (slab_clears(cache)) {
		slab_clear_freed(cache, object);
		slab_mark_free(cache, object);
	}
	slab_free_cleared(cache, object);
}

/* Without restartable sequences all frees come here. */
static noinline void free_locked(struct kmem_cache *cache, void *object)
{
	if (unlikely(!slab_keep_locked(cache, object)))
		slab_free_dispatch(cache, object);
}

/*
 * With slab_cpu_cache=slab this has the fast path, as slab_alloc_slow() has. Up to the end of that
 * path the function needs no stack frame.
 */
fast_path void slab_free_slow(struct kmem_cache *cache, void *object)
{
	if (!percpu_has_sequences())
		free_locked(cache, object);
	else if (!cpu_slab_push_fast(cache, object))
		slab_free_dispatch(cache, object);
}
