/* SPDX-License-Identifier: MIT */
/*
 * Frozen blocks of any number of pages up to the highest order. A power of two is taken, and the
 * pages that are too many go straight back. cf. Linux alloc_pages_exact(), which keeps counts.
 *
 * Powers of two up to 512 KiB come from the CPU's lists and return to them. These lists keep at
 * most 512 KiB of each of the larger orders. On a machine with one node, CPUs also have lists for
 * the numbers between powers of two that malloc() asks for, up to 112 pages. Each of these lists
 * keeps 128 KiB or one block.
 *
 * For other numbers, somebody else soon owns the pages that went straight back. So a freed block
 * does not become a power of two again. It leaves a hole that fits the same number of pages. Such
 * holes are searched first; otherwise a program that allocates and frees such blocks in turn would
 * take new memory all the time.
 */
#ifndef PAGE_API_EXACT_H
#define PAGE_API_EXACT_H

#include "base/compiler.h"
#include "usermm/page.h"

/*
 * Allocates nr_pages pages (1 .. 1024) aligned to 2^align_order pages. *zeroed says whether their
 * memory is known to be zero. NULL without memory, or if fault injection says so (usermm/fault.h).
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
