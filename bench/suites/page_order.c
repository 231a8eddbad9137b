// SPDX-License-Identifier: MIT
/*
 * Suite page-order: the cost of a block, by order. A pair allocates and frees one block; pair16
 * allocates sixteen and then frees them. The memory of the blocks is not touched.
 */
#include <math.h>

#include "bench.h"
#include "results.h"
#include "measure/timing.h"
#include "usermm/usermm.h"

#define ROUNDS 31
#define ROUNDS_2CPU 15
#define BATCH 16

static __always_inline struct page *take(gfp_t gfp, unsigned int order, bool frozen)
{
	return frozen ? alloc_frozen_pages(gfp, order) : alloc_pages(gfp, order);
}

static __always_inline void give(struct page *page, unsigned int order, bool frozen)
{
	if (frozen)
		free_frozen_pages(page, order);
	else
		__free_pages(page, order);
}

/* Holds blocks back, so that each place uses another block: see loops/loop.h. */
static noinline void hold(const struct bench_run *run, struct page **held)
{
	for (unsigned int i = 0; i < run->place; i++)
		held[i] = alloc_pages(GFP_KERNEL, (unsigned int)run->step);
}

static noinline void release(const struct bench_run *run, struct page **held)
{
	for (unsigned int i = run->place; i-- > 0;)
		if (held[i])
			__free_pages(held[i], (unsigned int)run->step);
}

static __always_inline void pair_body(struct bench_run *run, gfp_t gfp, bool frozen)
{
	struct page *held[BENCH_PLACEMENTS];
	unsigned int order = (unsigned int)run->step;
	unsigned long failed = 0;
	uint64_t start;

	hold(run, held);
	start = ticks_begin();
	for (unsigned long i = 0; i < run->n; i++) {
		struct page *page = take(gfp, order, frozen);

		if (likely(page))
			give(page, order, frozen);
		else
			failed++;
	}
	run->ticks[0] = ticks_end() - start;
	run->failed = failed;
	release(run, held);
}

static __always_inline void pair16_body(struct bench_run *run, bool frozen)
{
	struct page *held[BENCH_PLACEMENTS], *pages[BATCH];
	unsigned int order = (unsigned int)run->step;
	unsigned long failed = 0;
	uint64_t start;

	hold(run, held);
	start = ticks_begin();
	for (unsigned long i = 0; i < run->n; i++) {
		for (unsigned int j = 0; j < BATCH; j++)
			pages[j] = take(GFP_KERNEL, order, frozen);
		for (unsigned int j = 0; j < BATCH; j++) {
			if (likely(pages[j]))
				give(pages[j], order, frozen);
			else
				failed++;
		}
	}
	run->ticks[0] = ticks_end() - start;
	run->failed = failed;
	release(run, held);
}

BENCH_PLACED(pair_loops, pair_body(run, GFP_KERNEL, false));
BENCH_PLACED(comp_loops, pair_body(run, GFP_KERNEL | __GFP_COMP, false));
BENCH_PLACED(frozen_loops, pair_body(run, GFP_KERNEL, true));
BENCH_PLACED(pair16_loops, pair16_body(run, false));
BENCH_PLACED(frozen16_loops, pair16_body(run, true));

static const struct {
	const char *name;
	const bench_loop *loops;
	unsigned int per;
} kinds[] = {
	{ "pair", pair_loops, 1 },
	{ "pair16", pair16_loops, BATCH },
	{ "comp_pair", comp_loops, 1 },
	{ "frozen_pair", frozen_loops, 1 },
	{ "frozen_pair16", frozen16_loops, BATCH },
};

#define KINDS ARRAY_SIZE(kinds)

static void print_order(struct bench *bench, unsigned int order, const struct bench_case *cases,
			double both)
{
	bench_print(bench, "%5u", order);
	for (unsigned int kind = 0; kind < KINDS; kind++)
		bench_print(bench, " %8s %6s", show_cycles(cases[kind].cycles[0]),
			    show_ratio(bench, cases[kind].cycles[0]));
	bench_print(bench, " %8s %6s\n", show_cycles(both), show_ratio(bench, both));
}

static void print_header(struct bench *bench)
{
	bench_print(bench, "%5s", "order");
	for (unsigned int kind = 0; kind < KINDS; kind++)
		bench_print(bench, " %15s", kinds[kind].name);
	bench_print(bench, " %15s\n", "pair_2cpu");
}

void bench_page_order(struct bench *bench)
{
	struct bench_case cases[NR_PAGE_ORDERS][KINDS], both[NR_PAGE_ORDERS];

	for (unsigned int order = 0; order < NR_PAGE_ORDERS; order++) {
		for (unsigned int kind = 0; kind < KINDS; kind++)
			cases[order][kind] = (struct bench_case){
				.loops = kinds[kind].loops, .step = order,
				.per = kinds[kind].per, .bare = 1,
			};
		both[order] = (struct bench_case){ .loops = pair_loops, .step = order,
						   .bare = 1, .cycles = { NAN, NAN } };
	}
	bench_measure(cases[0], NR_PAGE_ORDERS * KINDS, ROUNDS);
	bench_measure_2cpu(both, NR_PAGE_ORDERS, ROUNDS_2CPU);
	print_header(bench);
	for (unsigned int order = 0; order < NR_PAGE_ORDERS; order++) {
		for (unsigned int kind = 0; kind < KINDS; kind++)
			results_add_counted(bench, kinds[kind].name, order,
					    cases[order][kind].cycles[0],
					    cases[order][kind].instructions);
		results_add(bench, "pair_2cpu", order, both[order].cycles[0]);
		print_order(bench, order, cases[order], both[order].cycles[0]);
	}
}
