/* SPDX-License-Identifier: MIT */
/* kmem_cache_shrink(): free objects leave the CPUs, empty slabs the cache. */
#include "os/lock.h"
#include "percpu/remote.h"
#include "slab/shrink.h"
#include "slab/slab.h"

/* Slabs with at most so many free objects are sorted; the others stay behind them. */
#define SORTED_FREE_MAX 32

/* One thread at a time stops sheaves. RANK_SHEAVES */
static struct lock sheaves_lock;

void slab_shrink_init(void)
{
	lock_init(&sheaves_lock, RANK_SHEAVES);
}

/* What one CPU's sheaf holds; it goes on empty. */
static unsigned int empty_sheaf(struct percpu_array *sheaf, unsigned int slot, void **objects)
{
	struct percpu_stopped_array stopped;
	unsigned int nr = 0;

	if (!lock_acquire_in_order(&sheaves_lock))
		return 0;
	if (!percpu_stop_array(sheaf, slot, &stopped)) {
		for (; nr < stopped.count; nr++)
			objects[nr] = percpu_stopped_item(&stopped, nr);
		stopped.count = 0;
		percpu_start_array(&stopped);
	}
	lock_release(&sheaves_lock);
	return nr;
}

/* Where other CPUs cannot be stopped, this one's objects are all there is. */
static void empty_sheaves(struct kmem_cache *cache)
{
	void *objects[SHEAF_OBJECTS_MAX] = { NULL };
	unsigned int nr;

	while ((nr = percpu_pop_n(cache->own_sheaf, objects, SHEAF_OBJECTS_MAX)))
		slab_return_objects(cache, objects, nr);
	for (unsigned int slot = 0; cache->own_sheaf && slot < percpu_nr_slots(); slot++) {
		const struct percpu_array *sheaf = percpu_ptr(cache->own_sheaf, slot);

		/* A glance, so that idle CPUs cost nothing. */
		if (!atomic_load_relaxed(&sheaf->count))
			continue;
		nr = empty_sheaf(cache->own_sheaf, slot, objects);
		if (nr)
			slab_return_objects(cache, objects, nr);
	}
}

/*
 * The fullest slabs first, so that new objects fill them up and others become empty. cf.
 * Linux mm/slub.c: __kmem_cache_do_shrink()
 */
static void sort_partial(struct kmem_cache *cache)
{
	struct list_head sorted[SORTED_FREE_MAX];
	struct page *slab, *next;

	for (unsigned int i = 0; i < SORTED_FREE_MAX; i++)
		INIT_LIST_HEAD(&sorted[i]);
	lock_acquire(&cache->lock);
	list_for_each_entry_safe(slab, next, &cache->partial, lru) {
		unsigned int nr_free = (unsigned int)(slab->objects - slab->inuse);

		if (nr_free && nr_free <= SORTED_FREE_MAX)
			list_move(&slab->lru, &sorted[nr_free - 1]);
	}
	for (unsigned int i = SORTED_FREE_MAX; i-- > 0;)
		while (!list_empty(&sorted[i]))
			list_move(sorted[i].next, &cache->partial);
	lock_release(&cache->lock);
}

int kmem_cache_shrink(struct kmem_cache *cache)
{
	unsigned long remaining;

	empty_sheaves(cache);
	if (cache->flags & SLAB_TYPESAFE_BY_RCU)	/* readers may be in any slab */
		return atomic_load_relaxed(&cache->nr_inuse) != 0;
	remaining = slab_free_empty(cache);
	sort_partial(cache);
	return remaining != 0;
}
