/* SPDX-License-Identifier: MIT */
/*
 * The option prefault makes memory present before anybody touches it. cf. madvise(2),
 * MADV_POPULATE_WRITE, Linux 5.14.
 *
 * A growing heap takes pages that nobody has touched, so each page is a page fault: some 4000
 * cycles on a virtual machine, of which a fifth is the way into the kernel and back. The blocks
 * that a per-CPU list takes at a time lie in a row, and whoever takes a page writes to it. So one
 * call makes them present together. But then the list keeps memory that nobody uses. So this is
 * done
 *
 *   - only as far as the memory is little beside what the zone has in use: PREFAULT_SHARE. A small
 *     program prefaults nothing;
 *   - only for memory that is known to be zero, since other memory is mostly present;
 *   - for blocks of several pages only if the owner says that it will write to all of them
 *     (GFP_PREFAULT), as for a slab of objects none of which is larger than a page. Other owners
 *     may leave much of each block untouched, and a share of what is in use would not bound that;
 *   - never for requests that do not use the lists.
 *
 * Memory that was made present stays zero. A kernel or a sandbox that refuses is asked once; a
 * sandbox that kills is never asked (malloc/interpose/sandbox.c).
 */
#ifndef PAGE_PREFAULT_H
#define PAGE_PREFAULT_H

#include "page/zone.h"

/* Fewer pages at a time gain nothing: a call costs as much as two faults. */
#define PREFAULT_PAGES_MIN 8UL
/* All CPUs' lists of one kind together get one page for so many pages in use, at a time. */
#define PREFAULT_SHARE 32

/* How many pages of what a request takes for itself and its list may be made present; or 0. */
unsigned long prefault_share(const struct zone *z, unsigned int order, unsigned int alloc_flags);

struct prefault_range {
	const struct page *page;
	unsigned long nr_pages;		/* 0: nothing to do */
};

/*
 * Chooses, among blocks that were just taken from the buddy lists, the first row that is worth a
 * call. The blocks' flags say whether they are zero. Takes the row's pages off *share.
 *
 * The caller makes the row present when the blocks are on the CPU's list. If the thread still had
 * them in hand, a fork child would lack them, and so would others who look for memory. So others
 * may own the blocks by then, or have given them back. But their section is still online, since
 * the caller holds a block of that section: `held`.
 */
void prefault_choose(struct prefault_range *range, unsigned int order,
		     struct page *const *blocks, unsigned int nr, const struct page *held,
		     unsigned long *share);
/* Makes the range present. Takes no lock. Ignores errors: whoever touches the pages meets them. */
void prefault(const struct prefault_range *range);
/* No such call from now on in this process: a sandbox may kill the process for it. */
void prefault_forbid(void);

#endif
