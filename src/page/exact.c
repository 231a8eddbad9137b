/* SPDX-License-Identifier: MIT */
#include "page/exact.h"

#include "mm/page_flags.h"
#include "page/zone.h"

struct page *alloc_frozen_exact(gfp_t gfp, unsigned long nr_pages, unsigned int align_order,
				bool *zeroed)
{
	unsigned int order = max((unsigned int)get_order(nr_pages * PAGE_SIZE), align_order);
	struct page *page;

	/* Not from the per-CPU lists: those do not know what is zero. */
	page = page_alloc_slow(gfp, order);
	if (!page)
		return NULL;
	*zeroed = page_take_zeroed(page);
	if (nr_pages < 1UL << order)
		buddy_give_range(&zone, page + nr_pages, (1UL << order) - nr_pages, *zeroed);
	return page;
}

void free_frozen_exact(struct page *page, unsigned long nr_pages)
{
	buddy_give_range(&zone, page, nr_pages, false);
}
