/* SPDX-License-Identifier: MIT */
/*
 * pgtable: page tables for somebody else to walk.
 *
 * 1. Purpose. usermm/pgtable.h has the contract. tables.c allocates and frees tables,
 *    map.c changes translations, walk.c reads them, copy.c copies them for fork.
 *
 * 2. What it must not know: how quicklists and the page allocator keep their pages, and
 *    who walks the tables.
 *
 * 3. States of a table: clean (all zero, except the kernel's half of a pgd) -> in the
 *    tree -> emptied and unflushed -> clean again. Unflushed tables are linked through
 *    their first entries. Such a link is an address, so its present bit is clear, and a late
 *    walker finds nothing in the table. A table in the tree is never empty, except the pgd.
 *
 * 4. Who may touch what. One thread at a time changes an address space. A walker may read it
 *    at any time. So one store changes an entry, and a new table is filled before it is linked.
 *    Where the walker may set bits (accessed, dirty), a compare-and-swap changes the entry.
 *    A lock guards the list of pgds and the kernel's half of each pgd.
 *
 * 5. Differences from Linux. A table is freed when it becomes empty; Linux looks at the
 *    neighbouring mappings instead. Tables have no count of their entries, so the entries are
 *    looked through. The fifth level is folded.
 *
 * 6. Failure. All memory is allocated first (for splitting huge entries, and for new tables), so
 *    nothing is done half way. Tables that were not needed in the end are freed at once: no walker
 *    has seen them.
 */
#ifndef PGTABLE_PGTABLE_H
#define PGTABLE_PGTABLE_H

#include <errno.h>

#include "base/atomic.h"
#include "base/compiler.h"
#include "usermm/page.h"
#include "usermm/pgtable.h"

/* Flags of an entry that leads to a table. The leaf restricts access. cf. Linux _PAGE_TABLE */
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

/* Where the entry around this address ends, or where the range ends if that comes first. */
static inline uint64_t entry_end(enum pgtable_level level, uint64_t address, uint64_t end)
{
	return min((address | (entry_bytes(level) - 1)) + 1, end);
}

/* Does this present entry map memory? Else it leads to a table. */
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

/* Is the range made of whole pages, in the lower half of the address space? */
static inline bool range_is_valid(uint64_t address, uint64_t bytes)
{
	return bytes && !((address | bytes) & ~PAGE_MASK) && address < PGTABLE_USER_END &&
	       bytes <= PGTABLE_USER_END - address;
}

/* Puts a table on a chain, which goes through the tables' first entries. */
static inline void table_link(void **chain, uint64_t *table)
{
	atomic_store_relaxed(table, (uint64_t)(unsigned long)*chain);
	*chain = table;
}

/* Takes the first table off a chain, which is not empty. The table is clean again. */
static inline uint64_t *table_unlink(void **chain)
{
	uint64_t *table = *chain;

	*chain = (void *)(unsigned long)table[0];
	atomic_store_relaxed(table, 0);
	return table;
}

/* A clean table; counts it in mm. NULL if there is no memory. */
uint64_t *table_alloc(struct pgtable *mm, enum pgtable_level level, gfp_t gfp);
/* For an emptied table that has left the tree: pgtable_flush() frees it. */
void table_free_unflushed(struct pgtable *mm, enum pgtable_level level, uint64_t *table);
/* Frees a clean table at once, for example one that was never in the tree. */
void table_free(struct pgtable *mm, enum pgtable_level level, uint64_t *table);
/* Unmaps the range. No huge entry reaches across its borders. */
void table_unmap(struct pgtable *mm, uint64_t *table, enum pgtable_level level,
		 uint64_t address, uint64_t end);

#endif
