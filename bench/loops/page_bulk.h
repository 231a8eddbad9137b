/* SPDX-License-Identifier: MIT */
/*
 * Seed 1's loops: pages are allocated one at a time, or in bulk by list or by array, and put one by
 * one. A bulk call may return fewer pages than requested; figures are per page returned.
 */
#ifndef BENCH_LOOPS_PAGE_BULK_H
#define BENCH_LOOPS_PAGE_BULK_H

#include "loop.h"

#define MAX_BULK 256
#define PAGES_A_RUN 8192

/* Linux 6.14 removed the bulk call for lists, and renamed the one for arrays. */
#define HAS_BULK_LIST 1
#define bulk_array alloc_pages_bulk_array
#ifdef LINUX_VERSION_CODE
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 14, 0)
#undef HAS_BULK_LIST
#undef bulk_array
#define HAS_BULK_LIST 0
#define bulk_array alloc_pages_bulk
#endif
#endif

static __always_inline void single_body(struct bench_run *run)
{
	unsigned long failed = 0;
	uint64_t start = ticks_begin();

	for (unsigned long i = 0; i < run->n; i++) {
		struct page *page = alloc_page(GFP_KERNEL);

		if (likely(page))
			put_page(page);
		else
			failed++;
	}
	run->ticks[0] = ticks_end() - start;
	run->failed = failed;
}

#if HAS_BULK_LIST
static __always_inline void list_body(struct bench_run *run)
{
	unsigned long nr = (unsigned long)run->step, pages = 0;
	uint64_t start = ticks_begin();

	for (unsigned long i = 0; i < run->n; i++) {
		struct page *page, *next;
		LIST_HEAD(list);

		pages += alloc_pages_bulk_list(GFP_KERNEL, nr, &list);
		list_for_each_entry_safe(page, next, &list, lru)
			put_page(page);
	}
	run->ticks[0] = ticks_end() - start;
	run->objects = pages;
	run->failed = !pages;
}
#endif

static __always_inline void array_body(struct bench_run *run)
{
	unsigned long nr = (unsigned long)run->step, pages = 0;
	struct page *array[MAX_BULK] = { NULL };
	uint64_t start = ticks_begin();

	for (unsigned long i = 0; i < run->n; i++) {
		unsigned long got = bulk_array(GFP_KERNEL, nr, array);

		for (unsigned long j = 0; j < got; j++) {
			put_page(array[j]);
			array[j] = NULL;
		}
		pages += got;
	}
	run->ticks[0] = ticks_end() - start;
	run->objects = pages;
	run->failed = !pages;
}

BENCH_PLACED(single_loops, single_body(run));
#if HAS_BULK_LIST
BENCH_PLACED(list_loops, list_body(run));
#endif
BENCH_PLACED(array_loops, array_body(run));

#endif
