/* SPDX-License-Identifier: MIT */
/*
 * The loops of seed 0's test module. The non-compound loop frees the block's tail while a reference
 * to the head remains, so that every block is split and merged again. The compound loop does not.
 */
#ifndef BENCH_LOOPS_PAGE_ALLOC_H
#define BENCH_LOOPS_PAGE_ALLOC_H

#include "loop.h"

#define PAGE_ALLOC_ORDER 3

static __always_inline void page_alloc_body(struct bench_run *run, gfp_t gfp)
{
	uint64_t start = ticks_begin();

	for (unsigned long i = 0; i < run->n; i++) {
		unsigned long addr = __get_free_pages(gfp, PAGE_ALLOC_ORDER);
		struct page *page;

		if (unlikely(!addr)) {
			run->failed++;
			break;
		}
		page = virt_to_page((void *)addr);
		get_page(page);
		free_pages(addr, PAGE_ALLOC_ORDER);
		put_page(page);
	}
	run->ticks[0] = ticks_end() - start;
}

BENCH_PLACED(plain_loops, page_alloc_body(run, GFP_KERNEL));
BENCH_PLACED(comp_loops, page_alloc_body(run, GFP_KERNEL | __GFP_COMP));

#endif
