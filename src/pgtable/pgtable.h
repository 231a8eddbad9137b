/* SPDX-License-Identifier: MIT */
/*
 * pgtable: page tables for somebody else to walk.
 *
 * 1. Purpose. usermm/pgtable.h has the contract. tables.c gets and gives back tables,
 *    map.c changes translations, walk.c reads them, copy.c is fork.
 *
 * 2. What it must not know: how quicklists and the page allocator keep their pages; who
 *    walks the tables.
 *
 * 3. States of a table: in its state (all zero, but for the kernel's half of a pgd) ->
 *    in the tree -> emptied and unflushed, linked through its first entry (an address,
 *    so the present bit is clear, and whoever still walks it finds nothing) -> in its
 *    state again. A table in the tree is never empty, but for the pgd.
 *
 * 4. Who may touch what. One thread at a time changes an address space; something else may
 *    walk it all the time. So an entry is changed by one store, a new table is linked when
 *    it is filled, and where the walker may set bits (accessed, dirty) by compare-and-swap.
 *    The list of pgds and the kernel's half of each belong to a lock.
 *
 * 5. Differences from Linux: tables are freed when they become empty, not by the borders
 *    of mappings; whether one is empty is looked up, so there is no count to keep. The
 *    fifth level is folded.
 *
 * 6. Failure: what needs memory (splitting huge entries, new tables) comes first, so
 *    nothing is done half way. Tables that turn out not to be wanted were in no tree.
 */
#ifndef PGTABLE_PGTABLE_H
#define PGTABLE_PGTABLE_H

#include <errno.h>

#include "base/atomic.h"
#include "base/compiler.h"
#include "usermm/page.h"
#include "usermm/pgtable.h"

/* Entries that lead to a table: permissions are the leaf's business (Linux _PAGE_TABLE). */
#define TABLE_FLAGS (PGTABLE_PRESENT | PGTABLE_RW | PGTABLE_USER | PGTABLE_ACCESSED | PGTABLE_DIRTY)
#define ENTRY_BITS 9

static inline uint64_t entry_bytes(enum pgtable_level level)
{
	return (uint64_t)PAGE_SIZE << (ENTRY_BITS * level);
}

static inline unsigned int entry_index(enum pgtable_level level, uint64_t address)
{
	return (address >> (PAGE_SHIFT + ENTRY_BITS * level)) % PGTABLE_ENTRIES;
}

/* Where the entry that has this address ends, or the range. */
static inline uint64_t entry_end(enum pgtable_level level, uint64_t address, uint64_t end)
{
	return min((address | (entry_bytes(level) - 1)) + 1, end);
}

/* A present entry: does it map memory, or lead to a table? */
static inline bool entry_is_leaf(enum pgtable_level level, uint64_t entry)
{
	return level == PGTABLE_PTE || entry & PGTABLE_PSE;
}

static inline uint64_t *entry_table(uint64_t entry)
{
	return page_address(pfn_to_page((entry & PGTABLE_ADDRESS_MASK) >> PAGE_SHIFT));
}

static inline uint64_t table_entry(const uint64_t *table)
{
	return (uint64_t)page_to_pfn(virt_to_page(table)) << PAGE_SHIFT | TABLE_FLAGS;
}

/* A range of whole pages in the lower half? */
static inline bool range_is_valid(uint64_t address, uint64_t bytes)
{
	return bytes && !((address | bytes) & ~PAGE_MASK) && address < PGTABLE_USER_END &&
	       bytes <= PGTABLE_USER_END - address;
}

/* Tables in a chain, by their first entries. */
static inline void table_link(void **chain, uint64_t *table)
{
	atomic_store_relaxed(table, (uint64_t)(unsigned long)*chain);
	*chain = table;
}

/* The first of a chain that has one, in its state. */
static inline uint64_t *table_unlink(void **chain)
{
	uint64_t *table = *chain;

	*chain = (void *)(unsigned long)table[0];
	atomic_store_relaxed(table, 0);
	return table;
}

/* A table in its level's state, counted; NULL without memory. */
uint64_t *table_alloc(struct pgtable *mm, enum pgtable_level level, gfp_t gfp);
/* Emptied, and out of the tree: given back by pgtable_flush(). */
void table_free_unflushed(struct pgtable *mm, enum pgtable_level level, uint64_t *table);
/* The same of one that was never in the tree. */
void table_free(struct pgtable *mm, enum pgtable_level level, uint64_t *table);
/* Unmaps the range; no huge entry reaches out of it. */
void table_unmap(struct pgtable *mm, uint64_t *table, enum pgtable_level level,
		 uint64_t address, uint64_t end);

#endif
