/* SPDX-License-Identifier: MIT */
/*
 * The free lists of a zone: one per order and migrate type, of blocks that are aligned to their
 * size. This file knows nothing above them: rmqueue.c decides which list a request takes from,
 * and migratetype.c what becomes of pageblocks.
 */
#ifndef PAGE_BUDDY_H
#define PAGE_BUDDY_H

#include "mm/page_flags.h"
#include "page/pageblock.h"
#include "page/zone.h"

void buddy_init(struct zone *z);

/* Pages of blocks that buddy_take_zeroed() would find. */
unsigned long buddy_zeroed_pages(struct zone *z, unsigned int min_order);

/* --- Under the zone's lock, which the caller holds --------------------------------- */

/* Is the block at pfn free, and of that order as a whole? Its section is online. */
static inline bool is_free_block(unsigned long pfn, unsigned int order)
{
	const struct page *page = pfn_to_page(pfn);

	return (page_flags(page) & PG_buddy) && page->order == order;
}

/* The first block of a list, or NULL. */
struct page *freelist_first(struct zone *z, unsigned int order, enum migratetype type);
/* Moves a free block to the tail of another type's list. */
void freelist_move(struct zone *z, struct page *page, enum migratetype from,
		   enum migratetype to);
/*
 * Takes a block off its list and splits it down to the order; the upper halves stay free. The
 * block's flags are then PG_zeroed or 0.
 */
struct page *freelist_take(struct zone *z, struct page *page, unsigned int order,
			   enum migratetype type);
/*
 * Takes the type's smallest block that is large enough, split down to the order; or returns NULL.
 */
struct page *freelist_take_smallest(struct zone *z, unsigned int order, enum migratetype type);
/* Splits the free block around a pageblock, if it is larger, into pageblocks. */
void freelist_split_at(struct zone *z, struct page *start);
/* Changes the type of whole pageblocks; their free blocks stay on their lists. */
void pageblocks_set_type(struct zone *z, struct page *page, unsigned int order,
			 enum migratetype type);
/* Lists a section that came online, as one free block. */
void buddy_add_section(struct zone *z, struct page *page);

/* --- These take the lock ------------------------------------------------------------- */

/*
 * Takes the zone's lock, and finishes what signal handlers above a holder could not do. Returns
 * false, without the lock, in a signal handler above a holder.
 */
bool zone_acquire(struct zone *z);
/* Gives back the blocks that signal handlers could not give back. */
void buddy_give_deferred(struct zone *z);

/*
 * Gives nr blocks of one zone back, each of nr_pages pages, under one hold of the lock. If a block
 * is free already, it stays as it is. Returns the last such block, or NULL. The caller reports that
 * block, and calls release_excess() afterwards.
 */
const struct page *buddy_give_blocks(struct zone *z, unsigned long nr_pages,
				     struct page *const *pages, unsigned long nr);
/*
 * Gives any number of pages of one block back, split into aligned blocks that are as large as
 * possible. If they are not zeroed, the caller calls release_excess() afterwards.
 */
void buddy_give_range(struct page *page, unsigned long nr_pages, bool zeroed);
/* As buddy_give_range() with zeroed memory. The caller holds the zone's lock. */
void buddy_give_zeroed_locked(struct zone *z, struct page *page, unsigned long nr_pages);
/*
 * Takes a free block that is not known to be zero: one of the largest, and of min_order at least.
 * Sets *nr to its number of pages. Returns NULL if there is none.
 */
struct page *buddy_take_dirty(struct zone *z, unsigned int min_order, unsigned long *nr);
/* As buddy_take_dirty(), but the block is known to be zero, and its type has per-CPU lists. */
struct page *buddy_take_zeroed(struct zone *z, unsigned int min_order, unsigned long *nr);

#endif
