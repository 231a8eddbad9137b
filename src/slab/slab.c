/* SPDX-License-Identifier: MIT */
/* A cache's slabs, and the traffic between them and the sheaves. See slab.h. */
#include "base/check.h"
#include "mm/page_flags.h"
#include "page/pageblock.h"
#include "page/zone.h"
#include "slab/debug.h"
#include "slab/slab_fast.h"
#include "usermm/fault.h"

/* Objects moved between a sheaf and the slabs at a time, at most. */
#define SLAB_BATCH_MAX 32
/* Partial slabs that are looked at for one of a certain node. */
#define NODE_SLABS_LOOKED_AT 64

static unsigned int batch_of(const struct kmem_cache *cache)
{
	if (!cache->own_sheaf || percpu_current_slot() < 0)
		return 1;	/* nowhere to keep more */
	return clamp(cache->sheaf_limit / 2, 1u, (unsigned int)SLAB_BATCH_MAX);
}

static void **object_link(const struct kmem_cache *cache, const void *object)
{
	return (void **)((char *)object + cache->link_offset);
}

/* --- Slabs come and go; no lock is held -------------------------------- */

static void mark_free(const struct kmem_cache *cache, void *object)
{
	*object_mark(object, cache->mark_offset) = free_mark(object);
}

/*
 * Prepares the next objects: those that start in the next object's page. From
 * here on the pages up to it name the cache.
 */
static void open_page(struct kmem_cache *cache, struct page *slab)
{
	unsigned long offset = (unsigned long)slab->opened * cache->size;
	unsigned long page = offset >> PAGE_SHIFT;

	for (struct page *p = slab + page; p >= slab && !p->slab_cache; p--)
		atomic_store_relaxed(&p->slab_cache, cache);
	while (slab->opened < slab->objects && offset >> PAGE_SHIFT == page) {
		mark_free(cache, (char *)page_address(slab) + offset);
		slab->opened++;
		offset += cache->size;
	}
}

static void construct_all(struct kmem_cache *cache, struct page *slab)
{
	char *object = page_address(slab);

	while (slab->opened < slab->objects)
		open_page(cache, slab);
	for (unsigned int i = 0; i < slab->objects; i++, object += cache->size)
		cache->ctor(object);
}

/* A block of a node, without references. */
static struct page *alloc_node_pages(gfp_t gfp, unsigned int order, int nid)
{
	struct page *page = __alloc_pages(gfp, order, nid, NULL);

	if (page)
		atomic_store_relaxed(&page->_refcount, 0);
	return page;
}

/* As compound pages slabs of several pages have a head that compound_head() finds. */
static struct page *alloc_slab_pages(gfp_t gfp, unsigned int order, int nid)
{
	struct page *slab;

	gfp &= ~(__GFP_ZERO | __GFP_COMP);
	slab = nid == NUMA_NO_NODE ? alloc_frozen_pages(gfp, order) :
				     alloc_node_pages(gfp, order, nid);
	if (slab && order) {
		slab->order = (uint8_t)order;
		page_set_flags(slab, PG_head);
	}
	return slab;
}

static struct page *slab_new_at(struct kmem_cache *cache, gfp_t gfp, int nid)
{
	struct page *slab = alloc_slab_pages(gfp, cache->order, nid);

	if (!slab)
		return NULL;
	slab->freelist = NULL;
	slab->inuse = 0;
	slab->carved = 0;
	slab->opened = 0;
	slab->objects = cache->objects;
	slab->on_partial = 0;
	slab->disabled = 0;
	if (cache_is_debugged(cache))
		slab_debug_prepare(cache, slab);
	else if (cache->ctor)
		construct_all(cache, slab);
	return slab;
}

struct page *slab_new(struct kmem_cache *cache, gfp_t gfp)
{
	return slab_new_at(cache, gfp, NUMA_NO_NODE);
}

static void discard_slab(struct kmem_cache *cache, struct page *slab)
{
	if (cache_is_debugged(cache))
		slab_debug_check_discarded(cache, slab);
	for (unsigned int i = 0; i < 1u << cache->order; i++)
		atomic_store_relaxed(&slab[i].slab_cache, NULL);
	slab->freelist = NULL;
	page_set_flags(slab, 0);
	free_frozen_pages(slab, cache->order);
}

/* --- Slabs' objects; the cache's lock is held --------------------------- */

void slab_add_partial_locked(struct kmem_cache *cache, struct page *slab, bool tail)
{
	if (tail)
		list_add_tail(&slab->lru, &cache->partial);
	else
		list_add(&slab->lru, &cache->partial);
	slab->on_partial = 1;
	cache->nr_partial++;
}

void slab_remove_partial_locked(struct kmem_cache *cache, struct page *slab)
{
	list_del(&slab->lru);
	slab->on_partial = 0;
	cache->nr_partial--;
}

void slab_enlist_locked(struct kmem_cache *cache, struct page *slab)
{
	cache->nr_slabs++;
	cache->slabs_created++;
	slab_add_partial_locked(cache, slab, false);
}

void slab_retire_locked(struct kmem_cache *cache, struct page *slab, struct list_head *empty)
{
	slab_remove_partial_locked(cache, slab);
	cache->nr_slabs--;
	cache->slabs_freed++;
	list_add(&slab->lru, empty);
}

/* Up to n free objects of the slab; there is at least one. */
static unsigned int take_from_slab_locked(struct kmem_cache *cache, struct page *slab,
					  void **objects, unsigned int n)
{
	char *base = page_address(slab);
	unsigned int taken = 0;

	while (taken < n && slab->freelist) {
		objects[taken] = slab->freelist;
		if (unlikely(!object_is_free(cache, slab, objects[taken])))
			slab_report_bad_link(cache, slab);
		slab->freelist = *object_link(cache, objects[taken]);
		taken++;
	}
	while (taken < n && slab->carved < slab->objects) {
		if (slab->carved == slab->opened)
			open_page(cache, slab);
		objects[taken++] = base + (size_t)slab->carved++ * cache->size;
	}
	slab->inuse = (uint16_t)(slab->inuse + taken);
	cache->nr_inuse += taken;
	if (slab->inuse == slab->objects && slab->on_partial)
		slab_remove_partial_locked(cache, slab);
	return taken;
}

static unsigned int take_from_partial_locked(struct kmem_cache *cache, void **objects,
					     unsigned int n)
{
	unsigned int taken = 0;

	while (taken < n && !list_empty(&cache->partial)) {
		struct page *slab = list_first_entry(&cache->partial, struct page, lru);

		taken += take_from_slab_locked(cache, slab, objects + taken, n - taken);
	}
	return taken;
}

/*
 * One object back into its slab. A slab that has become empty and is not needed
 * goes on the list `empty`.
 */
static void give_to_slab_locked(struct kmem_cache *cache, void *object, struct list_head *empty)
{
	struct page *slab = slab_of(cache, object);

	*object_link(cache, object) = slab->freelist;
	slab->freelist = object;
	slab->inuse--;
	cache->nr_inuse--;
	if (!slab->on_partial)
		slab_add_partial_locked(cache, slab, false);
	if (!slab->inuse && cache->nr_partial > cache->min_partial)
		slab_retire_locked(cache, slab, empty);
}

/*
 * Leaves objects to whoever takes the lock next. The list is only ever pushed to
 * and taken as a whole, so a head that is the same again heads the same list.
 */
void slab_defer_objects(struct kmem_cache *cache, void **objects, unsigned int n)
{
	void *head = atomic_load_relaxed(&cache->deferred);

	for (unsigned int i = 1; i < n; i++)
		*object_link(cache, objects[i - 1]) = objects[i];
	do {
		*object_link(cache, objects[n - 1]) = head;
		/* pairs with slab_return_deferred_locked(): the links */
	} while (!atomic_cas_release(&cache->deferred, &head, objects[0]));
}

void slab_return_deferred_locked(struct kmem_cache *cache, struct list_head *empty)
{
	void *next, *object;

	if (likely(!atomic_load_relaxed(&cache->deferred)))
		return;
	/* pairs with slab_defer_objects() */
	object = atomic_exchange_acquire(&cache->deferred, NULL);
	for (; object; object = next) {
		next = *object_link(cache, object);
		if (!cache_is_debugged(cache))
			give_to_slab_locked(cache, object, empty);
		else if (!slab_debug_give_deferred_locked(cache, object, empty))
			break;
	}
}

void slab_discard_list(struct kmem_cache *cache, struct list_head *slabs)
{
	struct page *slab, *next;

	list_for_each_entry_safe(slab, next, slabs, lru)
		discard_slab(cache, slab);
}

/* --- Between sheaves and slabs ------------------------------------------ */

/* Up to n objects of a slab that has just been made. */
static unsigned int take_from_new(struct kmem_cache *cache, struct page *slab, void **objects,
				  unsigned int n)
{
	unsigned int taken;

	lock_acquire(&cache->lock);
	slab_enlist_locked(cache, slab);
	taken = take_from_slab_locked(cache, slab, objects, n);
	cache->objects_up += taken;
	lock_release(&cache->lock);
	return taken;
}

unsigned int slab_take_objects(struct kmem_cache *cache, gfp_t gfp, void **objects,
			       unsigned int n)
{
	struct page *slab;
	unsigned int taken;
	LIST_HEAD(empty);

	if (!lock_acquire_in_order(&cache->lock))
		return 0;
	cache->refills++;
	slab_return_deferred_locked(cache, &empty);
	taken = take_from_partial_locked(cache, objects, n);
	cache->objects_up += taken;
	lock_release(&cache->lock);
	slab_discard_list(cache, &empty);
	if (taken)
		return taken;

	slab = slab_new(cache, gfp);
	return slab ? take_from_new(cache, slab, objects, n) : 0;
}

void slab_return_objects(struct kmem_cache *cache, void **objects, unsigned int n)
{
	LIST_HEAD(empty);

	if (!lock_acquire_in_order(&cache->lock)) {
		slab_defer_objects(cache, objects, n);
		return;
	}
	cache->flushes++;
	slab_return_deferred_locked(cache, &empty);
	for (unsigned int i = 0; i < n; i++)
		give_to_slab_locked(cache, objects[i], &empty);
	lock_release(&cache->lock);
	slab_discard_list(cache, &empty);
}

void *slab_alloc_slow(struct kmem_cache *cache, gfp_t gfp, size_t size, const void *caller)
{
	void *objects[SLAB_BATCH_MAX];
	unsigned int taken, put;
	void *object;

	if (slab_init() || (slab_failslab_is_armed() && should_failslab(cache, gfp)))
		return NULL;
	if (cache_is_debugged(cache))
		return slab_debug_alloc(cache, gfp, size, caller);
	/* The fast path tried once; that may have been aborted, or need the lock. */
	object = percpu_pop(cache->own_sheaf);
	if (object)
		goto out;
	taken = slab_take_objects(cache, gfp, objects, batch_of(cache));
	if (!taken)
		return NULL;
	taken--;
	percpu_array_prepare(cache->own_sheaf, cache->sheaf_limit);
	put = percpu_push_n(cache->own_sheaf, objects, taken);
	if (put < taken)
		slab_return_objects(cache, objects + put, taken - put);
	object = objects[taken];
out:
	*object_mark(object, cache->mark_offset) = 0;
	return object;
}

/* --- Objects of a node ---------------------------------------------------- */

static bool is_of_node(const void *object, int nid)
{
	return page_zone(virt_to_page(object))->node == (unsigned int)nid;
}

/* What the sheaf hands out first, if it is of the node. */
static void *take_cached_of_node(struct kmem_cache *cache, int nid)
{
	void *object = percpu_pop(cache->sheaf);

	if (!object || is_of_node(object, nid))
		return object;
	if (!percpu_push(cache->sheaf, object))
		slab_return_objects(cache, &object, 1);
	return NULL;
}

/* From one of the first partial slabs. */
static void *take_partial_of_node(struct kmem_cache *cache, int nid)
{
	unsigned int looked = 0;
	void *object = NULL;
	struct page *slab;
	LIST_HEAD(empty);

	if (!lock_acquire_in_order(&cache->lock))
		return NULL;
	slab_return_deferred_locked(cache, &empty);
	list_for_each_entry(slab, &cache->partial, lru) {
		if (looked++ == NODE_SLABS_LOOKED_AT)
			break;
		if (!is_of_node(page_address(slab), nid))
			continue;
		take_from_slab_locked(cache, slab, &object, 1);
		break;
	}
	lock_release(&cache->lock);
	slab_discard_list(cache, &empty);
	return object;
}

/* Without __GFP_THISNODE only what is to be had at once. cf. Linux mm/slub.c: ___slab_alloc() */
static void *take_new_of_node(struct kmem_cache *cache, gfp_t gfp, int nid)
{
	void *object = NULL;
	struct page *slab;

	if (!(gfp & __GFP_THISNODE))
		gfp = GFP_NOWAIT | __GFP_NOWARN | __GFP_THISNODE;
	slab = slab_new_at(cache, gfp, nid);
	if (slab)
		take_from_new(cache, slab, &object, 1);
	return object;
}

void *slab_alloc_node(struct kmem_cache *cache, gfp_t gfp, int nid, size_t size,
		      const void *caller)
{
	void *object = NULL;

	if (slab_init())
		return NULL;
	if (nid < 0 || nid >= (int)nr_online_nodes || nr_online_nodes == 1 ||
	    !NODE_DATA(nid)->node_zonelists[ZONELIST_NOFALLBACK].refs->zone ||
	    cache_is_debugged(cache))
		return slab_alloc_slow(cache, gfp, size, caller);
	object = take_cached_of_node(cache, nid);
	if (!object)
		object = take_partial_of_node(cache, nid);
	if (!object && lock_none_held())
		object = take_new_of_node(cache, gfp, nid);
	if (!object)
		return gfp & __GFP_THISNODE ? NULL : slab_alloc_slow(cache, gfp, size, caller);
	*object_mark(object, cache->mark_offset) = 0;
	return object;
}

/* --- Giving back ---------------------------------------------------------- */

void slab_free_slow(struct kmem_cache *cache, void *object)
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

void slab_drain_all(struct kmem_cache *cache)
{
	for (unsigned int slot = 0; cache->own_sheaf && slot < percpu_nr_slots(); slot++) {
		struct percpu_array *sheaf = percpu_ptr(cache->own_sheaf, slot);

		if (sheaf->count)
			slab_return_objects(cache, sheaf->items, sheaf->count);
		sheaf->count = 0;
	}
}

unsigned long slab_free_empty(struct kmem_cache *cache)
{
	struct page *slab, *next;
	unsigned long remaining;
	LIST_HEAD(empty);

	lock_acquire(&cache->lock);
	slab_return_deferred_locked(cache, &empty);
	list_for_each_entry_safe(slab, next, &cache->partial, lru)
		if (!slab->inuse)
			slab_retire_locked(cache, slab, &empty);
	remaining = cache->nr_slabs;
	lock_release(&cache->lock);
	slab_discard_list(cache, &empty);
	return remaining;
}

bool slab_object_is_free(const struct kmem_cache *cache, const struct page *slab,
			 const void *object)
{
	void *free_object = slab->freelist;

	while (free_object && free_object != object)
		free_object = *object_link(cache, free_object);
	return free_object != NULL;
}

unsigned long slab_cached_objects(const struct kmem_cache *cache)
{
	unsigned long cached = 0;

	for (unsigned int slot = 0; cache->own_sheaf && slot < percpu_nr_slots(); slot++) {
		const struct percpu_array *sheaf = percpu_ptr(cache->own_sheaf, slot);
		int32_t count = (int32_t)atomic_load_relaxed(&sheaf->count);

		/* A sheaf that somebody has stopped (percpu/remote.h) has less than none. */
		cached += (unsigned long)max(count, 0);
	}
	return cached;
}
