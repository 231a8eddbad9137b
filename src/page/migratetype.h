/* SPDX-License-Identifier: MIT */
/*
 * Migrate types: pages that can be moved or reclaimed lie apart from pages that stay, so that large
 * blocks can form again.
 *
 * A request takes from its own type's lists. If those are empty, it may claim a pageblock of
 * another type: if at least half of that pageblock suits the request's type, the pageblock becomes
 * that type's. Otherwise the request steals a block and leaves the pageblock as it is. A pageblock
 * that served an atomic request of a high order is kept for more such requests (HIGHATOMIC). cf.
 * Linux mm/page_alloc.c: __rmqueue() and what it calls.
 *
 * usermm never moves a page, so pages in use do not count as movable.
 */
#ifndef PAGE_MIGRATETYPE_H
#define PAGE_MIGRATETYPE_H

#include "page/zone.h"

/* The names in Linux's reports. */
extern const char *const migratetype_names[MIGRATE_TYPES];

/* Where the last block was found; a bulk request starts there again. */
enum rmqueue_mode { RMQUEUE_NORMAL, RMQUEUE_CMA, RMQUEUE_CLAIM, RMQUEUE_STEAL };

/* Takes one block by the rules above, or returns NULL. The caller holds the zone's lock. */
struct page *rmqueue_locked(struct zone *z, unsigned int order, enum migratetype type,
			    unsigned int alloc_flags, enum rmqueue_mode *mode);

/*
 * An atomic request has just got this block: reserves the block's pageblock for later atomic
 * requests, within limits.
 */
void reserve_highatomic_pageblock(struct zone *z, const struct page *page, unsigned int order);

/* Changes the type of a pageblock and of its free blocks. Takes the zone's lock. */
void pageblock_convert(struct page *page, enum migratetype type);

#endif
