/* SPDX-License-Identifier: MIT */
/* Making and ending caches; what they have counted. */
#include <string.h>

#include "os/lock.h"
#include "os/once.h"
#include "page/zone.h"
#include "quicklist/cache.h"

struct quicklist_cache quicklist_numbers[CONFIG_NR_QUICK];
struct percpu_list *quicklist_numbers_fast[CONFIG_NR_QUICK];

/* Sync: lock */
static struct {
	struct lock lock;		/* RANK_QUICKLISTS */
	struct list_head all;		/* through link */
	struct list_head unused;	/* through link: made of pages that are kept */
} caches;

static struct once caches_once, numbered_once;

#define CACHES_PER_PAGE (PAGE_SIZE / sizeof(struct quicklist_cache))

static int bring_up(void)
{
	if (page_init())
		return -1;
	lock_init(&caches.lock, RANK_QUICKLISTS);
	INIT_LIST_HEAD(&caches.all);
	INIT_LIST_HEAD(&caches.unused);
	return 0;
}

static void publish(struct quicklist_cache *cache, struct percpu_list **fast,
		    struct percpu_list *lists)
{
	if (!percpu_has_sequences())
		page_keep_mapped();
	/* pairs with quicklist_slot_pages() */
	atomic_store_release(&cache->lists, lists);
	if (options.quicklist_debug == QUICKLIST_DEBUG_OFF && quicklist_keeps_pages())
		atomic_store_release(fast, lists);
}

static int bring_up_numbered(void)
{
	static const char *const names[] = { "quicklist-0", "quicklist-1", "quicklist-2",
					     "quicklist-3" };
	struct percpu_list *piece;

	_Static_assert(ARRAY_SIZE(names) == CONFIG_NR_QUICK, "one name for each");
	if (!once_run(&caches_once, bring_up))
		return -1;
	piece = percpu_alloc(CONFIG_NR_QUICK * sizeof(*piece), CACHE_LINE_BYTES);
	if (!piece)
		return -1;
	lock_acquire(&caches.lock);
	for (int nr = 0; nr < CONFIG_NR_QUICK; nr++) {
		quicklist_numbers[nr].name = names[nr];
		list_add_tail(&quicklist_numbers[nr].link, &caches.all);
		publish(&quicklist_numbers[nr], &quicklist_numbers_fast[nr], piece + nr);
	}
	lock_release(&caches.lock);
	return 0;
}

bool quicklist_bring_up_numbered(void)
{
	return once_run(&numbered_once, bring_up_numbered);
}

bool quicklist_lock(void)
{
	if (!once_done(&caches_once))
		return false;
	return lock_acquire_in_order(&caches.lock);
}

void quicklist_unlock(void)
{
	lock_release(&caches.lock);
}

unsigned long quicklist_for_each(unsigned long (*visit)(struct quicklist_cache *cache))
{
	struct quicklist_cache *cache;
	unsigned long sum = 0;

	if (!quicklist_lock())
		return 0;
	list_for_each_entry(cache, &caches.all, link)
		sum += visit(cache);
	quicklist_unlock();
	return sum;
}

/* --- Caches of one's own. --------------------------------------------------- */

/* Room for one more, from a page that is kept for ever. NULL without memory. */
static struct quicklist_cache *get_unused(void)
{
	struct quicklist_cache *cache = NULL, *page;

	lock_acquire(&caches.lock);
	if (list_empty(&caches.unused)) {
		lock_release(&caches.lock);
		page = (void *)get_zeroed_page(GFP_KERNEL);
		lock_acquire(&caches.lock);
		for (unsigned int i = 0; page && i < CACHES_PER_PAGE; i++)
			list_add(&page[i].link, &caches.unused);
	}
	if (!list_empty(&caches.unused)) {
		cache = list_first_entry(&caches.unused, struct quicklist_cache, link);
		list_del(&cache->link);
	}
	lock_release(&caches.lock);
	return cache;
}

static void put_unused(struct quicklist_cache *cache)
{
	memset(cache, 0, sizeof(*cache));
	lock_acquire(&caches.lock);
	list_add(&cache->link, &caches.unused);
	lock_release(&caches.lock);
}

struct quicklist_cache *quicklist_cache_create(const char *name, void (*ctor)(void *page),
					       void (*dtor)(void *page))
{
	struct quicklist_cache *cache;
	struct percpu_list *lists;

	if (!once_run(&caches_once, bring_up))
		return NULL;
	cache = get_unused();
	if (!cache)
		return NULL;
	lists = percpu_alloc(sizeof(*lists), CACHE_LINE_BYTES);
	if (!lists) {
		put_unused(cache);
		return NULL;
	}
	cache->name = name;
	cache->ctor = ctor;
	cache->dtor = dtor;
	cache->has_ctor = ctor;
	publish(cache, &cache->fast, lists);
	lock_acquire(&caches.lock);
	list_add_tail(&cache->link, &caches.all);
	lock_release(&caches.lock);
	return cache;
}

void quicklist_cache_destroy(struct quicklist_cache *cache)
{
	if (!cache)
		return;
	lock_acquire(&caches.lock);
	list_del(&cache->link);
	lock_release(&caches.lock);
	/* Nobody uses them, so they need not be stopped. */
	for (unsigned int slot = 0; slot < percpu_nr_slots(); slot++) {
		struct percpu_list *list = percpu_ptr(cache->lists, slot);
		unsigned long head = list->head;

		list->head = 0;
		while (percpu_list_top(head)) {
			void *page = percpu_list_top(head);

			head = *(unsigned long *)page;
			quicklist_debug_forget(page);
			quicklist_return(cache, cache->dtor, page);
		}
	}
	percpu_free(cache->lists, sizeof(*cache->lists));
	put_unused(cache);
}

/* --- What they have counted. ------------------------------------------------- */

unsigned long quicklist_slot_pages(const struct quicklist_cache *cache, unsigned int slot)
{
	/* pairs with publish(): the slots are there */
	const struct percpu_list *list = atomic_load_acquire(&cache->lists);
	unsigned long head;

	if (!list)
		return 0;
	list = percpu_ptr(list, slot);
	head = atomic_load_relaxed(&list->head);
	/* One that is being emptied has a number and no item. */
	return percpu_list_top(head) ? percpu_list_nr(head) : 0;
}

unsigned long quicklist_pages(struct quicklist_cache *cache)
{
	unsigned long pages = 0;

	for (unsigned int slot = 0; slot < percpu_nr_slots(); slot++)
		pages += quicklist_slot_pages(cache, slot);
	return pages;
}

unsigned long quicklist_total_size(void)
{
	return quicklist_for_each(quicklist_pages);
}

void quicklist_cache_stats(const struct quicklist_cache *cache, struct quicklist_stats *stats)
{
	stats->pages = quicklist_pages((struct quicklist_cache *)cache);
	stats->misses = atomic_load_relaxed(&cache->misses);
	stats->returned = atomic_load_relaxed(&cache->returned);
	stats->trimmed = atomic_load_relaxed(&cache->trimmed);
	stats->hits = atomic_load_relaxed(&cache->hits);
}

void quicklist_stats(int nr, struct quicklist_stats *stats)
{
	quicklist_check_number(nr);
	quicklist_cache_stats(&quicklist_numbers[nr], stats);
}
