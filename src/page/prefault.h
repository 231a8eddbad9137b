/* SPDX-License-Identifier: MIT */
/*
 * Memory is made present before it is touched, by the option prefault; cf. madvise(2),
 * MADV_POPULATE_WRITE, Linux 5.14.
 *
 * Nobody has touched what a growing heap takes, so each of its pages is a page fault: some 4000
 * cycles on a virtual machine, of which a fifth is the way into the kernel and back. What a
 * per-CPU list takes at a time lies in a row, and whoever takes a page writes to it. So they are
 * made present together, by one call. What the list keeps has memory that nobody uses then; so
 *
 *   - only as far as that is little beside what the zone has in use: PREFAULT_SHARE. A small
 *     program has none at all;
 *   - only what is known to be zero, since other memory is present mostly;
 *   - of blocks of several pages only where the owner says that he will write to all of them
 *     (GFP_PREFAULT), as for a slab of objects none of which is larger than a page. Of others
 *     much may stay untouched, of each one that is taken: no share of the rest is a bound to that;
 *   - never for requests that go past the lists.
 *
 * What is present stays zero. A kernel or a sandbox that refuses is asked once; one that kills, not
 * at all (malloc/interpose/sandbox.c).
 */
#ifndef PAGE_PREFAULT_H
#define PAGE_PREFAULT_H

#include "page/zone.h"

/* Fewer pages at a time gain nothing: the call costs as much as two faults. */
#define PREFAULT_PAGES_MIN 8UL
/* All CPUs' lists of one kind together get so large a part of what is in use at a time. */
#define PREFAULT_SHARE 32

/* So many pages may be made present of what one request takes for itself and its list; or 0. */
unsigned long prefault_share(const struct zone *z, unsigned int order, unsigned int alloc_flags);

struct prefault_range {
	const struct page *page;
	unsigned long nr_pages;		/* 0: there is nothing to be done */
};

/*
 * Of blocks that have just been taken from the buddy lists, whose flags say whether they are zero,
 * the first row that is worth a call; *share is what is left of it.
 *
 * They are populated when they are on the CPU's list: what a thread has in hand meanwhile would be
 * missing in a fork child, and to others who look for memory. So others may have them by then, who
 * may have given them back; what is still there is their section, since the caller has a block of
 * it, held.
 */
void prefault_choose(struct prefault_range *range, unsigned int order,
		     struct page *const *blocks, unsigned int nr, const struct page *held,
		     unsigned long *share);
/* Without locks. Errors are nobody's business: who touches the pages meets them, or does not. */
void prefault(const struct prefault_range *range);
/* Never again in this process: it may be killed for the call. */
void prefault_forbid(void);

#endif
