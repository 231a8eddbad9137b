// SPDX-License-Identifier: MIT
/* Suite page-alloc: seed 0's test module, a million times each loop. */
#include <math.h>
#include <string.h>

#include "bench.h"
#include "loops/page_alloc.h"
#include "results.h"
#include "timing.h"

#define LOOPS 1000000

struct variant {
	const char *title;
	const char *row;
	const bench_loop *loops;
	double seed_before, seed_after;		/* ns per loop */
};

static const struct variant variants[] = {
	{ "GFP_KERNEL", "order3", plain_loops, 3543.00, 3586.95 },
	{ "GFP_KERNEL | __GFP_COMP", "order3_comp", comp_loops, 239.98, 235.49 },
};

/* The loop is what is timed in the seed: nothing is subtracted for it. */
static void run_variant(struct bench *bench, const struct variant *variant)
{
	struct bench_case c = { .loops = variant->loops, .step = PAGE_ALLOC_ORDER, .n = LOOPS };
	double places[BENCH_PLACEMENTS], cycles;

	bench_print(bench, "page_alloc_test: Testing with %s\n", variant->title);
	bench_print(bench, "page_alloc_test: Starting 1,000,000 allocations...\n");
	for (unsigned int place = 0; place < BENCH_PLACEMENTS; place++)
		places[place] = bench_sample(&c, place);
	cycles = bench_median(places, BENCH_PLACEMENTS);
	if (!results_add(bench, variant->row, PAGE_ALLOC_ORDER, cycles)) {
		bench_print(bench, "page_alloc_test: out of memory\n");
		return;
	}
	bench_print(bench, "page_alloc_test: Completed. Time: %.0f us (Avg: %.2f ns per "
			   "alloc+free loop)\n", timing_ns(cycles) * LOOPS / 1000,
		    timing_ns(cycles));
}

static double row_ns(const struct bench *bench, const char *name)
{
	json_t *row;
	size_t i;

	json_array_foreach(bench->rows, i, row)
		if (!strcmp(json_string_value(json_object_get(row, "name")), name))
			return json_real_value(json_object_get(row, "ns"));
	return NAN;
}

void bench_page_alloc(struct bench *bench)
{
	timing_pin(timing_cpu(0));
	for (unsigned int i = 0; i < ARRAY_SIZE(variants); i++)
		run_variant(bench, &variants[i]);
	bench_print(bench, "page_alloc_test: Test completed\n");
	for (unsigned int i = 0; i < ARRAY_SIZE(variants); i++) {
		double ns = row_ns(bench, variants[i].row);

		if (isnan(ns))
			continue;
		bench_print(bench, "%-12s %8.2f ns/loop (%s); seed %.2f before, %.2f after\n",
			    variants[i].row, ns, show_ratio(bench, ns * timing_hz() / 1e9),
			    variants[i].seed_before, variants[i].seed_after);
	}
}
