/* SPDX-License-Identifier: MIT */
/*
 * quicklist: per-CPU stacks of pages in a known state.
 *
 * 1. Purpose. usermm/quicklist.h has the contract. A cache has a per-CPU list of the
 *    percpu layer for each CPU. The numbered lists of seed 3 are caches, too, but each
 *    call names ctor and dtor. caches.c makes and destroys caches, trim.c takes pages off
 *    a CPU's own list, shrink.c off all CPUs' lists when memory is short, debug.c verifies.
 * 2. What it must not know: what the state of a page means, how the page allocator
 *    keeps its pages, and the slab layer.
 * 3. States of a page: in use (its user's) -> on a list (in the known state, except
 *    the first word, which is the link) -> in use, or back to the page allocator.
 *    A page on a list keeps its one reference.
 * 4. Who may touch what: a list belongs to its slot (percpu.h). To take pages off
 *    other slots' lists a thread must hold RANK_QUICKLISTS.
 * 5. Differences from Linux. A list holds at most 65535 pages. A restartable sequence
 *    decides which CPU's list is used; preemption is not disabled. A shrinker frees the
 *    lists' pages before a request fails. It needs a dtor, and the numbered lists have none
 *    of their own, so the last one that a slow path saw is kept. With several nodes a page's
 *    node is also checked at allocation: a thread that moves to another CPU while it frees a
 *    page may put it on a list of another node.
 * 6. Failure: a page that cannot go on a list goes to the page allocator.
 *
 * Rare cases make a list look empty and full to the fast paths, since `fast` is NULL: before a
 * numbered list's first free, and always with quicklist_debug, with several nodes, or if lists may
 * hold no pages (quicklist_keeps_pages()).
 */
#include "base/check.h"
#include "mm/memmap.h"
#include "page/pageblock.h"
#include "quicklist/cache.h"

/* Does the page belong to the node of the CPU that the thread runs on? */
static bool is_local(const void *page)
{
	return nr_online_nodes == 1 || page_zone(virt_to_page(page))->node == numa_node_id();
}

/* Takes a page off a list that the fast path may not use. */
static void *pop_slow(struct quicklist_cache *cache)
{
	/* pairs with bring_up_numbered() in caches.c: the slots' memory */
	struct percpu_list *lists = atomic_load_acquire(&cache->lists);
	void *page;

	while (lists && (page = percpu_list_pop(lists))) {
		quicklist_unmark(page);
		if (!is_local(page)) {
			quicklist_return(cache, atomic_load_relaxed(&cache->dtor), page);
			continue;
		}
		quicklist_verify_hit(cache, page);
		if (quicklist_debugging())
			quicklist_count(&cache->counts.hits);
		*(void **)page = NULL;
		return page;
	}
	return NULL;
}

/* Calls the constructor. False if it failed; then a warning says so. */
static bool construct(struct quicklist_cache *cache, void (*ctor)(void *page), void *page)
{
	int error = 0;

	if (!ctor && !cache->try_ctor)
		return true;
	quicklist_count(&cache->counts.ctors);
	if (ctor) {
		if (!atomic_load_relaxed(&cache->has_ctor))
			atomic_store_relaxed(&cache->has_ctor, true);
		ctor(page);
	} else {
		error = cache->try_ctor(page);
	}
	if (error)
		report_warning("quicklist '%s': ctor fails with %d for page %p, so the allocation "
			       "does", cache->name, error, page);
	else
		quicklist_verify_ctor(cache, page);
	return !error;
}

static slow_path void *alloc_slow(struct quicklist_cache *cache, gfp_t flags,
				  void (*ctor)(void *page))
{
	void *page;

	if (!quicklist_may_be_fast()) {
		page = pop_slow(cache);
		if (page)
			return page;
	}
	page = (void *)get_zeroed_page(flags);
	if (!page)
		return NULL;
	quicklist_count(&cache->counts.misses);
	if (construct(cache, ctor, page))
		return page;
	quicklist_count(&cache->counts.returned);
	free_page((unsigned long)page);
	return NULL;
}

static __always_inline void *alloc(struct percpu_list *const *fast, struct quicklist_cache *cache,
				   gfp_t flags, void (*ctor)(void *page))
{
	/* pairs with publish(): the lists' memory */
	void *page = percpu_list_pop(atomic_load_acquire(fast));

	if (unlikely(!page))
		return alloc_slow(cache, flags, ctor);
	*(void **)page = NULL;
	return page;
}

void quicklist_return(struct quicklist_cache *cache, void (*dtor)(void *page), void *page)
{
	*(void **)page = NULL;	/* the link; a push that failed may have written it, too */
	if (dtor) {
		quicklist_count(&cache->counts.dtors);
		dtor(page);
	}
	quicklist_count(&cache->counts.returned);
	free_page((unsigned long)page);
}

/* From now on fast paths may use the lists, unless quicklist_may_be_fast() forbids it. */
static void publish(struct quicklist_cache *cache, struct percpu_list *lists)
{
	struct percpu_list **fast = &cache->fast;

	if (cache >= quicklist_numbers && cache < quicklist_numbers + CONFIG_NR_QUICK)
		fast = &quicklist_numbers_fast[cache - quicklist_numbers];
	/* pairs with alloc() and give(): the lists' memory */
	if (quicklist_may_be_fast())
		atomic_store_release(fast, lists);
}

static bool push_slow(struct quicklist_cache *cache, void *page)
{
	struct percpu_list *lists;

	/* The first free in the process brings up the numbered lists. (The next load acquires.) */
	if (!atomic_load_relaxed(&cache->lists) && !quicklist_bring_up_numbered())
		return false;
	/* pairs with bring_up_numbered() in caches.c: the slots' memory */
	lists = atomic_load_acquire(&cache->lists);
	publish(cache, lists);
	if (!is_local(page))
		return false;
	quicklist_mark(page);
	if (quicklist_keeps_pages() && percpu_list_push(lists, page))
		return true;
	quicklist_unmark(page);
	return false;
}

static slow_path void free_slow(struct quicklist_cache *cache, void (*dtor)(void *page), void *page)
{
	quicklist_verify_free(cache, page);
	if (dtor && dtor != atomic_load_relaxed(&cache->dtor))
		atomic_store_relaxed(&cache->dtor, dtor);
	if (!push_slow(cache, page))
		quicklist_return(cache, dtor, page);
}

static __always_inline void give(struct percpu_list *const *fast, struct quicklist_cache *cache,
				 void (*dtor)(void *page), void *page)
{
	/* pairs with publish(): the lists' memory */
	struct percpu_list *list = atomic_load_acquire(fast);

	CHECK(mm_is_online(page) && !((unsigned long)page & ~PAGE_MASK),
	      "quicklist_free of %p, which is not the address of a page", page);
	if (unlikely(!list || !percpu_list_push(list, page)))
		free_slow(cache, dtor, page);
}

/* --- By number ------------------------------------------------------------- */

void *quicklist_alloc(int nr, gfp_t flags, void (*ctor)(void *page))
{
	quicklist_check_number(nr);
	return alloc(&quicklist_numbers_fast[nr], &quicklist_numbers[nr], flags, ctor);
}

void quicklist_free(int nr, void (*dtor)(void *page), void *page)
{
	quicklist_check_number(nr);
	give(&quicklist_numbers_fast[nr], &quicklist_numbers[nr], dtor, page);
}

void quicklist_free_page(int nr, void (*dtor)(void *page), struct page *page)
{
	quicklist_free(nr, dtor, page_address(page));
}

/* --- By handle -------------------------------------------------------------- */

void *quicklist_cache_alloc(struct quicklist_cache *cache, gfp_t flags)
{
	return alloc(&cache->fast, cache, flags, cache->ctor);
}

void quicklist_cache_free(struct quicklist_cache *cache, void *page)
{
	give(&cache->fast, cache, cache->dtor, page);
}

unsigned int quicklist_cache_alloc_bulk(struct quicklist_cache *cache, gfp_t flags,
					unsigned int nr, void **pages)
{
	for (unsigned int i = 0; i < nr; i++) {
		pages[i] = alloc(&cache->fast, cache, flags, cache->ctor);
		if (unlikely(!pages[i]))
			return i;
	}
	return nr;
}

void quicklist_cache_free_bulk(struct quicklist_cache *cache, unsigned int nr,
			       void *const *pages)
{
	for (unsigned int i = 0; i < nr; i++)
		give(&cache->fast, cache, cache->dtor, pages[i]);
}
