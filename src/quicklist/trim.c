/* SPDX-License-Identifier: MIT */
/* Pages off the lists: a CPU's own by the rule of seed 3, all of them under pressure. */
#include "page/zone.h"
#include "percpu/remote.h"
#include "quicklist/cache.h"

/* cf. Linux FRACTION_OF_NODE_MEM */
#define FRACTION_OF_FREE_PAGES 16

/* Pages of this CPU's list that are too many, at most max_free. */
static unsigned long pages_to_free(const struct quicklist_cache *cache, unsigned long min_pages,
				   unsigned long max_free)
{
	int slot = percpu_current_slot();
	unsigned long pages, keep;

	if (slot < 0)
		return 0;
	pages = quicklist_slot_pages(cache, (unsigned int)slot);
	keep = max(nodes_free_pages() / FRACTION_OF_FREE_PAGES, min_pages);
	if (pages <= min_pages || pages <= keep)
		return 0;
	return min(pages - keep, max_free);
}

static void trim_page(struct quicklist_cache *cache, void (*dtor)(void *page), void *page)
{
	quicklist_debug_forget(page);
	atomic_add_relaxed(&cache->trimmed, 1);
	quicklist_return(cache, dtor, page);
}

static unsigned long trim(struct quicklist_cache *cache, void (*dtor)(void *page),
			  unsigned long min_pages, unsigned long max_free)
{
	unsigned long nr = pages_to_free(cache, min_pages, max_free);

	for (unsigned long i = 0; i < nr; i++) {
		void *page = percpu_list_pop(cache->lists);

		if (!page)	/* moved to another CPU meanwhile */
			return i;
		trim_page(cache, dtor, page);
	}
	return nr;
}

void quicklist_trim(int nr, void (*dtor)(void *page), unsigned long min_pages,
		    unsigned long max_free)
{
	quicklist_check_number(nr);
	trim(&quicklist_numbers[nr], dtor, min_pages, max_free);
}

unsigned long quicklist_cache_trim(struct quicklist_cache *cache, unsigned long min_pages,
				   unsigned long max_free)
{
	return trim(cache, cache->dtor, min_pages, max_free);
}

/* The head of one slot's list, which is empty then; 0 if it could not be had. */
static unsigned long detach(struct quicklist_cache *cache, unsigned int slot)
{
	struct percpu_stopped_list stopped;
	unsigned long head;

	if (!quicklist_slot_pages(cache, slot) ||
	    percpu_stop_list(cache->lists, slot, &stopped))
		return 0;
	head = stopped.head;
	stopped.head = 0;
	percpu_start_list(&stopped);
	return head;
}

static unsigned long free_chain(struct quicklist_cache *cache, unsigned long head)
{
	unsigned long nr = 0;

	for (void *page; (page = percpu_list_top(head)); nr++) {
		head = *(unsigned long *)page;
		trim_page(cache, cache->dtor, page);
	}
	return nr;
}

static unsigned long free_own(struct quicklist_cache *cache)
{
	unsigned long nr = 0;

	for (void *page; (page = percpu_list_pop(cache->lists)); nr++)
		trim_page(cache, cache->dtor, page);
	return nr;
}

unsigned long quicklist_cache_shrink(struct quicklist_cache *cache)
{
	unsigned long nr = free_own(cache);

	if (!percpu_can_stop())
		return nr;
	for (unsigned int slot = 0; slot < percpu_nr_slots(); slot++) {
		unsigned long head;

		/* Not held while dtor runs. */
		if (!quicklist_lock())
			break;
		head = detach(cache, slot);
		quicklist_unlock();
		nr += free_chain(cache, head);
	}
	return nr;
}
