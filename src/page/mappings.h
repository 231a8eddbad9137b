/* SPDX-License-Identifier: MIT */
/*
 * Blocks that are mappings of their own, found by their address without locks. Signal handlers may
 * come here at any time, above a holder of any lock too.
 *
 * A table has levels of hash tables, each four times as large as the one before and made when a
 * block finds no room in those before.
 *
 * A block may stand in each level in a window of consecutive entries from the one that
 * its address names. Who looks for a block looks at all of them, so taking an
 * entry out leaves no hole that a search could stop at. Nobody waits: an entry is
 * claimed by one compare-and-swap, filled or read, and published or given up by
 * one store.
 *
 *	start	MAPPING_FREE	nobody's
 *		MAPPING_CLAIMED	of the thread that claimed it: being filled, or on
 *				its way out
 *		an address	of the block's owner: whoever may free the block
 *
 * So of two threads that free the same block one claims the entry, and the other
 * finds nothing and reports it. A thread that is missing in a fork child leaves an
 * entry claimed there, which then is no block's any more.
 *
 * A thread may hold an entry for long: while its mapping moves, and while what others keep
 * free is taken back for it (budget_charge()), which takes locks. No cycle can come of that,
 * since nobody waits for an entry: who looks for another block passes it by, and the locks'
 * holders, who look for no entry at all, come through.
 */
#ifndef PAGE_MAPPINGS_H
#define PAGE_MAPPINGS_H

#include "base/atomic.h"
#include "base/compiler.h"

#define MAPPING_LEVELS 9
#define MAPPING_FREE 0UL
#define MAPPING_CLAIMED 1UL

struct mapping {
	unsigned long start;	/* Sync: see above */
	size_t bytes;		/* Sync: start's owner; as the table's owner counts them */
};

struct mappings {
	/* Sync: each set once, lowest first, by compare-and-swap. Mappings of their own. */
	struct mapping *levels[MAPPING_LEVELS];
	/* Blocks that moved and found no entry that their new address names. Sync: relaxed */
	unsigned long nr_displaced;
};

/* The bytes of a mapping for so many; 0 if no block is as large (PTRDIFF_MAX). */
size_t mapping_bytes(size_t bytes);

/* A new block's entry; false without memory for one. */
bool mappings_insert(struct mappings *table, const void *block, size_t bytes);
/* The entry of the block at exactly this address, or NULL. It is its owner's. */
struct mapping *mappings_find(struct mappings *table, const void *block);
/* The block's entry, which now is the caller's; NULL if there is no such block. */
struct mapping *mappings_claim(struct mappings *table, const void *block);
/* The block that holds the address, by looking at all of them; it may go at any time. Or NULL. */
struct mapping *mappings_find_around(struct mappings *table, const void *address);

/* What becomes of a claimed entry: the block's again; nobody's; or the block's at a new address. */
void mapping_publish(struct mapping *entry, const void *block, size_t bytes);
void mapping_give_up(struct mapping *entry);
void mappings_move(struct mappings *table, struct mapping *entry, const void *block,
		   size_t bytes);

/*
 * For a fork child, whose only thread does none of these: the bytes of all mappings. What a thread
 * that is not there has claimed is no block's, but memory as before.
 */
size_t mappings_fork_child_bytes(struct mappings *table);

#endif
