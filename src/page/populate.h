/* SPDX-License-Identifier: MIT */
/*
 * Memory is made present before it is touched, by the option populate; cf. madvise(2),
 * MADV_POPULATE_WRITE, Linux 5.14.
 *
 * Nobody has touched what a growing heap takes, so each of its pages is a page fault: some 4000
 * cycles on a virtual machine, of which a fifth is the way into the kernel and back. What a
 * per-CPU list takes at a time lies in a row, and whoever takes pages writes to them. So they are
 * made present together, by one call. What the list keeps has memory that nobody uses then; so
 *
 *   - only as far as that is little beside what the zone has in use: POPULATE_SHARE. A small
 *     program has none at all;
 *   - only what is known to be zero, since other memory is present mostly;
 *   - never for requests that go past the lists: of a large block much may stay untouched.
 *
 * What is present stays zero. A kernel or a sandbox that refuses is asked once.
 */
#ifndef PAGE_POPULATE_H
#define PAGE_POPULATE_H

#include "page/zone.h"

/* Fewer pages at a time gain nothing: the call costs as much as two faults. */
#define POPULATE_PAGES_MIN 8UL
/* All CPUs together make so large a part present of what is in use, of one order at a time. */
#define POPULATE_SHARE 32

/*
 * Blocks that have just been taken from the buddy lists, whose flags say whether they are zero.
 * Without locks. Errors are nobody's business: who touches the pages meets them, or does not.
 */
void populate_blocks(const struct zone *z, unsigned int order, struct page *const *blocks,
		     unsigned int nr);

#endif
