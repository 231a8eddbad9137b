// SPDX-License-Identifier: MIT
/*
 * Suite page-bulk: seed 1's table. `list` and `array` allocate pages in bulk and put them one by
 * one, as the seed's test did. The next two also free in bulk. `recycle` and `recycle_ring` do not
 * free at all: pages go back to the user's own stack, or through a ring as from another context
 * (recycler.h). A bulk call may return fewer pages than requested; figures are per page returned.
 *
 * The seed's budget is the total cost that a packet may have. Each row tells which part of the
 * budget its page takes.
 */
#include <math.h>
#include <string.h>

#include "bench.h"
#include "loops/page_bulk.h"
#include "page_free.h"
#include "recycler.h"
#include "results.h"
#include "measure/timing.h"

#define ROUNDS 41

static const struct {
	long step;
	double cycles, ns;	/* the seed's figures */
} seed[] = {
	{ 1, 128, 32.134 }, { 2, 107, 26.783 }, { 3, 100, 25.047 }, { 4, 95, 23.988 },
	{ 8, 91, 22.823 }, { 16, 88, 22.093 }, { 32, 85, 21.338 }, { 64, 85, 21.315 },
	{ 128, 84, 21.214 }, { 256, 115, 28.979 },
};
#define SEED_SINGLE_CYCLES 158
#define SEED_SINGLE_NS 39.593
#define BUDGET_LOW 201.0
#define BUDGET_HIGH 269.0
/* The table of budgets is about bulk calls of this many pages. */
#define BUDGET_STEP 64

static __always_inline void array_bulk_free_body(struct bench_run *run)
{
	unsigned long nr = (unsigned long)run->step, pages = 0;
	struct page *array[MAX_BULK] = { NULL };
	uint64_t start = ticks_begin();

	for (unsigned long i = 0; i < run->n; i++) {
		unsigned long got = alloc_pages_bulk_array(GFP_KERNEL, nr, array);

		free_pages_bulk(array, got);
		memset(array, 0, got * sizeof(array[0]));
		pages += got;
	}
	run->ticks[0] = ticks_end() - start;
	run->objects = pages;
	run->failed = !pages;
}

static __always_inline void array_frozen_body(struct bench_run *run)
{
	unsigned long nr = (unsigned long)run->step, pages = 0;
	struct page *array[MAX_BULK];
	uint64_t start = ticks_begin();

	for (unsigned long i = 0; i < run->n; i++) {
		unsigned long got = alloc_frozen_pages_bulk(GFP_KERNEL, nr, array);

		free_frozen_pages_bulk(array, got);
		pages += got;
	}
	run->ticks[0] = ticks_end() - start;
	run->objects = pages;
	run->failed = !pages;
}

static __always_inline void recycle_body(struct bench_run *run, bool direct)
{
	static struct recycler recycler;
	struct page *array[MAX_BULK];
	unsigned long failed = 0;
	uint64_t start = ticks_begin();

	for (unsigned long i = 0; i < run->n; i++) {
		for (long j = 0; j < run->step; j++) {
			array[j] = recycler_take(&recycler);
			failed += !array[j];
		}
		if (unlikely(failed))
			break;
		for (long j = 0; j < run->step; j++)
			recycler_return(&recycler, array[j], direct);
	}
	run->ticks[0] = ticks_end() - start;
	run->failed = failed;
	if (!failed)
		recycler_drain(&recycler);
}

BENCH_PLACED(recycle_loops, recycle_body(run, true));
BENCH_PLACED(recycle_ring_loops, recycle_body(run, false));
BENCH_PLACED(array_bulk_free_loops, array_bulk_free_body(run));
BENCH_PLACED(array_frozen_loops, array_frozen_body(run));

static const struct {
	const char *name;
	const bench_loop *loops;
} kinds[] = {
	{ "list", list_loops },
	{ "array", array_loops },
	{ "array_bulk_free", array_bulk_free_loops },
	{ "array_frozen", array_frozen_loops },
	{ "recycle", recycle_loops },
	{ "recycle_ring", recycle_ring_loops },
};

#define KINDS ARRAY_SIZE(kinds)
#define STEPS ARRAY_SIZE(seed)

/* Adds the part of the budget that a page takes, in percent of its upper and of its lower limit. */
static void add_budget(struct json *row, double cycles)
{
	json_add_real(row, "budget_percent_low", 100 * cycles / BUDGET_HIGH);
	json_add_real(row, "budget_percent_high", 100 * cycles / BUDGET_LOW);
}

static void add_single(struct bench *bench, const struct bench_case *c)
{
	struct json *row = results_add_counted(bench, "single", 1, c->cycles[0], c->instructions);

	if (!row)
		return;
	add_budget(row, c->cycles[0]);
	bench_print(bench, "Single (order-0) page: %s cycles(tsc) %s ns, %s; seed %d cycles(tsc) "
			   "%.3f ns\n", show_whole(c->cycles[0]), show_ns(c->cycles[0]),
		    show_ratio(bench, c->cycles[0]), SEED_SINGLE_CYCLES, SEED_SINGLE_NS);
}

static void print_budget(struct bench *bench, const char *name, double cycles)
{
	if (!isnan(cycles))
		bench_print(bench, "%-16s %s cycles, %.1f to %.1f %%\n", name, show_cycles(cycles),
			    100 * cycles / BUDGET_HIGH, 100 * cycles / BUDGET_LOW);
}

/* Prints how much of the budget is left for the rest of the packet. */
static void print_budgets(struct bench *bench, const struct bench_case *cases,
			  const struct bench_case *single)
{
	bench_print(bench, "Of the %.0f to %.0f cycles that a packet may cost (seed) a page takes, "
			   "by %d:\n", BUDGET_LOW, BUDGET_HIGH, BUDGET_STEP);
	print_budget(bench, "single", single->cycles[0]);
	for (unsigned int i = 0; i < STEPS; i++)
		for (unsigned int kind = 0; kind < KINDS && seed[i].step == BUDGET_STEP; kind++)
			print_budget(bench, kinds[kind].name, cases[i * KINDS + kind].cycles[0]);
}

static void print_header(struct bench *bench)
{
	bench_print(bench, "%68s", "|");
	for (unsigned int kind = 0; kind < KINDS; kind++)
		bench_print(bench, " %15s", kinds[kind].name);
	bench_print(bench, "\n");
}

/* Prints the seed's line with the seed's figures beside, then the other kinds. */
static void print_step(struct bench *bench, unsigned int i, const struct bench_case *cases)
{
	double array = cases[1].cycles[0];

	bench_print(bench, "Bulk: %3ld cycles: %3s nanosec: %6s | seed cycles: %3.0f nanosec: "
			   "%6.3f |", seed[i].step, show_whole(array), show_ns(array),
		    seed[i].cycles, seed[i].ns);
	for (unsigned int kind = 0; kind < KINDS; kind++)
		bench_print(bench, " %8s %6s", show_cycles(cases[kind].cycles[0]),
			    show_ratio(bench, cases[kind].cycles[0]));
	bench_print(bench, "\n");
}

void bench_page_bulk(struct bench *bench)
{
	struct bench_case cases[STEPS * KINDS + 1];
	struct bench_case *single = &cases[STEPS * KINDS];

	for (unsigned int i = 0; i < STEPS * KINDS; i++) {
		long step = seed[i / KINDS].step;

		cases[i] = (struct bench_case){ .loops = kinds[i % KINDS].loops, .step = step,
						.per = step, .bare = 1,
						.n = PAGES_A_RUN / step };
	}
	*single = (struct bench_case){ .loops = single_loops, .step = 1, .n = PAGES_A_RUN,
				       .bare = 1 };
	bench_measure(cases, ARRAY_SIZE(cases), ROUNDS);
	add_single(bench, single);
	print_header(bench);
	for (unsigned int i = 0; i < STEPS; i++) {
		for (unsigned int kind = 0; kind < KINDS; kind++) {
			const struct bench_case *c = &cases[i * KINDS + kind];

			add_budget(results_add_counted(bench, kinds[kind].name, c->step,
						       c->cycles[0], c->instructions),
				   c->cycles[0]);
		}
		print_step(bench, i, &cases[i * KINDS]);
	}
	print_budgets(bench, cases, single);
	page_free_rows(bench);
}
