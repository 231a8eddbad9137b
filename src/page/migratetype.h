/* SPDX-License-Identifier: MIT */
/*
 * Migrate types: pages that can be moved or reclaimed do not lie among pages that
 * stay, so that large blocks come together again.
 *
 * A request takes from its own type's lists. When those are empty it may claim a
 * pageblock of another type, which then is of its type, if it is the larger part of
 * it; otherwise it steals a block and leaves the pageblock as it is. A pageblock
 * that served an atomic request of a high order is kept for more of them
 * (HIGHATOMIC). cf. Linux mm/page_alloc.c: __rmqueue() and what it calls.
 *
 * Nothing is ever moved here, so pages that are not free do not count as movable.
 */
#ifndef PAGE_MIGRATETYPE_H
#define PAGE_MIGRATETYPE_H

#include "page/zone.h"

/* As Linux's reports call them. */
extern const char *const migratetype_names[MIGRATE_TYPES];

/* Where the last block was found: a bulk request starts there again. */
enum rmqueue_mode { RMQUEUE_NORMAL, RMQUEUE_CMA, RMQUEUE_CLAIM, RMQUEUE_STEAL };

/* One block by the rules above, or NULL. The caller holds the lock. */
struct page *rmqueue_locked(struct zone *z, unsigned int order, enum migratetype type,
			    unsigned int alloc_flags, enum rmqueue_mode *mode);

/* Keeps the pageblock of a block that an atomic request just got, within limits. */
void reserve_highatomic_pageblock(struct zone *z, const struct page *page, unsigned int order);

/* The free blocks of a pageblock change their type with it. Takes the lock. */
void pageblock_convert(struct page *page, enum migratetype type);

#endif
