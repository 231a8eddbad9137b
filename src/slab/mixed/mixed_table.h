/* SPDX-License-Identifier: MIT */
/*
 * Pages of the tables of caches (mm_slab_cache()) and marks (mm_mark()) that say nothing any more
 * go back to the system. Each page belongs to one pageblock. If a large heap is mostly free again,
 * a few mixed slabs in each pageblock would keep both tables: 0.4 % of the heap at its largest.
 *
 * The pages of a pageblock say nothing if all of it is free, mixed slabs, or their records; and if
 * no block of the mixed slabs is long enough for a mark in the table (free_mark.h). Only new slabs
 * and longer blocks write there again. While the pages are on their way, these have to wait:
 *
 *	background thread: names the pageblock in mixed_table_leaving; under RANK_MIXED and the
 *		zone's lock, looks what is there; gives the tables' pages back; names none
 *	slab_new(): gets pages; waits while their pageblock is named; writes to the tables
 *	a free that is deferred: waits in the same way, with its block; marks it free
 *
 * No other page of the pageblock becomes a slab's, and no longer block is taken, without one of the
 * two locks. So the new owner sees the name. (tests/models/slab_table.pml) A former cache's object
 * that is on its way back may be marked at any time: if it is long, the page of marks stays.
 *
 * Whoever waits may hold locks: the background thread takes none before it clears the name, and no
 * signal handler runs in it. fork() waits for RANK_MIXED_RELEASE, so no child has the name set.
 *
 * With system pages larger than ours nothing goes back.
 */
#ifndef SLAB_MIXED_MIXED_TABLE_H
#define SLAB_MIXED_MIXED_TABLE_H

#include "slab/mixed/mixed.h"

/* A slab became a mixed one. RANK_MIXED is held. */
void mixed_table_note_locked(const struct page *slab);
/*
 * Looks through a part of the tables, and gives back the system pages there that nobody needs. The
 * next call looks through the next part. Returns how many pages of the table of caches went. For
 * the background thread.
 */
unsigned long mixed_table_release(void);

#endif
