/* SPDX-License-Identifier: MIT */
/*
 * The records of mixed slabs, in pages of their own. A record is 1.7 % of the largest slab. An
 * empty page of records goes back, but for one.
 */
#ifndef SLAB_MIXED_MIXED_RECORD_H
#define SLAB_MIXED_MIXED_RECORD_H

#include "os/lock.h"
#include "slab/mixed/mixed_map.h"
#include "usermm/list.h"

/* See bin_of() in mixed.c: eight for each power of two, up to the granules of the largest slab. */
#define MIXED_LONGEST_LOG 11
#define MIXED_BINS (8 * MIXED_LONGEST_LOG - 16)
_Static_assert(1UL << MIXED_LONGEST_LOG == MIXED_MAX_PAGES * MIXED_PAGE_GRANULES,
	       "the last bin is for empty slabs");

/* Sync: mixed_lock */
struct mixed_record {
	struct list_head holes;		/* in a bin; empty: on no list */
	struct list_head releasable;	/* on that list; empty: not */
	struct page *slab;
	unsigned int used;		/* granules */
	unsigned int largest;		/* no free run is longer */
	unsigned int released;		/* a bit for each page that the system has back */
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
/* Pages of records. */
unsigned long mixed_record_pages(void);

#endif
