/* SPDX-License-Identifier: MIT */
/*
 * Page tables of x86-64, four levels, built from quicklists or from plain pages.
 *
 * They are for programs that make page tables for something else to walk: hypervisors (guest or
 * nested tables), IOMMUs, simulators, trusted firmware. A struct pgtable is one address space. Its
 * lower half (addresses below 2^47) is its own. The upper half of each top level, entries 256 to
 * 511, is the same in all address spaces; pgtable_set_kernel_entry() sets it.
 *
 * A table is a page in a known state: all zero, or for the top level (pgd) zero in the lower half
 * with the kernel's entries above. This suits quicklists: tearing an address space down empties its
 * tables anyway, and the next user gets them as they are.
 *
 * Addresses in entries are "physical": page frame number times page size. The frame number of a
 * table is its page_to_pfn(). So if usermm's window is mapped at the guest's address 0, the guest
 * can walk the tables as they are; otherwise the caller adds or subtracts an offset.
 *
 * Locking: one thread at a time may work on one address space; the caller sees to that (cf. Linux's
 * mmap_lock). The library locks only its list of top levels. Every call that allocates may sleep if
 * its gfp allows it.
 *
 * Errors are negative errno values. A call that fails has changed nothing that a walk can see, not
 * even for a moment. (pgtable_copy() may have made pages copy-on-write: see there.) An address
 * space after pgtable_exit(), or whose initialisation failed, maps nothing; changing or walking it
 * is -EINVAL.
 *
 * Sources of the semantics: Intel SDM volume 3 chapter 4.5 (the format); Linux 2.6.21
 * arch/x86_64 and seed 3, see docs/glossary.md (which tables pass through quicklists, trimming);
 * Linux mm/memory.c (copy-on-write in fork, freeing tables after the flush).
 */
#ifndef USERMM_PGTABLE_H
#define USERMM_PGTABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "compiler.h"
#include "gfp.h"
#include "list.h"
#include "quicklist.h"

/* Levels, named after their entries. */
enum pgtable_level { PGTABLE_PTE, PGTABLE_PMD, PGTABLE_PUD, PGTABLE_PGD, NR_PGTABLE_LEVELS };

#define PGTABLE_ENTRIES 512
#define PGTABLE_USER_ENTRIES 256
#define PGTABLE_USER_END (1ull << 47)	/* the first address of the shared upper half */

/* Bits of an entry. */
#define PGTABLE_PRESENT	 (1ull << 0)
#define PGTABLE_RW	 (1ull << 1)
#define PGTABLE_USER	 (1ull << 2)
#define PGTABLE_PWT	 (1ull << 3)
#define PGTABLE_PCD	 (1ull << 4)
#define PGTABLE_ACCESSED (1ull << 5)
#define PGTABLE_DIRTY	 (1ull << 6)
#define PGTABLE_PSE	 (1ull << 7)	/* a huge entry; only usermm sets it */
#define PGTABLE_GLOBAL	 (1ull << 8)
#define PGTABLE_COW	 (1ull << 9)	/* software: copy the page before a write */
#define PGTABLE_SHARED	 (1ull << 10)	/* software: pgtable_copy() shares the page */
#define PGTABLE_NX	 (1ull << 63)

#define PGTABLE_ADDRESS_MASK 0x000ffffffffff000ull
/* The flags that pgtable_map() and pgtable_protect() accept. */
#define PGTABLE_FLAGS	 (PGTABLE_RW | PGTABLE_USER | PGTABLE_PWT | PGTABLE_PCD |	\
			  PGTABLE_ACCESSED | PGTABLE_DIRTY | PGTABLE_GLOBAL |		\
			  PGTABLE_COW | PGTABLE_SHARED | PGTABLE_NX)

/*
 * Where tables come from and go to. alloc returns a page of usermm in the level's state, or NULL;
 * any other address is reported in one line and ends the process. free gets the page back in the
 * same state.
 */
struct pgtable_pages {
	void *(*alloc)(enum pgtable_level level, gfp_t gfp);
	void (*free)(enum pgtable_level level, void *table);
};

/* Tables pass through quicklists; see pgtable_trim(). */
extern const struct pgtable_pages pgtable_quicklist_pages
	USERMM_API(pgtable_quicklist_pages);
/* Every table is a zeroed page of the page allocator; benchmarks compare quicklists with it. */
extern const struct pgtable_pages pgtable_plain_pages USERMM_API(pgtable_plain_pages);

/* An address space. The caller owns this memory and may read all fields, but write none. */
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
	uint64_t flags;			/* PGTABLE_PRESENT and bits of PGTABLE_FLAGS */
};

USERMM_BEGIN_DECLS

/*
 * Makes *mm an empty address space with the kernel's entries. Returns 0; -ENOMEM; -EINVAL if pages
 * is NULL.
 */
int pgtable_init(struct pgtable *mm, const struct pgtable_pages *pages, gfp_t gfp)
	USERMM_API(pgtable_init) USERMM_MUST_CHECK;

/*
 * Unmaps everything, frees the tables as pgtable_flush() does, and frees the top level. The caller
 * must have flushed its TLB. No effect after pgtable_exit(), or after pgtable_init() or
 * pgtable_copy() failed.
 */
void pgtable_exit(struct pgtable *mm) USERMM_API(pgtable_exit);

/*
 * Maps [address, address + bytes) to physical memory from `physical` on. With huge, 2 MiB and 1 GiB
 * entries are used where both addresses are so aligned.
 *
 *	-EINVAL	a number is no multiple of 4 KiB, bytes is 0, the range leaves the lower half,
 *		physical has more than 52 bits, or a flag is not in PGTABLE_FLAGS
 *	-EEXIST	a part of the range is mapped already
 *	-ENOMEM
 */
int pgtable_map(struct pgtable *mm, uint64_t address, uint64_t physical, uint64_t bytes,
		uint64_t flags, bool huge, gfp_t gfp) USERMM_API(pgtable_map) USERMM_MUST_CHECK;

/*
 * Unmaps everything in the range. A huge entry that reaches out of the range is split, which takes
 * a table, allocated with gfp. Tables that become empty are kept until pgtable_flush(). Returns 0,
 * -EINVAL as pgtable_map(), or -ENOMEM.
 */
int pgtable_unmap(struct pgtable *mm, uint64_t address, uint64_t bytes, gfp_t gfp)
	USERMM_API(pgtable_unmap) USERMM_MUST_CHECK;

/*
 * Changes every translation in the range: flags = (flags & ~clear) | set. Unmapped parts stay
 * unmapped. Huge entries that reach out of the range are split. Returns 0, -EINVAL or -ENOMEM.
 */
int pgtable_protect(struct pgtable *mm, uint64_t address, uint64_t bytes, uint64_t set,
		    uint64_t clear, gfp_t gfp) USERMM_API(pgtable_protect) USERMM_MUST_CHECK;

/*
 * Walks the tables for an address. True, and *leaf is the translation; or false if there is none.
 */
bool pgtable_lookup(const struct pgtable *mm, uint64_t address, struct pgtable_leaf *leaf)
	USERMM_API(pgtable_lookup);

/*
 * Calls visit for every translation that touches the range, in order of address. If visit returns
 * anything but 0, the walk ends and returns this value. visit must not change this address space.
 */
int pgtable_walk(const struct pgtable *mm, uint64_t address, uint64_t bytes,
		 int (*visit)(const struct pgtable_leaf *leaf, void *arg), void *arg)
	USERMM_API(pgtable_walk);

/*
 * Makes child a copy of parent, as fork does. child must not be initialised yet. Pages that are
 * writable and not PGTABLE_SHARED become read-only and PGTABLE_COW in both. The caller must then
 * flush the parent's TLB.
 *
 *	-ENOMEM	there is no child. The parent translates as before, but writable pages may be
 *		PGTABLE_COW already
 *	-EINVAL	parent is no address space, or child is parent
 */
int pgtable_copy(struct pgtable *child, struct pgtable *parent, gfp_t gfp)
	USERMM_API(pgtable_copy) USERMM_MUST_CHECK;

/*
 * Ends copy-on-write of the page at this address: it becomes writable and translates to `physical`.
 * This may be the old physical page if nobody else maps it. A huge entry is split. Returns 0,
 * -ENOENT if there is no such translation, -EINVAL or -ENOMEM.
 */
int pgtable_break_cow(struct pgtable *mm, uint64_t address, uint64_t physical, gfp_t gfp)
	USERMM_API(pgtable_break_cow) USERMM_MUST_CHECK;

/*
 * Frees the tables that were taken out of the tree so far, and returns how many. The caller must
 * have flushed its TLB, so that nothing walks these tables any more. Until this call no other
 * address space gets them.
 */
unsigned long pgtable_flush(struct pgtable *mm) USERMM_API(pgtable_flush);

/*
 * Trims this CPU's quicklists of tables, as Linux did after a flush and when idle. At least 25
 * tables stay on each list, and a call frees at most 16. cf. check_pgt_cache().
 */
void pgtable_trim(void) USERMM_API(pgtable_trim);

/* Counts of the quicklist of this level's tables. All levels but the pgd share one quicklist. */
void pgtable_quicklist_stats(enum pgtable_level level, struct quicklist_stats *stats)
	USERMM_API(pgtable_quicklist_stats);

/*
 * Sets entry `index` (256 to 511) of all top levels that exist or will exist, including those on
 * quicklists. -EINVAL for another index. Other threads may work on lower halves meanwhile.
 */
int pgtable_set_kernel_entry(unsigned int index, uint64_t entry)
	USERMM_API(pgtable_set_kernel_entry) USERMM_MUST_CHECK;

/* How many top levels exist, in use or on quicklists. */
unsigned long pgtable_nr_pgds(void) USERMM_API(pgtable_nr_pgds);

USERMM_END_DECLS

#endif
