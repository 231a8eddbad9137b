/* SPDX-License-Identifier: MIT */
/* Making and destroying caches; their counters. */
#include <string.h>

#include "base/fmt.h"
#include "os/lock.h"
#include "os/once.h"
#include "os/os.h"
#include "quicklist/cache.h"

/*
 * How long quicklist_cache_destroy() sleeps before it looks again whether the shrinker has left the
 * cache.
 */
#define LEAVING_POLL_US 50

struct quicklist_cache quicklist_numbers[CONFIG_NR_QUICK] __large_bss;
struct percpu_list *quicklist_numbers_fast[CONFIG_NR_QUICK] __read_mostly;

struct list_head quicklist_caches;

/* Sync: lock */
static struct {
	struct lock lock;		/* RANK_QUICKLISTS */
	struct list_head unused;	/* through link: see make_unused() */
} caches;

static struct once caches_once __read_mostly, numbered_once __read_mostly;

#define CACHES_PER_PAGE (PAGE_SIZE / sizeof(struct quicklist_cache))

static int bring_up(void)
{
	/* The shrinker finds nothing before the layer is up: quicklist_lock() fails. */
	if (page_init() || !quicklist_register_shrinker())
		return -1;
	lock_init(&caches.lock, RANK_QUICKLISTS);
	INIT_LIST_HEAD(&quicklist_caches);
	INIT_LIST_HEAD(&caches.unused);
	if (!percpu_has_sequences())
		page_keep_mapped();	/* see quicklist_keeps_pages() */
	return 0;
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
		list_add_tail(&quicklist_numbers[nr].link, &quicklist_caches);
		/*
		 * pairs with quicklist_slot_pages(), and with pop_slow() and push_slow() in
		 * quicklist.c: the slots' memory
		 */
		atomic_store_release(&quicklist_numbers[nr].lists, piece + nr);
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
	return lock_acquire_unless_handler(&caches.lock);
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
	list_for_each_entry(cache, &quicklist_caches, link)
		sum += visit(cache);
	quicklist_unlock();
	return sum;
}

/* --- Caches by handle ------------------------------------------------------- */

/*
 * A page of caches, and memory in each slot for their lists. Both are never given back. The lists
 * lie side by side, so that caches which one client makes together share a cache line.
 */
static struct quicklist_cache *make_unused(void)
{
	struct quicklist_cache *page = (void *)get_zeroed_page(GFP_KERNEL);
	struct percpu_list *piece;

	if (!page)
		return NULL;
	piece = percpu_alloc(CACHES_PER_PAGE * sizeof(*piece), CACHE_LINE_BYTES);
	if (!piece) {
		free_page((unsigned long)page);
		return NULL;
	}
	for (unsigned int i = 0; i < CACHES_PER_PAGE; i++)
		page[i].lists = piece + i;
	return page;
}

/* An unused cache that has its lists. NULL if there is no memory. */
static struct quicklist_cache *get_unused(void)
{
	struct quicklist_cache *cache = NULL, *page;

	lock_acquire(&caches.lock);
	if (list_empty(&caches.unused)) {
		lock_release(&caches.lock);
		page = make_unused();
		lock_acquire(&caches.lock);
		for (unsigned int i = 0; page && i < CACHES_PER_PAGE; i++)
			list_add_tail(&page[i].link, &caches.unused);
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
	struct percpu_list *lists = cache->lists;

	memset(cache, 0, sizeof(*cache));
	cache->lists = lists;
	lock_acquire(&caches.lock);
	list_add(&cache->link, &caches.unused);
	lock_release(&caches.lock);
}

static struct quicklist_cache *create(const char *name, const struct quicklist_state *state,
				      void (*ctor)(void *page))
{
	struct quicklist_cache *cache;

	if (!once_run(&caches_once, bring_up))
		return NULL;
	cache = get_unused();
	if (!cache)
		return NULL;
	cache->name = name;
	cache->ctor = ctor;
	cache->try_ctor = state->ctor;
	cache->dtor = state->dtor;
	cache->check = state->check;
	cache->has_ctor = ctor || state->ctor;
	if (quicklist_may_be_fast())
		cache->fast = cache->lists;
	lock_acquire(&caches.lock);
	list_add_tail(&cache->link, &quicklist_caches);
	lock_release(&caches.lock);
	return cache;
}

struct quicklist_cache *quicklist_cache_create(const char *name, void (*ctor)(void *page),
					       void (*dtor)(void *page))
{
	const struct quicklist_state state = { .dtor = dtor };

	return create(name, &state, ctor);
}

struct quicklist_cache *quicklist_cache_create_state(const char *name,
						     const struct quicklist_state *state)
{
	return create(name, state, NULL);
}

/* --- The shrinker's way through the caches ------------------------------------- */

/* A fork child does not have the parent's threads, so it starts with a count of 0. */
static unsigned int nr_shrinking_locked(struct quicklist_cache *cache)
{
	if (cache->generation != os_fork_generation) {
		cache->generation = os_fork_generation;
		cache->shrinking = 0;
	}
	return cache->shrinking;
}

struct quicklist_cache *quicklist_next_to_shrink(struct quicklist_cache *at)
{
	struct quicklist_cache *next = NULL;
	struct list_head *entry;

	if (!quicklist_lock())
		return NULL;
	entry = at ? at->link.next : quicklist_caches.next;
	for (; entry != &quicklist_caches && !next; entry = entry->next) {
		next = list_entry(entry, struct quicklist_cache, link);
		if (next->leaving)
			next = NULL;
	}
	if (next) {
		nr_shrinking_locked(next);
		next->shrinking++;
	}
	if (at && nr_shrinking_locked(at))
		at->shrinking--;
	quicklist_unlock();
	return next;
}

/* True if the cache has left the list; then no shrinker uses it now or later. */
static bool try_leave(struct quicklist_cache *cache)
{
	bool leaves;

	lock_acquire(&caches.lock);
	cache->leaving = true;
	leaves = !nr_shrinking_locked(cache);
	if (leaves)
		list_del(&cache->link);
	lock_release(&caches.lock);
	return leaves;
}

void quicklist_cache_destroy(struct quicklist_cache *cache)
{
	if (!cache)
		return;
	while (!try_leave(cache))
		os_sleep_us(LEAVING_POLL_US);
	/* Nobody uses the lists any more, so they need not be stopped. */
	for (unsigned int slot = 0; slot < percpu_nr_slots(); slot++) {
		struct percpu_list *list = percpu_ptr(cache->lists, slot);
		unsigned long head = list->head;

		list->head = 0;
		while (percpu_list_top(head)) {
			void *page = percpu_list_top(head);

			head = *(unsigned long *)page;
			quicklist_unmark(page);
			quicklist_return(cache, cache->dtor, page);
		}
	}
	put_unused(cache);
}

/* --- Pages and counters --------------------------------------------------------------- */

unsigned long quicklist_slot_pages(const struct quicklist_cache *cache, unsigned int slot)
{
	/* pairs with bring_up_numbered(): the slots' memory */
	const struct percpu_list *list = atomic_load_acquire(&cache->lists);
	unsigned long head;

	if (!list)
		return 0;
	list = percpu_ptr(list, slot);
	head = atomic_load_relaxed(&list->head);
	/* A list that is being emptied may have a number but no item. */
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
	stats->misses = atomic_load_relaxed(&cache->counts.misses);
	stats->returned = atomic_load_relaxed(&cache->counts.returned);
	stats->trimmed = atomic_load_relaxed(&cache->counts.trimmed);
	stats->hits = atomic_load_relaxed(&cache->counts.hits);
	stats->ctors = atomic_load_relaxed(&cache->counts.ctors);
	stats->dtors = atomic_load_relaxed(&cache->counts.dtors);
}

void quicklist_stats(int nr, struct quicklist_stats *stats)
{
	quicklist_check_number(nr);
	quicklist_cache_stats(&quicklist_numbers[nr], stats);
}

unsigned int quicklist_lines(struct quicklist_line *lines, unsigned int first, unsigned int max)
{
	struct quicklist_cache *cache;
	unsigned int index = 0, n = 0;

	if (!quicklist_lock())
		return 0;
	list_for_each_entry(cache, &quicklist_caches, link) {
		if (index++ < first)
			continue;
		if (n == max)
			break;
		fmt_format(lines[n].name, sizeof(lines[n].name), "%s", cache->name);
		quicklist_cache_stats(cache, &lines[n++].stats);
	}
	quicklist_unlock();
	return n;
}
