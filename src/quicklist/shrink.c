/* SPDX-License-Identifier: MIT */
/*
 * Takes pages off the lists of all CPUs: on request, and when memory is short.
 *
 * Another CPU's list is stopped (percpu/remote.h), some items are cut off its top, and the list
 * is started again. dtor and free follow after the lock is released.
 */
#include "os/lock.h"
#include "percpu/remote.h"
#include "quicklist/cache.h"
#include "usermm/shrinker.h"

/* The topmost nr items of a list. The last one's link still leads into the list. */
struct chain {
	unsigned long head, nr;
};

/* Cuts at most max items off; none if the list could not be stopped. */
static struct chain cut_locked(struct quicklist_cache *cache, unsigned int slot, unsigned long max)
{
	struct percpu_stopped_list stopped;
	struct chain chain = { 0, 0 };

	if (!quicklist_slot_pages(cache, slot) ||
	    percpu_stop_list(cache->lists, slot, &stopped))
		return chain;
	chain.head = stopped.head;
	while (chain.nr < max && percpu_list_top(stopped.head)) {
		stopped.head = *(unsigned long *)percpu_list_top(stopped.head);
		chain.nr++;
	}
	percpu_start_list(&stopped);
	return chain;
}

static unsigned long free_chain(struct quicklist_cache *cache, struct chain chain)
{
	void (*dtor)(void *page) = atomic_load_relaxed(&cache->dtor);

	for (unsigned long i = 0; i < chain.nr; i++) {
		void *page = percpu_list_top(chain.head);

		chain.head = *(unsigned long *)page;
		quicklist_trim_page(cache, dtor, page);
	}
	return chain.nr;
}

static unsigned long free_own(struct quicklist_cache *cache, unsigned long max)
{
	void (*dtor)(void *page) = atomic_load_relaxed(&cache->dtor);
	unsigned long nr = 0;

	for (void *page; nr < max && (page = percpu_list_pop(cache->lists)); nr++)
		quicklist_trim_page(cache, dtor, page);
	return nr;
}

/* Begins with this CPU's list, which need not be stopped. */
static unsigned long shrink(struct quicklist_cache *cache, unsigned long max)
{
	unsigned long nr = free_own(cache, max);

	if (!percpu_can_stop())
		return nr;
	for (unsigned int slot = 0; nr < max && slot < percpu_nr_slots(); slot++) {
		struct chain chain;

		if (!quicklist_lock())
			break;
		chain = cut_locked(cache, slot, max - nr);
		quicklist_unlock();
		nr += free_chain(cache, chain);
	}
	return nr;
}

unsigned long quicklist_cache_shrink(struct quicklist_cache *cache)
{
	return shrink(cache, ~0UL);
}

/* --- The shrinker ----------------------------------------------------------------- */

static unsigned long own_pages(struct quicklist_cache *cache)
{
	int slot = percpu_current_slot();

	return slot < 0 ? 0 : quicklist_slot_pages(cache, (unsigned int)slot);
}

static unsigned long count_pages(struct shrinker *shrinker, struct shrink_control *control)
{
	unsigned long nr = quicklist_for_each(percpu_can_stop() ? quicklist_pages : own_pages);

	(void)shrinker;
	(void)control;
	return nr ? nr : SHRINK_EMPTY;
}

static unsigned long scan_pages(struct shrinker *shrinker, struct shrink_control *control)
{
	struct quicklist_cache *cache = NULL;
	unsigned long freed = 0;

	(void)shrinker;
	/*
	 * The walk goes on to the last cache, as quicklist_next_to_shrink() requires, even if
	 * enough was freed before: shrink(cache, 0) frees nothing.
	 */
	while ((cache = quicklist_next_to_shrink(cache)))
		freed += shrink(cache, control->nr_to_scan - freed);
	control->nr_scanned = control->nr_to_scan;
	return freed ? freed : SHRINK_STOP;
}

/* One shrinker for all nodes, since one node's CPUs have few lists. */
static struct shrinker pages_shrinker = {
	.count_objects = count_pages,
	.scan_objects = scan_pages,
	.seeks = DEFAULT_SEEKS,
	.flags = SHRINKER_INTERNAL,
	.name = "quicklists",
};

bool quicklist_register_shrinker(void)
{
	return !usermm_register_shrinker(&pages_shrinker);
}
