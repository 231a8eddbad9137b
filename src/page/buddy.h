/* SPDX-License-Identifier: MIT */
/*
 * Between buddy.c, which keeps the free lists, and migratetype.c, which decides what
 * becomes of pageblocks. The caller holds the zone's lock throughout.
 */
#ifndef PAGE_BUDDY_H
#define PAGE_BUDDY_H

#include "page/pageblock.h"
#include "page/zone.h"

/* The first block of a list, or NULL. */
struct page *freelist_first(struct zone *z, unsigned int order, enum migratetype type);
/* To the tail of another type's list. */
void freelist_move(struct zone *z, struct page *page, enum migratetype from,
		   enum migratetype to);
/*
 * Takes a block off its list and cuts it down; the upper halves are free. The
 * block's flags are then PG_zeroed or 0.
 */
struct page *freelist_take(struct zone *z, struct page *page, unsigned int order,
			   enum migratetype type);
/* The smallest block of the type that holds the order, cut down to it; or NULL. */
struct page *freelist_take_smallest(struct zone *z, unsigned int order, enum migratetype type);

/* Whole pageblocks change their type; their free blocks do not move. */
void pageblocks_set_type(struct zone *z, struct page *page, unsigned int order,
			 enum migratetype type);
/* If a pageblock lies in a larger free block, that is cut into its pageblocks. */
void freelist_split_at(struct zone *z, struct page *start);

#endif
