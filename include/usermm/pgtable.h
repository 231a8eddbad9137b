/* SPDX-License-Identifier: MIT */
/*
 * Page tables of x86-64, four levels, built from quicklists or from plain pages.
 *
 * For those who make page tables for something else to walk: hypervisors (guest or
 * nested tables), IOMMUs, simulators, trusted firmware. A struct pgtable is one
 * address space. Its lower half (addresses below 2^47) is its own; the upper half
 * of each top level, entries 256 to 511, is the same in all address spaces and is
 * set by pgtable_set_kernel_entry().
 *
 * A table is a page in a known state: all zero, or for the top level (pgd) zero in the
 * lower half with the kernel's entries above. That is what quicklists are for: a
 * table is emptied while it is torn down anyway, and the next user gets it as it is.
 *
 * Addresses in entries are "physical": page frame number times page size. The
 * frame number of a table is its page_to_pfn(), so with usermm's window mapped at the
 * guest's address 0 the tables are walkable as they are; others subtract or add.
 *
 * Nothing here locks but the list of top levels: as with Linux's mmap_lock, the caller
 * lets one thread at a time work on one address space. Every call that allocates may
 * sleep if its gfp allows that. Errors are negative errno values; a call that fails has
 * changed nothing that a walk can see, not even for a moment. An address space that has been
 * ended, or could not be begun, maps nothing: changing or walking it is -EINVAL.
 *
 * Sources of the semantics: Intel SDM volume 3 chapter 4.5 (the format); Linux 2.6.21
 * arch/x86_64 and seed 3 (what passes through quicklists, trimming); Linux mm/memory.c
 * (copy-on-write in fork, freeing behind the flush).
 */
#ifndef USERMM_PGTABLE_H
#define USERMM_PGTABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "compiler.h"
#include "gfp.h"
#include "list.h"
#include "quicklist.h"

/* Levels, by what their entries map. */
enum pgtable_level { PGTABLE_PTE, PGTABLE_PMD, PGTABLE_PUD, PGTABLE_PGD, NR_PGTABLE_LEVELS };

#define PGTABLE_ENTRIES 512
#define PGTABLE_USER_ENTRIES 256
#define PGTABLE_USER_END (1ull << 47)	/* the first address that is not an address space's own */

/* Bits of an entry. */
#define PGTABLE_PRESENT	 (1ull << 0)
#define PGTABLE_RW	 (1ull << 1)
#define PGTABLE_USER	 (1ull << 2)
#define PGTABLE_PWT	 (1ull << 3)
#define PGTABLE_PCD	 (1ull << 4)
#define PGTABLE_ACCESSED (1ull << 5)
#define PGTABLE_DIRTY	 (1ull << 6)
#define PGTABLE_PSE	 (1ull << 7)	/* a huge entry; set by usermm alone */
#define PGTABLE_GLOBAL	 (1ull << 8)
#define PGTABLE_COW	 (1ull << 9)	/* software: written to only after a copy */
#define PGTABLE_SHARED	 (1ull << 10)	/* software: a copy of the address space shares it */
#define PGTABLE_NX	 (1ull << 63)

#define PGTABLE_ADDRESS_MASK 0x000ffffffffff000ull
/* What a caller may ask for in map and protect. */
#define PGTABLE_FLAGS	 (PGTABLE_RW | PGTABLE_USER | PGTABLE_PWT | PGTABLE_PCD |	\
			  PGTABLE_ACCESSED | PGTABLE_DIRTY | PGTABLE_GLOBAL |		\
			  PGTABLE_COW | PGTABLE_SHARED | PGTABLE_NX)

/*
 * Where tables come from and go to. alloc returns a page of usermm's in the level's state,
 * or NULL (an address of anything else is one line, and the process ends); free gets it back
 * in that state.
 */
struct pgtable_pages {
	void *(*alloc)(enum pgtable_level level, gfp_t gfp);
	void (*free)(enum pgtable_level level, void *table);
};

/* Tables pass through quicklists; see pgtable_trim(). */
extern const struct pgtable_pages pgtable_quicklist_pages
	USERMM_API(pgtable_quicklist_pages);
/* Every table is a zeroed page of the page allocator: what quicklists are measured against. */
extern const struct pgtable_pages pgtable_plain_pages USERMM_API(pgtable_plain_pages);

/* An address space. The caller's memory; all fields may be read, none written. */
struct pgtable {
	uint64_t *pgd;
	const struct pgtable_pages *pages;
	unsigned long nr_tables[NR_PGTABLE_LEVELS];	/* in use, the pgd included */
	unsigned long mapped_bytes;
	void *unflushed[NR_PGTABLE_LEVELS];	/* emptied tables, until pgtable_flush() */
	unsigned long nr_unflushed;
};

/* One translation. */
struct pgtable_leaf {
	uint64_t address;		/* where it starts */
	uint64_t bytes;			/* 4 KiB, 2 MiB or 1 GiB */
	uint64_t physical;
	uint64_t flags;			/* of PGTABLE_FLAGS, PGTABLE_PRESENT */
};

USERMM_BEGIN_DECLS

/* An empty address space, with the kernel's entries. 0, -ENOMEM; -EINVAL if pages is NULL. */
int pgtable_init(struct pgtable *mm, const struct pgtable_pages *pages, gfp_t gfp)
	USERMM_API(pgtable_init) USERMM_MUST_CHECK;

/*
 * Unmaps what is left, flushes, and gives the top level back. The caller has flushed its TLB.
 * Nothing to do if it has been ended, or pgtable_init() or pgtable_copy() failed.
 */
void pgtable_exit(struct pgtable *mm) USERMM_API(pgtable_exit);

/*
 * Maps [address, address + bytes) to physical memory from `physical` on; huge says whether
 * 2 MiB and 1 GiB entries may be used where both addresses are aligned to it.
 *
 *	-EINVAL	not multiples of 4 KiB, nothing, beyond the lower half, beyond 52 bits, or
 *		a flag that is not in PGTABLE_FLAGS
 *	-EEXIST	a part of it is mapped
 *	-ENOMEM
 */
int pgtable_map(struct pgtable *mm, uint64_t address, uint64_t physical, uint64_t bytes,
		uint64_t flags, bool huge, gfp_t gfp) USERMM_API(pgtable_map) USERMM_MUST_CHECK;

/*
 * Unmaps what is mapped in the range; a huge entry that reaches out of it is split, which is
 * what gfp is for. Tables that end up empty are kept until pgtable_flush().
 * -EINVAL as pgtable_map(), -ENOMEM.
 */
int pgtable_unmap(struct pgtable *mm, uint64_t address, uint64_t bytes, gfp_t gfp)
	USERMM_API(pgtable_unmap) USERMM_MUST_CHECK;

/*
 * flags = (flags & ~clear) | set, of every translation in the range; what is not
 * mapped stays so. Huge entries that reach out of the range are split. -EINVAL, -ENOMEM.
 */
int pgtable_protect(struct pgtable *mm, uint64_t address, uint64_t bytes, uint64_t set,
		    uint64_t clear, gfp_t gfp) USERMM_API(pgtable_protect) USERMM_MUST_CHECK;

/* The translation of an address; false if there is none. Walks the tables. */
bool pgtable_lookup(const struct pgtable *mm, uint64_t address, struct pgtable_leaf *leaf)
	USERMM_API(pgtable_lookup);

/*
 * Calls visit for every translation that touches the range, in order of address. A result
 * other than 0 ends the walk and is returned. visit must not change this address space.
 */
int pgtable_walk(const struct pgtable *mm, uint64_t address, uint64_t bytes,
		 int (*visit)(const struct pgtable_leaf *leaf, void *arg), void *arg)
	USERMM_API(pgtable_walk);

/*
 * As fork does: makes child (not initialised yet) a copy of the parent. What is writable
 * and not PGTABLE_SHARED becomes read-only and PGTABLE_COW in both. The caller then
 * flushes the parent's TLB. -ENOMEM: there is no child; the parent translates
 * as before, but what was written to is PGTABLE_COW already. -EINVAL: the parent is no address
 * space, or the child.
 */
int pgtable_copy(struct pgtable *child, struct pgtable *parent, gfp_t gfp)
	USERMM_API(pgtable_copy) USERMM_MUST_CHECK;

/*
 * Ends copy-on-write of the page at this address: it now is at `physical` (which may be
 * where it was, if nobody else has it) and writable. A huge entry is split.
 * -ENOENT if there is no such translation, -EINVAL, -ENOMEM.
 */
int pgtable_break_cow(struct pgtable *mm, uint64_t address, uint64_t physical, gfp_t gfp)
	USERMM_API(pgtable_break_cow) USERMM_MUST_CHECK;

/*
 * The caller has flushed its TLB, so nothing walks tables any more that were taken
 * out of the tree before: they go back to where they came from. Before that no other
 * address space gets them. Returns how many.
 */
unsigned long pgtable_flush(struct pgtable *mm) USERMM_API(pgtable_flush);

/*
 * Trims this CPU's quicklists of tables, as Linux did behind a flush and when idle: at
 * least 25 stay on each list, at most 16 are freed in a call. cf. check_pgt_cache().
 */
void pgtable_trim(void) USERMM_API(pgtable_trim);

/* What the quicklist of this level's tables has done; all but pgds have one in common. */
void pgtable_quicklist_stats(enum pgtable_level level, struct quicklist_stats *stats)
	USERMM_API(pgtable_quicklist_stats);

/*
 * Entry 256 to 511 of every top level there is or will be, those on quicklists included.
 * -EINVAL for another index. Others may be at work in the lower halves meanwhile.
 */
int pgtable_set_kernel_entry(unsigned int index, uint64_t entry)
	USERMM_API(pgtable_set_kernel_entry) USERMM_MUST_CHECK;

/* Top levels that exist, in use or on quicklists. */
unsigned long pgtable_nr_pgds(void) USERMM_API(pgtable_nr_pgds);

USERMM_END_DECLS

#endif
