/* SPDX-License-Identifier: MIT */
/*
 * The pages of the table of caches (mm_slab_cache()) that name no cache any more go back to the
 * system. Such a page has the pointers of a pageblock. Of a large heap that is mostly free again,
 * a few mixed slabs in each pageblock would keep all of the table: 0.2 % of what the heap was.
 *
 * Only slab_new() makes a page name a cache. So the one step that matters is a new slab in a
 * pageblock whose page of the table is on its way:
 *
 *	background thread: names the pageblock in mixed_table_leaving; under RANK_MIXED and the
 *		zone's lock, looks whether each page of it is free or a mixed slab's; gives the
 *		table's page back; names none
 *	slab_new(): gets pages; waits while their pageblock is named; writes to the table
 *
 * No other page of the pageblock can become a slab's before it has passed one of the two locks, and
 * so its new owner sees the name. (tests/models/slab_table.pml)
 *
 * Whoever waits may hold locks: the background thread takes none before it clears the name, and no
 * signal handler runs in it. fork() waits for RANK_MIXED_RELEASE, so no child has the name set.
 *
 * With system pages larger than ours nothing goes back.
 */
#ifndef SLAB_MIXED_MIXED_TABLE_H
#define SLAB_MIXED_MIXED_TABLE_H

#include "base/atomic.h"
#include "page/pageblock.h"
#include "slab/slab.h"

/* A slab became a mixed one. RANK_MIXED is held. */
void mixed_table_note_locked(const struct page *slab);
/*
 * Gives back what it finds in a part of the table; the next call goes on. Returns the pages. For the
 * background thread.
 */
unsigned long mixed_table_release(void);

/* The number of the pageblock, or MIXED_TABLE_NONE. Sync: atomic; see above */
#define MIXED_TABLE_NONE ~0UL
extern unsigned long mixed_table_leaving __hidden;
void mixed_table_wait_slow(unsigned long first, unsigned long last) slow_path;

/* Called with the pages of a new slab, before the table names its cache. */
static inline void mixed_table_wait(const struct page *slab, unsigned int order)
{
	unsigned long first = page_to_pfn(slab) >> PAGEBLOCK_ORDER;
	unsigned long last = (page_to_pfn(slab) + (1UL << order) - 1) >> PAGEBLOCK_ORDER;

	/* pairs with release_page(): the table's page has gone */
	if (unlikely(atomic_load_acquire(&mixed_table_leaving) - first <= last - first))
		mixed_table_wait_slow(first, last);
}

#endif
