/* SPDX-License-Identifier: MIT */
/*
 * The states of a page, and what its struct page holds in each.
 *
 *	state			flags		fields in use
 *	free block, first page	PG_buddy	lru, order; PG_zeroed: all bytes are 0
 *	free block, other pages	0		none
 *	on a per-CPU list	0		none
 *	parked (page/parked.h)	0		none
 *	deferred by a handler	0		lru.next, index (number of pages)
 *	allocated		0		_refcount (0: frozen, or behind the first)
 *	compound, first page	PG_head		_refcount, order
 *	compound, other pages	0		none
 *	slab, first page	PG_head; 0 in	lru, freelist, inuse, carved, objects,
 *				a slab of one	on_partial, disabled, order
 *				page
 *	slab, other pages	0		none
 *	small slab, each page	PG_small_slab	as a slab's first page
 *	mixed slab, each page	PG_mixed_slab;	order; in the first page freelist and the
 *				PG_small_slab	counts as well
 *				if it was small
 *	records of mixed slabs	PG_mixed_record	none (slab/mixed/mixed_record.h)
 *	kmalloc()'s block, as	PG_head,	order; no references
 *	since Linux 6.17	PG_large_kmalloc
 *	malloc's page block	PG_block	index (bytes); first page only
 *	allocated from the	PG_pfmemalloc	as without the flag; only with a reference
 *	reserve
 *	on a quicklist		PG_quicklist	_refcount; only with quicklist_debug=verify
 *
 * A table of its own says whether a page is a slab's, and of which cache (mm_slab_cache()).
 *
 * Sync: a page's flags belong to its owner: the buddy lists (under the zone's
 * lock), the thread that allocates or frees it, its slab, or its user. Only the owner
 * writes them. The error report and compound_head() may read old words of pages that
 * somebody else owns; for the reader's own pages they are right.
 */
#ifndef MM_PAGE_FLAGS_H
#define MM_PAGE_FLAGS_H

#include "base/atomic.h"
#include "usermm/page.h"

#define PG_buddy	(1UL << 0)
#define PG_head		(1UL << 1)
#define PG_zeroed	(1UL << 2)
#define PG_block	(1UL << 3)
#define PG_quicklist	(1UL << 4)
#define PG_pfmemalloc	(1UL << 5)	/* include/kernel/linux/mm.h knows the value */
#define PG_small_slab	(1UL << 6)
#define PG_mixed_slab	(1UL << 7)	/* see slab/mixed/mixed.h */
#define PG_large_kmalloc (1UL << 8)	/* include/kernel/linux/page-flags.h knows the value */
#define PG_mixed_record	(1UL << 9)

static inline unsigned long page_flags(const struct page *page)
{
	return atomic_load_relaxed(&page->flags);
}

static inline void page_set_flags(struct page *page, unsigned long flags)
{
	atomic_store_relaxed(&page->flags, flags);
}

#endif
