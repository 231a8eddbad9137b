/* SPDX-License-Identifier: MIT */
/*
 * What an allocation or a free does that its fast path could not do.
 *
 * In each column the first line that is true of the cache or the call decides.
 *
 *				allocation			free
 *	cache is not up		make it; else NULL		cannot happen
 *	failslab= picks the call	NULL			the call is not asked
 *	kfence_sample= is due	an object of its own page	such an address is in no slab:
 *				(kfence.c)			kfence.c, not here
 *	debugging flags		slab_debug_alloc()		slab_debug_free(), not here
 *	hardened		as the lines below, and it	quarantine (hardened.c); those
 *				is checked for writes		that leave it come here, clear
 *	slab_cpu_cache=slab	cpu_slab.c			cpu_slab.c
 *	any other		sheaf.c				sheaf.c
 *
 * An object that a CPU, a barn or a slab has handed out is cleared if the cache clears
 * (clearing.h), and marked as in use. A freed object has its mark by the time that it comes here.
 *
 * kmem_cache_alloc_node() with a node that has memory is never due for kfence_sample=. It takes
 * what the CPU would hand out first if that object is of the node, then one of the node's slabs,
 * and without __GFP_THISNODE what any allocation gets.
 *
 * Where one of the first five lines may be true the cache shows the fast paths neither a sheaf nor
 * a list (set_up() in cache.c), so that all of its allocations come here; the fast path pays
 * nothing. slab_free_checked() (kmalloc.c) looks at an object before its free gets here.
 */
#include "slab/slowpath.h"

#include "page/pageblock.h"
#include "page/zone.h"
#include "slab/cache.h"
#include "slab/clearing.h"
#include "slab/cpu_cache.h"
#include "slab/cpu_slab/cpu_slab.h"
#include "slab/hardened/hardened.h"
#include "slab/kfence/kfence.h"
#include "slab/partial.h"
#include "slab/slab_fast.h"
#include "slab/slab_free.h"
#include "usermm/fault.h"

/* --- Allocation ------------------------------------------------------------ */

/* An object that was free is the user's. */
static void hand_out(const struct kmem_cache *cache, void *object)
{
	if (unlikely(cache->is_hardened))
		slab_hardened_check_free(cache, object);
	if (slab_clears(cache))
		slab_clear_allocated(cache, object);
	slab_mark_in_use(cache, object);
}

/* An object that still has its mark. Part of its callers, since page_owner= keeps 16 of them. */
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
void *slab_alloc_slow(struct kmem_cache *cache, gfp_t gfp, size_t size, const void *caller)
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

/* May the caller mean this node, and does it have memory? */
static bool is_node_with_memory(int nid)
{
	return nr_online_nodes > 1 && nid >= 0 && nid < (int)nr_online_nodes &&
	       NODE_DATA(nid)->node_zonelists[ZONELIST_NOFALLBACK].refs->zone;
}

void *slab_alloc_node(struct kmem_cache *cache, gfp_t gfp, int nid, size_t size,
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

/* See slab_alloc_slow(). It has no frame if it ends here at once. */
void slab_free_slow(struct kmem_cache *cache, void *object)
{
	if (!percpu_has_sequences())
		free_locked(cache, object);
	else if (!cpu_slab_push_fast(cache, object))
		slab_free_dispatch(cache, object);
}
