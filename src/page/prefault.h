/* SPDX-License-Identifier: MIT */
/*
 * The option prefault makes memory present before anybody touches it. cf. madvise(2),
 * MADV_POPULATE_WRITE, Linux 5.14.
 *
 * A growing heap takes pages that nobody has touched, so each page costs a page fault: some 4000
 * cycles on a virtual machine. A fifth of them is the way into the kernel and back. The blocks that
 * a per-CPU list takes at a time lie in a row, and whoever takes a page writes to it. So one call
 * makes them present together. The price is memory that lies on the list unused. So prefault works
 *
 * - only up to a small share of what the zone has in use: PREFAULT_SHARE. A small program
 *   prefaults nothing;
 * - only for memory that is known to be zero, since other memory is mostly present;
 * - for blocks of several pages only if the owner says that it will write to all of them
 *   (GFP_PREFAULT), as for a slab of objects that are not larger than a page. Other owners may
 *   leave much of each block untouched, and the share above would not bound how much;
 * - never for requests that do not use the lists.
 *
 * Memory that was made present stays zero. If a kernel or a sandbox refuses, it is not asked again.
 * A sandbox that kills is never asked (malloc/interpose/sandbox.c).
 */
#ifndef PAGE_PREFAULT_H
#define PAGE_PREFAULT_H

#include "page/zone.h"

/* A call for fewer pages gains nothing, because it costs as much as two faults. */
#define PREFAULT_PAGES_MIN 8UL
/*
 * A request may prefault one page for every PREFAULT_SHARE pages in use, divided by the number of
 * CPUs. So the lists of one kind on all CPUs stay below that share.
 */
#define PREFAULT_SHARE 32

/* How many pages may be made present among those that a request takes for itself and its list. */
unsigned long prefault_share(const struct zone *z, unsigned int order, unsigned int alloc_flags);

struct prefault_range {
	const struct page *page;
	unsigned long nr_pages;		/* 0: nothing to do */
};

/*
 * Chooses the first row that is worth a call, among blocks that were just taken from the buddy
 * lists. The blocks' flags say whether they are zero. Takes the row's pages off *share.
 *
 * The caller first puts the blocks on the CPU's list, and only then makes the row present. In the
 * other order a fork child would lack the blocks meanwhile, and so would others who look for
 * memory. So others may own the blocks by then, or have given them back. Their section is still
 * online all the same, because the caller holds a block of it: `held`.
 */
void prefault_choose(struct prefault_range *range, unsigned int order,
		     struct page *const *blocks, unsigned int nr, const struct page *held,
		     unsigned long *share);
/* Makes the range present. Takes no lock. Ignores errors: whoever touches the pages gets them. */
void prefault(const struct prefault_range *range);
/* Prefaults nothing any more in this process: a sandbox may kill it for such a call. */
void prefault_forbid(void);

#endif
