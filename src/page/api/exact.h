/* SPDX-License-Identifier: MIT */
/*
 * Blocks of any number of pages up to the highest order, frozen: a power of two
 * is taken and what is too much goes straight back. cf. Linux
 * alloc_pages_exact(), which keeps counts. Powers of two up to 512 KiB come from the CPU's lists
 * and return to them, which keep as much of each of the larger orders; so do the numbers between
 * them that malloc() asks for, up to 112 pages, where a machine has one node: lists of their own
 * keep 128 KiB of each number, or one block.
 *
 * Otherwise, what went back is somebody else's soon, so when such a block is freed it does not
 * become a power of two again. Where it lies the same number of pages has room: that is looked for
 * first, or who allocates and frees such blocks in turns comes by new memory all the time.
 */
#ifndef PAGE_API_EXACT_H
#define PAGE_API_EXACT_H

#include "base/compiler.h"
#include "usermm/page.h"

/*
 * nr_pages pages (1 .. 1024) aligned to 2^align_order pages. *zeroed says whether
 * their memory is known to be zero. NULL without memory, or where that is made to fail
 * (usermm/fault.h).
 */
struct page *alloc_frozen_exact(gfp_t gfp, unsigned long nr_pages, unsigned int align_order,
				bool *zeroed);
void free_frozen_exact(struct page *page, unsigned long nr_pages);

/*
 * The hole that alloc_frozen_exact() looks for, of the calling thread's zone alone. NULL unless
 * one is seen at once and the zone stays above its low mark. The layer is up.
 */
struct page *alloc_frozen_hole(gfp_t gfp, unsigned long nr_pages, unsigned int align_order,
			       bool *zeroed);

#endif
