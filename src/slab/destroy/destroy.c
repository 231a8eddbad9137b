/* SPDX-License-Identifier: MIT */
/*
 * The end of caches.
 *
 * 1. kmem_cache_destroy() wants every object to be free. Objects that remain are reported and
 *    leaked, as in Linux.
 *
 * 2. A cache may also go together with its objects. No list has all of its slabs: full slabs are on
 *    none, since a list of them would cost every refill a lock. But the window's table names each
 *    slab's cache (mm_slab_cache()). So one walk through the table finds the slabs, of several
 *    caches at once. It reads a word for each page that is online.
 *
 * 3. Slabs go as a whole, and nothing is written to their objects. Objects of caches with debugging
 *    flags are freed one by one, because their bytes are checked then. So are guarded objects
 *    (kfence/), which are in no slab.
 *
 * 4. Sync. Nobody uses the caches, which is up to the caller. Other threads change the table for
 *    other caches meanwhile. The walk compares pointers of the table, but never follows one of
 *    another cache: that one may be gone already.
 */
#include "slab/destroy/destroy.h"

#include <errno.h>

#include "base/check.h"
#include "os/lock.h"
#include "slab/cache.h"
#include "slab/cpu_cache.h"
#include "slab/debug/debug.h"
#include "slab/events.h"
#include "slab/kfence/kfence.h"
#include "slab/merge.h"
#include "slab/partial.h"
#include "slab/sheaf/cache_barns.h"
#include "slab/small_slab.h"

/* --- Any cache ---------------------------------------------------------------------------- */

/* Drops one of the creations that the cache stands for. True if it was the last. */
static bool drop_reference(struct kmem_cache *cache, struct slab_events *events)
{
	struct slab_alias *alias;

	lock_acquire(&slab_caches_lock);
	CHECK(!cache->is_static || cache->refcount > 1,
	      "kmem_cache_destroy of %s, which the library owns", cache->name);
	alias = slab_unmerge_locked(cache);
	/* Off the list: from here on shrink.c does not empty the cache's sheaves. */
	if (!alias) {
		list_del(&cache->caches);
		slab_events_keep_locked(cache, events);
	}
	lock_release(&slab_caches_lock);
	kfree(alias);
	return !alias;
}

/*
 * Has the program prefilled sheaves of the cache? Returning such a sheaf later uses the cache, even
 * if no object is left in the sheaf.
 */
static bool has_prefilled_sheaves(const struct kmem_cache *cache)
{
	return atomic_load_relaxed(&cache->prefilled_sheaves);
}

/* All objects that CPUs keep go back to their slabs, and empty slabs go. Returns how many stay. */
static unsigned long empty_cache(struct kmem_cache *cache)
{
	slab_barns_close(cache);
	slab_drain_all(cache);
	return slab_free_empty(cache);
}

/*
 * Ends a cache that is off the list. If objects or prefilled sheaves remain (`leaked`), its memory
 * stays: they still name the cache, and freeing one later must not crash.
 */
static void end_cache(struct kmem_cache *cache, struct slab_events *events, bool leaked)
{
	if ((cache->flags & SLAB_TYPESAFE_BY_RCU) && slab_rcu_hooks.barrier)
		slab_rcu_hooks.barrier();
	slab_kfence_forget(cache);
	leaked = leaked || slab_nr_slabs(cache);
	lock_acquire(&slab_caches_lock);
	slab_events_keep_locked(cache, events);
	if (!leaked)
		slab_nodes_destroy_locked(cache);
	lock_release(&slab_caches_lock);
	cache->cpu_ops->destroy(cache);
	if (!leaked)
		slab_cache_free(cache);
}

/* --- A cache without objects --------------------------------------------------------------- */

static void list_remaining_objects(struct kmem_cache *cache)
{
	struct kmem_cache_node *node;
	struct page *slab;

	for_each_kmem_cache_node(cache, node) {
		lock_acquire(&node->lock);
		list_for_each_entry(slab, &node->partial, lru)
			slab_debug_list_remaining(cache, slab);
		lock_release(&node->lock);
	}
}

void kmem_cache_destroy(struct kmem_cache *cache)
{
	struct slab_events events = { 0 };
	bool held;

	if (!cache || !drop_reference(cache, &events))
		return;
	held = slab_kfence_objects(cache) || has_prefilled_sheaves(cache);
	if (empty_cache(cache) || held) {
		list_remaining_objects(cache);
		slab_debug_still_has_objects(cache, __builtin_return_address(0));
	}
	end_cache(cache, &events, held);
}

/* --- Caches with their objects --------------------------------------------------------------- */

static bool is_one_of(const struct kmem_cache *cache, struct kmem_cache *const *caches,
		      unsigned int nr)
{
	for (unsigned int i = 0; i < nr; i++)
		if (caches[i] == cache)
			return true;
	return false;
}

/* Would somebody lose objects: one who shares a cache, or has a prefilled sheaf of it? */
static bool any_is_held(struct kmem_cache *const *caches, unsigned int nr)
{
	bool held = false;

	lock_acquire(&slab_caches_lock);
	for (unsigned int i = 0; i < nr; i++)
		held |= caches[i]->refcount > 1 || has_prefilled_sheaves(caches[i]);
	lock_release(&slab_caches_lock);
	return held;
}

static void free_slab(struct kmem_cache *cache, struct page *slab, const void *caller)
{
	struct kmem_cache_node *node = slab_node_of(cache, slab);

	if (cache_is_debugged(cache)) {
		slab_debug_free_remaining(cache, slab, caller);
		return;
	}
	lock_acquire(&node->lock);
	if (slab->on_partial)
		slab_remove_partial_locked(node, slab);
	slab_count_gone_locked(cache, node, slab);
	lock_release(&node->lock);
	slab_discard(cache, slab);
}

/* Frees all slabs of the caches. A slab's first page always names the cache (slab_open_page()). */
static void free_slabs(struct kmem_cache *const *caches, unsigned int nr, const void *caller)
{
	unsigned long nr_pages = atomic_load_relaxed(&mm_window.online_bytes) >> PAGE_SHIFT;
	const struct kmem_cache *other = NULL;

	for (unsigned long pfn = 0; pfn < nr_pages; pfn++) {
		struct page *slab = pfn_to_page(pfn);
		struct kmem_cache *cache = atomic_load_relaxed(mm_slab_cache(slab));

		if (cache == other || !is_one_of(cache, caches, nr)) {
			other = cache;
			continue;
		}
		pfn += (1UL << slab_order_of(cache, slab)) - 1;
		free_slab(cache, slab, caller);
	}
}

int slab_destroy_with_objects(struct kmem_cache *const *caches, unsigned int nr,
			      const void *caller)
{
	struct slab_events events[SLAB_DESTROY_MAX] = { 0 };

	ASSERT(nr <= SLAB_DESTROY_MAX);
	if (any_is_held(caches, nr))
		return -EBUSY;
	for (unsigned int i = 0; i < nr; i++) {
		drop_reference(caches[i], &events[i]);
		empty_cache(caches[i]);
		slab_kfence_free_all(caches[i], caller);
	}
	free_slabs(caches, nr, caller);
	for (unsigned int i = 0; i < nr; i++) {
		/* With debugging, empty slabs are kept for the next objects. */
		slab_free_empty(caches[i]);
		end_cache(caches[i], &events[i], false);
	}
	return 0;
}

int usermm_kmem_cache_destroy_all(struct kmem_cache *cache)
{
	if (!cache)
		return 0;
	return slab_destroy_with_objects(&cache, 1, __builtin_return_address(0));
}
