/* SPDX-License-Identifier: MIT */
/*
 * Mixed slabs: what is free in a sparse slab serves other sizes, and its free pages go back.
 *
 * 1. Purpose. When a program goes on to other sizes, the few objects that stay keep slabs that
 *    nobody takes objects from any more. Such a slab leaves its cache and becomes a mixed slab:
 *    a map (mixed_map.h) in memory of its own says which of its granules are in use. A class that
 *    would need a new slab gets blocks from these maps first.
 *    Pages of a mixed slab that no block covers go back to the system, and come back when a block
 *    is taken there. A slab without blocks goes to the page allocator.
 *
 * 2. Which slabs? mixed_source.h decides. Only caches that ask for it (kmem_cache.may_mix):
 *    malloc's classes, unless they watch their objects or clear them.
 *
 * 3. States. In a mixed slab a granule is free or belongs to a block. A block is the user's; or it
 *    is an object that the slab's former cache has in a sheaf, a barn, or on its way to the slab.
 *    Such an object is marked free (free_mark.h), and counts as used. The cache may hand it out
 *    again: nothing but the way back changes.
 *
 * 4. Who may touch what. One lock (RANK_MIXED) owns all maps and lists. A cache's lock may be held
 *    when it is taken. Nobody waits for a system call under it: pages on their way to the system
 *    are a block of the map, and RANK_MIXED_RELEASE is held for them.
 *
 *    How a slab becomes mixed (tests/models/slab_mixed.pml). Under the node's lock the slab leaves
 *    the partial list, and one swap gives it a word that looks full and names the record. The
 *    objects that were in the word's list are free; all others count as used. Then, under
 *    RANK_MIXED, the table of caches (mm_slab_cache()) forgets the slab.
 *
 *	A push that read the word before the swap fails, reads the word again, and comes for the
 *	node's lock, since the slab looks full. A push that comes later does the same. Under the
 *	lock return_run_locked() sees the mixed word, and calls slab_mixed_take_back(). The map
 *	has been there since before the lock was released.
 *
 *	free() that read the cache from the table before the slab became mixed goes on as before:
 *	the object ends in the cache's sheaf, and comes back by the way above. Until then it
 *	counts as used, so the slab stays. A free() that reads NULL comes to slab_mixed_free().
 *
 *    A mark that says "free" on a block of the map is a second free of an object that the cache
 *    has: see 3. A block that came back to the map is gone from it. So each double free is found.
 *
 * 5. Linux has no such thing: its slabs stay until they are empty.
 *
 * 6. Failure: without memory for a record the slab stays in its cache. Where the system refuses to
 *    take pages, they stay with the slab. A signal handler that interrupted a holder of the lock
 *    gets no block here, and what it frees is deferred until the next call here, or the next round
 *    of decay.
 */
#ifndef SLAB_MIXED_MIXED_H
#define SLAB_MIXED_MIXED_H

#include "base/atomic.h"
#include "mm/memmap.h"
#include "mm/page_flags.h"
#include "page/pageblock.h"
#include "slab/slab.h"

/* Called once, when the layer comes up. */
void slab_mixed_init(void);

/* --- Blocks ---------------------------------------------------------------------- */

/*
 * A block of at least `size` bytes, aligned to align (a power of two, up to a page), from slabs
 * that are mixed already; NULL if there is none.
 */
void *slab_mixed_take(size_t size, size_t align);
/*
 * Frees the block at exactly this address. False, and nothing has happened: there is no block in
 * use. Any address may be passed.
 */
bool slab_mixed_free(void *pointer);
/* The bytes of the block in use at exactly this address; 0: there is none. */
size_t slab_mixed_bytes(const void *pointer);
/* For reports. The start of the block around the address, or NULL. */
void *slab_mixed_block_around(const void *pointer);

/*
 * Objects that their former cache gives back: nr of one slab, marked free. The caller holds the
 * lock of a node of the cache. If the slab has no block left, it is added to `empty`.
 */
void slab_mixed_take_back(void **objects, unsigned int nr, struct list_head *empty);

/* --- Slabs ----------------------------------------------------------------------- */

/* Is the page one of a mixed slab? For reports, and for pages that the caller has a block in. */
static inline bool slab_is_mixed(const struct page *page)
{
	return page_flags(page) & PG_mixed_slab;
}

struct mixed_record;
/* The record of the mixed slab whose first page this is, or NULL. The caller holds RANK_MIXED. */
const struct mixed_record *mixed_record_at(const struct page *page);
/*
 * For mixed_make.c: the slab of the record, whose word names the record, is a mixed one from here
 * on. free() finds the map, and others take blocks of it. The caller holds the lock of the node
 * that had the slab.
 */
void mixed_publish(struct mixed_record *record, unsigned int order, unsigned int blocks);
/* Frees the pages of a mixed slab that slab_mixed_take_back() found empty. No lock is held. */
void slab_mixed_discard(struct page *slab);
/* Calls slab_mixed_discard() for each slab of the list. */
void mixed_discard_all(struct list_head *empty);
/* What signal handlers freed comes back to the maps. The caller holds RANK_MIXED. */
void mixed_put_deferred_locked(struct list_head *empty);

struct slab_mixed_usage {
	unsigned long slabs, pages;
	unsigned long record_pages;	/* pages that the maps lie in */
	unsigned long released;		/* pages that the system has back */
	unsigned long blocks;		/* in use, or in the former caches' sheaves and barns */
	unsigned long used_bytes;	/* theirs */
};
/* Sums over all mixed slabs; record_pages is 0. Sync: mixed_lock; some are read without it */
extern struct slab_mixed_usage mixed_usage __hidden;
void slab_mixed_read_usage(struct slab_mixed_usage *usage);

/* --- The tables of mm (mixed_table.h) --------------------------------------------- */

/*
 * The number of the pageblock whose pages of the tables are on their way to the system, or
 * MIXED_TABLE_NONE. Sync: atomic; see mixed_table.h
 */
#define MIXED_TABLE_NONE ~0UL
extern unsigned long mixed_table_leaving __hidden;
void mixed_table_wait_slow(unsigned long first, unsigned long last) slow_path;

/* Called with a block of pages, before its owner writes to the tables. */
static inline void mixed_table_wait(const struct page *page, unsigned int order)
{
	unsigned long first = page_to_pfn(page) >> PAGEBLOCK_ORDER;
	unsigned long last = (page_to_pfn(page) + (1UL << order) - 1) >> PAGEBLOCK_ORDER;

	/* pairs with release_pages(): its discards of the tables' pages are over */
	if (unlikely(atomic_load_acquire(&mixed_table_leaving) - first <= last - first))
		mixed_table_wait_slow(first, last);
}

#endif
