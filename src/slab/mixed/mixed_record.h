/* SPDX-License-Identifier: MIT */
/*
 * The records of mixed slabs, in pages of their own. A record is 1.7 % of the largest slab. An
 * empty page of records goes back, but for one.
 *
 * After most slabs have ended, each page would be kept by one or two records. So records move
 * (mixed_record_gather_locked()): the copy is complete before the slab's word names it. Under
 * mixed_lock nobody sees the step. The owner of a block may read a record without the lock, and
 * may have read the old word. So such readers are counted, and an old page is used again only
 * when there is no reader:
 *
 *	reader: counts itself; reads the word; reads the record; counts itself out
 *	mover: writes the word; looks at the count
 *
 * Both change the count by a locked operation that acquires and releases. If the reader's comes
 * first, the mover sees it, and waits with the page. If the mover's comes first, the reader sees
 * the new word. What the owner reads, the bits of its own block, is the same in both records.
 *
 * (tests/models/slab_records.pml)
 *
 * A fork child in which another thread of its parent was reading keeps that count for good: its
 * records no longer move, and nothing else changes.
 */
#ifndef SLAB_MIXED_MIXED_RECORD_H
#define SLAB_MIXED_MIXED_RECORD_H

#include "base/atomic.h"
#include "os/lock.h"
#include "slab/mixed/mixed_map.h"
#include "usermm/list.h"

/* See bin_of() in mixed_list.c: eight for each power of two, up to the largest slab's granules. */
#define MIXED_LONGEST_LOG 11
#define MIXED_BINS (8 * MIXED_LONGEST_LOG - 16)
_Static_assert(1UL << MIXED_LONGEST_LOG == MIXED_MAX_PAGES * MIXED_PAGE_GRANULES,
	       "the last bin is for empty slabs");

/* Sync: mixed_lock */
struct mixed_record {
	struct list_head holes;		/* in a bin; empty: on no list */
	struct list_head releasable;	/* on the list of slabs to release; empty: on no list */
	struct page *slab;
	unsigned int used;		/* granules in use */
	unsigned int largest;		/* no free run is longer */
	unsigned int released;		/* a bit for each page that the system has back */
	bool may_move;			/* the slab is complete: all who use it hold the lock */
	struct mixed_map map;
} __aligned(16);

/* The granule of the slab that the address lies in. */
static inline unsigned int mixed_granule_of(const struct page *slab, const void *pointer)
{
	unsigned long offset = (unsigned long)((const char *)pointer -
					       (const char *)page_address(slab));

	return (unsigned int)(offset / MIXED_GRANULE_BYTES);
}

/* RANK_MIXED: all mixed slabs, and their records. */
extern struct lock mixed_lock __hidden;

void mixed_record_init(void);
/* Is there a record to get? Approximate without the lock. */
bool mixed_record_is_there(void);
/* Finds memory for more records; takes the lock for a moment. False: there is none. */
bool mixed_record_refill(void);
/* A zeroed record, on no list; NULL: there is none. */
struct mixed_record *mixed_record_get_locked(void);
/* The record must be on no list. */
void mixed_record_put_locked(struct mixed_record *record);
/* Frees a page that has no record in use, if there is more than one such page. */
void mixed_record_give_back(void);
/* Is this one of the pages of records? The caller holds the lock, so that it stays one. */
bool mixed_record_has_page(const struct page *page);
/* Pages of records. */
unsigned long mixed_record_pages(void);

/*
 * Moves the records of one page to other pages. False if these have no room, or if a thread is
 * reading. The caller also holds RANK_MIXED_RELEASE, which every thread holds that uses a record
 * after it has released the lock.
 */
bool mixed_record_gather_locked(void);

/* The number of threads that read without the lock. Sync: atomic; see above */
extern unsigned int mixed_record_readers __hidden;

static inline void mixed_record_begin_read(void)
{
	/* pairs with no_reader(): the slabs' words, which then lead to the moved records */
	atomic_add_acq_rel(&mixed_record_readers, 1U);
}

static inline void mixed_record_end_read(void)
{
	/* pairs with no_reader(): the reads of this thread are over */
	atomic_add_acq_rel(&mixed_record_readers, -1U);
}

#endif
