/* SPDX-License-Identifier: MIT */
/*
 * quicklist: per-CPU stacks of pages in a known state.
 *
 * 1. Purpose. usermm/quicklist.h has the contract; the work is done by the
 *    per-CPU list of the percpu layer, one for each cache and CPU. The numbered
 *    lists of seed 3 are caches like others, but for who names ctor and dtor.
 *    caches.c makes and ends caches, trim.c takes pages off them, debug.c verifies.
 * 2. What it must not know: what the state of a page means, or how the page
 *    allocator keeps its pages; slab.
 * 3. States of a page: in use (its user's) -> on a list (in the known state but
 *    for its first word, which links) -> in use, or back to the page allocator.
 *    A page on a list keeps its one reference.
 * 4. Who may touch what: a list belongs to its slot (percpu.h). Whoever takes
 *    pages off other slots' lists holds RANK_QUICKLISTS.
 * 5. Differences from Linux: a list ends at 65535 pages; which CPU's list a page
 *    comes from is settled by a restartable sequence, not by disabling
 *    preemption; there is one node, so every page is a local one.
 * 6. Failure: a page that cannot go on a list goes to the page allocator.
 *
 * What is rare makes the list look empty and full: `fast` is NULL before the
 * numbered lists are brought up, and with quicklist_debug for ever; also where no page can
 * be kept (quicklist_keeps_pages()).
 */
#include "base/check.h"
#include "mm/memmap.h"
#include "quicklist/cache.h"

static slow_path void *alloc_slow(struct quicklist_cache *cache, gfp_t flags,
				  void (*ctor)(void *page))
{
	void *page;

	if (unlikely(quicklist_debugging(cache))) {
		page = quicklist_debug_alloc(cache);
		if (page)
			return page;
	}
	page = (void *)get_zeroed_page(flags);
	if (!page)
		return NULL;
	atomic_add_relaxed(&cache->misses, 1);
	if (ctor) {
		atomic_store_relaxed(&cache->has_ctor, true);
		ctor(page);
	}
	return page;
}

/* The operations on a list order by themselves what else they read. */
static __always_inline void *alloc(struct percpu_list *const *fast, struct quicklist_cache *cache,
				   gfp_t flags, void (*ctor)(void *page))
{
	void *page = percpu_list_pop(atomic_load_relaxed(fast));

	if (unlikely(!page))
		return alloc_slow(cache, flags, ctor);
	*(void **)page = NULL;
	return page;
}

void quicklist_return(struct quicklist_cache *cache, void (*dtor)(void *page), void *page)
{
	*(void **)page = NULL;	/* the list's link, or what a push that failed left */
	if (dtor)
		dtor(page);
	atomic_add_relaxed(&cache->returned, 1);
	free_page((unsigned long)page);
}

static slow_path void free_slow(struct quicklist_cache *cache, void (*dtor)(void *page), void *page)
{
	bool pushed;

	/* The first free of all brings up the numbered lists. */
	if (!atomic_load_acquire(&cache->lists) && !quicklist_bring_up_numbered())
		pushed = false;
	else if (quicklist_debugging(cache))
		pushed = quicklist_debug_free(cache, page);
	else
		pushed = quicklist_push(cache, page);
	if (!pushed)
		quicklist_return(cache, dtor, page);
}

static __always_inline void give(struct percpu_list *const *fast, struct quicklist_cache *cache,
				 void (*dtor)(void *page), void *page)
{
	struct percpu_list *list = atomic_load_relaxed(fast);

	CHECK(mm_is_online(page) && !((unsigned long)page & ~PAGE_MASK),
	      "quicklist_free of %p, which is not the address of a page", page);
	if (unlikely(!list || !percpu_list_push(list, page)))
		free_slow(cache, dtor, page);
}

/* --- By number. ------------------------------------------------------------ */

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

/* --- By handle. ------------------------------------------------------------- */

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
