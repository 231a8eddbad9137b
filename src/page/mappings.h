/* SPDX-License-Identifier: MIT */
/*
 * A table of blocks that are mappings of their own, found by their address without locks. Signal
 * handlers may use it at any time, also above a holder of any lock.
 *
 * A table is up to MAPPING_LEVELS hash tables, its levels. Each level is four times as large as the
 * one before, and is made when a block finds no room in those before.
 *
 * In each level, a block may stand in a window of consecutive entries, which begins with the entry
 * that the block's address names. A search looks at all entries of the windows. So an entry that is
 * taken out leaves no hole at which a search could stop. Nobody waits: one compare-and-swap claims
 * an entry, and one store publishes it or gives it up.
 *
 *	start	MAPPING_FREE	nobody's
 *		MAPPING_CLAIMED	of the thread that claimed it: being filled, or on
 *				its way out
 *		an address	of the block's owner: whoever may free the block
 *
 * So if two threads free the same block, one claims the entry, and the other finds nothing and
 * reports it. If a thread that has claimed an entry is missing in a fork child, the entry stays
 * claimed there, and is no block's.
 *
 * A thread may hold an entry for long: while its mapping moves, or while others give back free
 * memory for it (budget_charge()), which takes locks. This cannot deadlock. A thread that looks for
 * another block passes the entry by, and the holders of those locks look for no entry at all.
 */
#ifndef PAGE_MAPPINGS_H
#define PAGE_MAPPINGS_H

#include "base/atomic.h"
#include "base/compiler.h"

#define MAPPING_LEVELS 9
/* A level has 2^(MAPPING_FIRST_LEVEL_BITS + level * MAPPING_LEVEL_BITS_STEP) entries. */
#define MAPPING_FIRST_LEVEL_BITS 8
#define MAPPING_LEVEL_BITS_STEP 2
#define MAPPING_FREE 0UL
#define MAPPING_CLAIMED 1UL

struct mapping {
	unsigned long start;	/* Sync: see above */
	/* the mapping's, or those asked for: the table's owner chooses. Sync: start's owner */
	size_t bytes;
};

struct mappings {
	/* Each level is a mapping. Sync: each is set once, lowest first, by compare-and-swap */
	struct mapping *levels[MAPPING_LEVELS];
	/*
	 * Blocks that moved, but found no free entry in the windows of their new address. Sync:
	 * relaxed
	 */
	unsigned long nr_displaced;
};

/* The size of a mapping that holds the bytes; 0 if they are more than PTRDIFF_MAX. */
size_t mapping_bytes(size_t bytes);

/* Enters a new block. False if there is no memory for an entry. */
bool mappings_insert(struct mappings *table, const void *block, size_t bytes);
/* The entry of the block at exactly this address, or NULL. The entry stays its owner's. */
struct mapping *mappings_find(struct mappings *table, const void *block);
/* Claims the block's entry for the caller, and returns it. NULL if there is no such block. */
struct mapping *mappings_claim(struct mappings *table, const void *block);
/* The block that holds the address, or NULL. Looks at all blocks. The block may go at any time. */
struct mapping *mappings_find_around(struct mappings *table, const void *address);

/* Calls look() for each block. No other thread uses the table. */
void mappings_each(struct mappings *table, void (*look)(void *block, size_t bytes));

/*
 * The caller has claimed the entry. The entry becomes the block's again (publish), nobody's (give
 * up), or the block's at a new address (move).
 */
void mapping_publish(struct mapping *entry, const void *block, size_t bytes);
void mapping_give_up(struct mapping *entry);
void mappings_move(struct mappings *table, struct mapping *entry, const void *block,
		   size_t bytes);

/*
 * The bytes of all mappings, for a fork child whose only thread is in none of these functions. A
 * mapping that a missing thread had claimed belongs to no block, but is still memory, and counts.
 */
size_t mappings_fork_child_bytes(struct mappings *table);

#endif
