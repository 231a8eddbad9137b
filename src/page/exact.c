/* SPDX-License-Identifier: MIT */
#include "page/exact.h"

#include "mm/page_flags.h"
#include "page/hooks.h"
#include "page/pcp.h"
#include "page/slowpath.h"
#include "page/zone.h"

/*
 * Whole blocks come from the per-CPU lists and return to them, but for the largest: what is done
 * with their memory takes so long that the zone's lock does not count.
 */
#define LISTED_ORDER_MAX 6u

/* What observers are told of are blocks. */
static bool may_fill_hole(unsigned long nr_pages, unsigned int align_order)
{
	return !is_power_of_2(nr_pages) && align_order <= MAX_PAGE_ORDER && likely(!page_hooks());
}

struct page *alloc_frozen_exact(gfp_t gfp, unsigned long nr_pages, unsigned int align_order,
				bool *zeroed)
{
	unsigned int order = max((unsigned int)get_order(nr_pages * PAGE_SIZE), align_order);
	bool is_whole = nr_pages == 1UL << order;
	struct page *page;

	*zeroed = false;
	if (is_whole && order <= PAGE_ALLOC_COSTLY_ORDER)
		return alloc_frozen_pages(gfp, order);
	/* Of a large one that comes from no list it is worth knowing whether it is zero. */
	page = is_whole && order <= LISTED_ORDER_MAX ? pcp_pop(gfp, order) : NULL;
	if (page)
		return page;
	/* The first request of all brings up the hooks that it has to pass. */
	if (page_init() || !page_hooks_may_alloc(gfp, order))
		return NULL;
	if (may_fill_hole(nr_pages, align_order)) {
		page = page_alloc_hole(gfp, nr_pages, align_order, zeroed);
		if (page)
			return page;
	}
	page = page_alloc_slow(gfp, order);
	if (!page)
		return NULL;
	*zeroed = page_take_zeroed(page);
	if (unlikely(page_hooks())) {
		page_hooks_alloc(page, gfp, order, *zeroed);
		if (nr_pages < 1UL << order)
			page_hooks_free(page + nr_pages, (1UL << order) - nr_pages);
		*zeroed = false;
	}
	if (nr_pages < 1UL << order)
		buddy_give_range(page + nr_pages, (1UL << order) - nr_pages, *zeroed);
	return page;
}

void free_frozen_exact(struct page *page, unsigned long nr_pages)
{
	unsigned int order = (unsigned int)get_order(nr_pages * PAGE_SIZE);

	if (order <= LISTED_ORDER_MAX && nr_pages == 1UL << order) {
		free_frozen_pages(page, order);
		return;
	}
	if (unlikely(page_hooks()) && !page_hooks_free(page, nr_pages))
		return;
	buddy_give_range(page, nr_pages, false);
}
