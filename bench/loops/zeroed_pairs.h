/* SPDX-License-Identifier: MIT */
/*
 * Takes a zeroed page and gives it back: from the page allocator, which clears the page each time,
 * and from a quicklist, which keeps the page as it was given back.
 */
#ifndef BENCH_LOOPS_ZEROED_PAIRS_H
#define BENCH_LOOPS_ZEROED_PAIRS_H

#include "page_pairs.h"
#include "quicklists.h"

static inline void *take_zeroed(void)
{
	return (void *)get_zeroed_page(GFP_KERNEL);
}

static inline void give_zeroed(void *page)
{
	free_page((unsigned long)page);
}

PAGE_PAIRS(zeroed, take_zeroed, give_zeroed);

#if HAVE_QUICKLISTS
static inline void *take_hit(void)
{
	return quicklist_alloc(QUICK_PT, GFP_KERNEL, NULL);
}

static inline void give_hit(void *page)
{
	quicklist_free(QUICK_PT, NULL, page);
}

PAGE_PAIRS(hit, take_hit, give_hit);
#endif

#endif
