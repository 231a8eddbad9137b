/* SPDX-License-Identifier: MIT */
#include "page/api/exact.h"

#include "base/check.h"
#include "mm/unused.h"
#include "page/buddy.h"
#include "page/debug/hooks.h"
#include "page/pcp/pcp_list.h"
#include "page/reclaim/release.h"
#include "page/slowpath.h"
#include "page/zonelist.h"
#include "usermm/reclaim.h"

/*
 * Whole blocks come from the CPU's lists and return to them. A CPU keeps at most this many
 * bytes of each large order: blocks on a list are not merged, and go back to the system late.
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

/* --- Holes -------------------------------------------------------------------------- */

/* How many free blocks of the one suitable order are looked at. */
#define HOLES_SEEN_MAX 8

/* Are the nr pages from pfn on free, in blocks of orders below this one? */
static bool are_free(unsigned long pfn, unsigned long nr, unsigned int below)
{
	unsigned int order;

	for (unsigned long end = pfn + nr; pfn < end; pfn += 1UL << order) {
		for (order = 0; order < below && !is_free_block(pfn, order); order++)
			;
		if (order == below)
			return false;
	}
	return true;
}

/*
 * A free block of that order which is the lower half of a larger one, with `more` free pages
 * behind it; or NULL. The caller holds the zone's lock.
 */
static struct page *find_hole(struct zone *z, unsigned int order, unsigned long more,
			      unsigned int align_order, enum migratetype type)
{
	unsigned long lower = (1UL << order) | ((1UL << align_order) - 1);
	unsigned int seen = 0;
	struct page *page;

	list_for_each_entry(page, &z->free_area[order].free_list[type], lru) {
		unsigned long pfn = page_to_pfn(page);

		if (!(pfn & lower) && are_free(pfn + (1UL << order), more, order))
			return page;
		if (++seen == HOLES_SEEN_MAX)
			break;
	}
	return NULL;
}

/* Takes the nr_pages pages from page on, and says whether all are known to be zero. */
static bool take_parts(struct zone *z, struct page *page, unsigned long nr_pages,
		       enum migratetype type)
{
	bool zeroed = true;

	while (nr_pages) {
		unsigned int order = (unsigned int)ilog2(nr_pages);

		/*
		 * These pages are free and were joined, so they are a block, or the beginning of a
		 * larger one. freelist_take() splits the larger block, and the pages behind become
		 * blocks again.
		 */
		ASSERT(is_free_block(page_to_pfn(page), page->order) && page->order >= order);
		zeroed &= page_take_zeroed(freelist_take(z, page, order, type));
		page += 1UL << order;
		nr_pages -= 1UL << order;
	}
	return zeroed;
}

static struct page *take_hole(struct zone *z, unsigned long nr_pages, unsigned int align_order,
			      enum migratetype type, bool *zeroed)
{
	unsigned int order = (unsigned int)ilog2(nr_pages);
	unsigned long more = nr_pages - (1UL << order);
	struct page *hole;

	/* All of it lies in one pageblock. */
	if (!more || order >= PAGEBLOCK_ORDER || !zone_acquire(z))
		return NULL;
	hole = find_hole(z, order, more, align_order, type);
	if (hole)
		*zeroed = take_parts(z, hole, nr_pages, type);
	lock_release(&z->lock);
	if (likely(!atomic_load_relaxed(&mm_unused_any)) || !hole ||
	    mm_unused_show(hole, nr_pages))
		return hole;
	buddy_give_range(hole, nr_pages, false);
	return NULL;
}

struct page *alloc_frozen_hole(gfp_t gfp, unsigned long nr_pages, unsigned int align_order,
			       bool *zeroed)
{
	struct alloc_context ac;
	struct page *hole;
	struct zone *z;

	gfp = current_gfp_context(gfp & atomic_load_relaxed(&gfp_allowed_mask));
	alloc_context_prepare(&ac, gfp, NUMA_NO_NODE, NULL);
	z = ac.preferred->zone;
	if (!z || !zone_watermark_ok(z, 0, wmark_pages(z, WMARK_LOW) + nr_pages,
				     ac.preferred->index, gfp_to_alloc_flags_cma(gfp)))
		return NULL;
	hole = take_hole(z, nr_pages, align_order, ac.migratetype, zeroed);
	if (hole)
		zone_statistics(z, &ac, 1);
	return hole;
}

/* --- Exact blocks -------------------------------------------------------------------- */

/* Hooks are told of whole blocks, so no holes are filled while there are hooks. */
static bool may_fill_hole(unsigned long nr_pages, unsigned int align_order)
{
	return !is_power_of_2(nr_pages) && align_order <= MAX_PAGE_ORDER && likely(!page_hooks());
}

static void give_back(struct page *page, unsigned long nr_pages, bool zeroed)
{
	struct zone *z = page_zone(page);

	buddy_give_range(page, nr_pages, zeroed);
	if (!zeroed)
		release_excess(z);
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
		page = alloc_frozen_hole(gfp, nr_pages, align_order, zeroed);
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
		give_back(page + nr_pages, (1UL << order) - nr_pages, *zeroed);
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
	give_back(page, nr_pages, false);
}
