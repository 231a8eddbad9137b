/* SPDX-License-Identifier: MIT */
/*
 * PAGE_PAIRS(name, take, give) defines two loops: name_one_loops takes a page and gives it back at
 * once; name_loops takes `step` pages and then gives them back.
 */
#ifndef BENCH_LOOPS_PAGE_PAIRS_H
#define BENCH_LOOPS_PAGE_PAIRS_H

#include "loop.h"

#define PAGE_PAIRS_MAX 32

static __always_inline void page_pair_body(struct bench_run *run, void *(*take)(void),
					   void (*give)(void *page))
{
	unsigned long failed = 0;
	uint64_t start = ticks_begin();

	for (unsigned long i = 0; i < run->n; i++) {
		void *page = take();

		if (likely(page))
			give(page);
		else
			failed++;
	}
	run->ticks[0] = ticks_end() - start;
	run->failed = failed;
}

static __always_inline void page_pairs_body(struct bench_run *run, void *(*take)(void),
					    void (*give)(void *page))
{
	unsigned long depth = (unsigned long)run->step, failed = 0;
	void *pages[PAGE_PAIRS_MAX];
	uint64_t start = ticks_begin();

	for (unsigned long i = 0; i < run->n; i++) {
		unsigned long got = 0;

		while (got < depth && (pages[got] = take()))
			got++;
		failed += depth - got;
		for (unsigned long j = 0; j < got; j++)
			give(pages[j]);
	}
	run->ticks[0] = ticks_end() - start;
	run->failed = failed;
}

#define PAGE_PAIRS(name, take, give)					\
	BENCH_PLACED(name##_one_loops, page_pair_body(run, take, give));	\
	BENCH_PLACED(name##_loops, page_pairs_body(run, take, give))

#endif
