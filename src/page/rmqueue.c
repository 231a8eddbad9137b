/* SPDX-License-Identifier: MIT */
#include "page/rmqueue.h"

#include "mm/page_flags.h"
#include "mm/unused.h"
#include "page/buddy.h"
#include "page/gfp.h"
#include "page/migratetype.h"
#include "page/parked.h"
#include "page/pcp/pcp.h"
#include "page/reclaim/limits.h"

/*
 * How many of nr blocks may be taken so that the zone stays above its low mark; at least one. The
 * caller checked the mark without the lock. Others may have taken batches since, and all together
 * would take what is kept for urgent requests.
 */
static unsigned long nr_above_low(const struct zone *z, unsigned int order, unsigned long nr)
{
	unsigned long least = wmark_pages(z, WMARK_LOW) + 1, free = z->free_pages;

	return free > least ? clamp((free - least) >> order, 1UL, nr) : 1;
}

static unsigned long take_blocks(struct zone *z, unsigned int order, enum migratetype type,
				 unsigned int alloc_flags, struct page **pages,
				 unsigned long nr)
{
	enum rmqueue_mode mode = RMQUEUE_NORMAL;
	unsigned long taken = 0, fresh = 0;

	if (!zone_acquire(z))
		return 0;
	if (nr > 1)
		nr = nr_above_low(z, order, nr);
	while (taken < nr) {
		struct page *page = NULL;

		/* Almost every block comes from its own type's lists. */
		if (mode == RMQUEUE_NORMAL && !(alloc_flags & ALLOC_CMA))
			page = freelist_take_smallest(z, order, type);
		if (!page)
			page = rmqueue_locked(z, order, type, alloc_flags, &mode);
		if (!page)
			break;
		fresh += page_flags(page) & PG_zeroed ? 1 : 0;
		pages[taken++] = page;
	}
	lock_release(&z->lock);
	limits_take(fresh << order);
	return taken;
}

/*
 * As take_blocks(), for a zone with sections that are not online yet. These count as free MOVABLE
 * pageblocks. So they come online before types are mixed in a pageblock.
 */
static unsigned long take_growing(struct zone *z, unsigned int order, enum migratetype type,
				  unsigned int alloc_flags, struct page **pages,
				  unsigned long nr)
{
	unsigned long taken;

	alloc_flags |= ALLOC_NOFRAGMENT;
	taken = take_blocks(z, order, type, alloc_flags, pages, nr);
	if (!taken && pcp_return_own_blocks(z))
		taken = take_blocks(z, order, type, alloc_flags, pages, nr);
	if (taken || !lock_acquire_unless_handler(&page_grow_lock))
		return taken;
	/* Another thread may have grown the zone or freed blocks meanwhile. */
	taken = take_blocks(z, order, type, alloc_flags, pages, nr);
	while (!taken && zone_unpark(z))
		taken = take_blocks(z, order, type, alloc_flags, pages, nr);
	if (!taken && zone_offline_pages(z) && zone_grow(z))
		taken = take_blocks(z, order, type, alloc_flags, pages, nr);
	lock_release(&page_grow_lock);
	return taken;
}

/* Makes the blocks accessible; gives those back that the system refuses. Returns how many are. */
static slow_path unsigned long show_blocks(struct page **pages, unsigned long nr,
					   unsigned int order)
{
	unsigned long shown = 0;

	for (unsigned long i = 0; i < nr; i++)
		if (mm_unused_show(pages[i], 1UL << order))
			pages[shown++] = pages[i];
		else
			buddy_give_range(pages[i], 1UL << order, false);
	return shown;
}

unsigned long rmqueue_bulk(struct zone *z, unsigned int order, enum migratetype type,
			   unsigned int alloc_flags, struct page **pages, unsigned long nr)
{
	unsigned long taken = 0;

	if (zone_offline_pages(z))
		taken = take_growing(z, order, type, alloc_flags, pages, nr);
	if (!taken)
		taken = take_blocks(z, order, type, alloc_flags, pages, nr);
	return likely(!atomic_load_relaxed(&mm_unused_any)) ? taken :
							      show_blocks(pages, taken, order);
}

static struct page *take_highatomic(struct zone *z, unsigned int order)
{
	struct page *page;

	if (!atomic_load_relaxed(&z->nr_free_highatomic) || !zone_acquire(z))
		return NULL;
	page = freelist_take_smallest(z, order, MIGRATE_HIGHATOMIC);
	lock_release(&z->lock);
	return page && show_blocks(&page, 1, order) ? page : NULL;
}

struct page *rmqueue_buddy(struct zone *z, unsigned int order, enum migratetype type,
			   unsigned int alloc_flags)
{
	struct page *page = NULL;

	if (alloc_flags & ALLOC_HIGHATOMIC)
		page = take_highatomic(z, order);
	if (page || rmqueue_bulk(z, order, type, alloc_flags, &page, 1))
		return page;
	return alloc_flags & (ALLOC_OOM | ALLOC_NON_BLOCK) ? take_highatomic(z, order) : NULL;
}
