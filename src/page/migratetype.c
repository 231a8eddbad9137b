/* SPDX-License-Identifier: MIT */
/* Claiming, stealing and reserving pageblocks. migratetype.h has the rules. */
#include "page/migratetype.h"

#include "mm/page_flags.h"
#include "page/buddy.h"
#include "page/gfp.h"
#include "page/zonelist.h"

/* The largest boost, in ten-thousandths of the high mark. */
#define WATERMARK_BOOST_FACTOR 15000
/* Zones of fewer pageblocks are not boosted. */
#define BOOST_PAGEBLOCKS_MIN 4
/* One page of this many may be in HIGHATOMIC pageblocks. */
#define HIGHATOMIC_FRACTION 100

const char *const migratetype_names[MIGRATE_TYPES] = {
	"Unmovable", "Movable", "Reclaimable", "HighAtomic", "CMA", "Isolate",
};

static const enum migratetype fallbacks[MIGRATE_PCPTYPES][MIGRATE_PCPTYPES - 1] = {
	[MIGRATE_UNMOVABLE] = { MIGRATE_RECLAIMABLE, MIGRATE_MOVABLE },
	[MIGRATE_MOVABLE] = { MIGRATE_RECLAIMABLE, MIGRATE_UNMOVABLE },
	[MIGRATE_RECLAIMABLE] = { MIGRATE_UNMOVABLE, MIGRATE_MOVABLE },
};

/* The first free block of this order, of a type that may stand in for `type`; or NULL. */
static struct page *fallback_block(struct zone *z, unsigned int order, enum migratetype type)
{
	struct page *page = NULL;

	for (unsigned int i = 0; i < MIGRATE_PCPTYPES - 1 && !page; i++)
		page = freelist_first(z, order, fallbacks[type][i]);
	return page;
}

/* cf. Linux can_steal_fallback(). */
static bool may_claim(unsigned int order, enum migratetype type)
{
	return order >= PAGEBLOCK_ORDER / 2 || type != MIGRATE_MOVABLE ||
	       page_group_by_mobility_disabled;
}

/* cf. Linux boost_watermark(). */
static bool boost_watermark(struct zone *z)
{
	unsigned long most = atomic_load_relaxed(&z->watermark[WMARK_HIGH]);

	most = most * WATERMARK_BOOST_FACTOR / 10000;
	if (PAGEBLOCK_PAGES * BOOST_PAGEBLOCKS_MIN > zone_managed_pages(z) || !most)
		return false;
	most = max(most, PAGEBLOCK_PAGES);
	atomic_store_relaxed(&z->watermark_boost,
			     min(z->watermark_boost + PAGEBLOCK_PAGES, most));
	return true;
}

static void convert_locked(struct zone *z, struct page *start, enum migratetype from,
			   enum migratetype to)
{
	struct page *page = start, *end = start + PAGEBLOCK_PAGES;

	while (page < end) {
		if (!(page_flags(page) & PG_buddy)) {
			page++;
			continue;
		}
		freelist_move(z, page, from, to);
		page += 1UL << page->order;
	}
	set_pageblock_migratetype(z, start, to);
}

static unsigned long free_pages_in(const struct page *start)
{
	unsigned long pages = 0;

	for (unsigned long i = 0; i < PAGEBLOCK_PAGES;) {
		unsigned long step = 1;

		if (page_flags(start + i) & PG_buddy) {
			step = 1UL << start[i].order;
			pages += step;
		}
		i += step;
	}
	return pages;
}

/*
 * Claims the pageblock of a free block that is smaller than a pageblock, if at least half of the
 * pageblock is free or in use by pages that suit the new type. Pages in use in a MOVABLE pageblock
 * suit every other type, since nothing moves them.
 */
static bool claim_pageblock(struct zone *z, struct page *page, enum migratetype type,
			    unsigned int alloc_flags)
{
	enum migratetype from = get_pageblock_migratetype(page);
	struct page *start = pageblock_start(page);
	unsigned long suitable = free_pages_in(start);

	if (boost_watermark(z) && (alloc_flags & ALLOC_KSWAPD))
		zone_set_flag(z, ZONE_BOOSTED_WATERMARK);
	if (type != MIGRATE_MOVABLE && from == MIGRATE_MOVABLE)
		suitable = PAGEBLOCK_PAGES;
	if (suitable < PAGEBLOCK_PAGES / 2 && !page_group_by_mobility_disabled)
		return false;
	convert_locked(z, start, from, type);
	z->claims++;
	return true;
}

/* cf. Linux try_to_steal_block(). */
static struct page *claim_block(struct zone *z, struct page *page, unsigned int order,
				enum migratetype type, unsigned int alloc_flags)
{
	enum migratetype from = get_pageblock_migratetype(page);

	if (page->order < PAGEBLOCK_ORDER)
		return claim_pageblock(z, page, type, alloc_flags) ?
		       freelist_take_smallest(z, order, type) : NULL;
	freelist_move(z, page, from, type);
	pageblocks_set_type(z, page, page->order, type);
	z->claims++;
	return freelist_take(z, page, order, type);
}

/* Tries the largest block first: its pageblock is likely to have the most free pages. */
static struct page *rmqueue_claim(struct zone *z, unsigned int order, enum migratetype type,
				  unsigned int alloc_flags)
{
	unsigned int least = order;

	if (alloc_flags & ALLOC_NOFRAGMENT)
		least = max(order, (unsigned int)PAGEBLOCK_ORDER);
	for (unsigned int from = MAX_PAGE_ORDER + 1; from-- > least;) {
		struct page *page = fallback_block(z, from, type);

		if (!page)
			continue;
		if (!may_claim(from, type))
			break;
		page = claim_block(z, page, order, type, alloc_flags);
		if (page)
			return page;
	}
	return NULL;
}

/* Takes the smallest block that is large enough. */
static struct page *rmqueue_steal(struct zone *z, unsigned int order, enum migratetype type)
{
	for (unsigned int from = order; from < NR_PAGE_ORDERS; from++) {
		struct page *page = fallback_block(z, from, type);

		if (page) {
			z->steals++;
			return freelist_take(z, page, order, get_pageblock_migratetype(page));
		}
	}
	return NULL;
}

struct page *rmqueue_locked(struct zone *z, unsigned int order, enum migratetype type,
			    unsigned int alloc_flags, enum rmqueue_mode *mode)
{
	struct page *page = NULL;

	/* As in Linux: CMA comes first while it has more than half of the free pages. */
	if ((alloc_flags & ALLOC_CMA) && z->nr_free_cma > z->free_pages / 2)
		page = freelist_take_smallest(z, order, MIGRATE_CMA);
	if (!page && *mode == RMQUEUE_NORMAL)
		page = freelist_take_smallest(z, order, type);
	if (page)
		return page;
	if (*mode <= RMQUEUE_CMA && (alloc_flags & ALLOC_CMA)) {
		*mode = RMQUEUE_CMA;
		page = freelist_take_smallest(z, order, MIGRATE_CMA);
	}
	if (!page && *mode <= RMQUEUE_CLAIM) {
		page = rmqueue_claim(z, order, type, alloc_flags);
		/* The blocks of a claimed pageblock are on this type's lists now. */
		*mode = RMQUEUE_NORMAL;
	}
	if (!page && !(alloc_flags & ALLOC_NOFRAGMENT)) {
		page = rmqueue_steal(z, order, type);
		*mode = RMQUEUE_STEAL;
	}
	return page;
}

/* --- The reserve for atomic requests ------------------------------------------------- */

static void set_reserved(struct zone *z, unsigned long pages)
{
	atomic_store_relaxed(&z->nr_reserved_highatomic, pages);
}

seldom_called
void reserve_highatomic_pageblock(struct zone *z, const struct page *page, unsigned int order)
{
	unsigned long most = zone_managed_pages(z) / HIGHATOMIC_FRACTION;
	struct page *start = pageblock_start(page);
	enum migratetype type;

	if (most < PAGEBLOCK_PAGES)
		return;
	most = ALIGN(most, PAGEBLOCK_PAGES);
	if (atomic_load_relaxed(&z->nr_reserved_highatomic) >= most || !zone_acquire(z))
		return;
	type = get_pageblock_migratetype(page);
	if (z->nr_reserved_highatomic < most && type < MIGRATE_PCPTYPES) {
		if (order < PAGEBLOCK_ORDER)
			convert_locked(z, start, type, MIGRATE_HIGHATOMIC);
		else
			pageblocks_set_type(z, start, order, MIGRATE_HIGHATOMIC);
		set_reserved(z, z->nr_reserved_highatomic + max(PAGEBLOCK_PAGES, 1UL << order));
	}
	lock_release(&z->lock);
}

/* Takes a free block of the reserve, and makes its pageblocks ordinary ones of this type. */
static bool unreserve_one(struct zone *z, enum migratetype type)
{
	for (unsigned int order = 0; order < NR_PAGE_ORDERS; order++) {
		struct page *page = freelist_first(z, order, MIGRATE_HIGHATOMIC);

		if (!page)
			continue;
		set_reserved(z, z->nr_reserved_highatomic -
				min(max(PAGEBLOCK_PAGES, 1UL << order), z->nr_reserved_highatomic));
		if (order < PAGEBLOCK_ORDER) {
			convert_locked(z, pageblock_start(page), MIGRATE_HIGHATOMIC, type);
		} else {
			freelist_move(z, page, MIGRATE_HIGHATOMIC, type);
			pageblocks_set_type(z, page, order, type);
		}
		return true;
	}
	return false;
}

seldom_called bool unreserve_highatomic_pageblock(const struct alloc_context *ac, bool force)
{
	const struct zoneref *ref;
	struct zone *z;

	for_each_zone_zonelist(z, ref, ac) {
		unsigned long reserved = atomic_load_relaxed(&z->nr_reserved_highatomic);
		bool done;

		/* One pageblock stays, unless `force`. */
		if ((!force && reserved <= PAGEBLOCK_PAGES) || !zone_acquire(z))
			continue;
		done = unreserve_one(z, ac->migratetype);
		lock_release(&z->lock);
		if (done)
			return true;
	}
	return false;
}

void pageblock_convert(struct page *page, enum migratetype type)
{
	struct page *start = pageblock_start(page);
	struct zone *z = page_zone(start);

	if (!zone_acquire(z))
		return;
	/* Splits a free block of several pageblocks, so that each can have its own type. */
	freelist_split_at(z, start);
	convert_locked(z, start, get_pageblock_migratetype(start), type);
	lock_release(&z->lock);
}
