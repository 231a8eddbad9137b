// SPDX-License-Identifier: MIT
/* Suite page-alloc: seed 0's test module, a million times each loop. */
#include <math.h>
#include <string.h>

#include "bench.h"
#include "loops/page_alloc.h"
#include "page/pcp/pcp_list.h"
#include "results.h"
#include "measure/timing.h"

#define LOOPS 1000000

struct variant {
	const char *title;
	gfp_t gfp;
	const char *row;
	const bench_loop *loops;
	double seed_before, seed_after;		/* ns for one loop, from the seed */
};

static const struct variant variants[] = {
	{ "GFP_KERNEL", GFP_KERNEL, "order3", plain_loops, 3543.00, 3586.95 },
	{ "GFP_KERNEL | __GFP_COMP", GFP_KERNEL | __GFP_COMP, "order3_comp", comp_loops,
	  239.98, 235.49 },
};

/* Nothing is subtracted for the loop, as in the seed. */
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

/* Counts the blocks of each order on the current CPU's lists. */
static void count_listed(unsigned long nr[NR_PAGE_ORDERS])
{
	const struct zone *z;
	int slot = percpu_current_slot();

	memset(nr, 0, NR_PAGE_ORDERS * sizeof(*nr));
	for_each_populated_zone(z)
		for (unsigned int i = 0; slot >= 0 && i < NR_PCP_ORDER_LISTS; i++)
			nr[index_order(i)] += slot_blocks(z, (unsigned int)slot, i);
}

static void print_freed(struct bench *bench, const char *what, struct json *row,
			const unsigned long *before, const unsigned long *after)
{
	struct json *orders = json_object();

	bench_print(bench, " %s():", what);
	for (unsigned int order = 0; order < NR_PAGE_ORDERS; order++) {
		char name[8];

		if (after[order] <= before[order])
			continue;
		snprintf(name, sizeof(name), "%u", order);
		json_add_integer(orders, name, after[order] - before[order]);
		bench_print(bench, " %lu of order %u", after[order] - before[order], order);
	}
	json_add(row, what, orders);
}

/* Finds what one turn of the loop frees, and when, by counting the blocks on this CPU's lists. */
static void count_frees(struct bench *bench, const struct variant *variant, struct json *row)
{
	unsigned long addr = __get_free_pages(variant->gfp, PAGE_ALLOC_ORDER);
	unsigned long before[NR_PAGE_ORDERS], freed[NR_PAGE_ORDERS], put[NR_PAGE_ORDERS];
	struct page *page;

	if (!addr)
		return;
	page = virt_to_page((void *)addr);
	get_page(page);
	drain_local_pages(NULL);
	count_listed(before);
	free_pages(addr, PAGE_ALLOC_ORDER);
	count_listed(freed);
	put_page(page);
	count_listed(put);
	bench_print(bench, "%-12s one turn gives back", variant->row);
	print_freed(bench, "free_pages", row, before, freed);
	print_freed(bench, "put_page", row, freed, put);
	bench_print(bench, "\n");
}

static double row_ns(const struct bench *bench, const char *name)
{
	struct json *row = json_find(bench->rows, "name", name);

	return row ? json_number(row, "ns") : NAN;
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
	for (unsigned int i = 0; i < ARRAY_SIZE(variants); i++) {
		struct json *row = json_find(bench->rows, "name", variants[i].row);

		if (row)
			count_frees(bench, &variants[i], row);
	}
}
