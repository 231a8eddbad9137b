/* SPDX-License-Identifier: MIT */
#include "page/api/exact.h"

#include "mm/page_flags.h"
#include "page/debug/hooks.h"
#include "page/pcp/pcp_list.h"
#include "page/slowpath.h"
#include "page/zone.h"

/*
 * Whole blocks come from the CPU's lists and return to them. Of each large order a CPU keeps no
 * more than this many bytes: blocks on a list are not merged, and go back to the system late.
 */
#define LISTED_BYTES (512 * KIB)

static bool may_be_listed(unsigned int order)
{
	return PAGE_SIZE << order <= LISTED_BYTES;
}

/*
 * Is there room on this CPU's list? The answer may be out of date, or another CPU's; then the list
 * has a few blocks more or less.
 */
static bool has_room_on_list(const struct page *page, unsigned int order)
{
	const struct percpu_array *list = pcp_free_list(page_class(page), order);
	int slot = percpu_current_slot();

	return list && slot >= 0 && list_blocks(percpu_ptr(list, (unsigned int)slot)) <
				    LISTED_BYTES >> (PAGE_SHIFT + order);
}

/* Hooks are told of whole blocks, so no holes are filled while there are hooks. */
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
	/*
	 * Large blocks skip alloc_frozen_pages(): if one comes from no list, page_take_zeroed()
	 * below tells whether it is zero.
	 */
	if (is_whole)
		page = may_be_listed(order) ? pcp_pop(gfp, order) : NULL;
	else
		page = align_order ? NULL : pcp_pop_exact(gfp, nr_pages);
	if (page)
		return page;
	/* page_init() first: it brings up the hooks that the request has to pass. */
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

	if (nr_pages == 1UL << order && (order <= PAGE_ALLOC_COSTLY_ORDER ||
					 has_room_on_list(page, order))) {
		free_frozen_pages(page, order);
		return;
	}
	if (unlikely(page_hooks())) {
		if (!page_hooks_free(page, nr_pages))
			return;
	} else if (pcp_give_exact(page, nr_pages)) {
		return;
	}
	buddy_give_range(page, nr_pages, false);
}
