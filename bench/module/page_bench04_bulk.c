// SPDX-License-Identifier: MIT
/*
 * Seed 1's test (docs/glossary.md) as a module: pages are allocated one at a time and in bulk, and
 * put one by one.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/module.h>
#include <linux/version.h>

#include "../loops/measure.h"
#include "../loops/page_bulk.h"

static unsigned int loops = PAGES_A_RUN;
module_param(loops, uint, 0444);
MODULE_PARM_DESC(loops, "pages of a run");
static unsigned int rounds = MEASURE_MAX_ROUNDS;
module_param(rounds, uint, 0444);
static bool rows;
module_param(rows, bool, 0444);

static const long steps[] = { 1, 2, 3, 4, 8, 16, 32, 64, 128, 256 };

#define KINDS (1 + HAS_BULK_LIST)
#define SINGLE (ARRAY_SIZE(steps) * KINDS)

static const struct {
	const char *type, *row;
	const bench_loop *loops;
} kinds[KINDS] = {
#if HAS_BULK_LIST
	{ "alloc_pages_bulk_list", "list", list_loops },
#endif
	{ "alloc_pages_bulk_array", "array", array_loops },
};

static struct measure_case cases[SINGLE + 1];

static int show(const char *type, const char *row, const struct measure_case *c)
{
	u64 ns;

	if (c->cost[0] == MEASURE_FAILED)
		return -ENOMEM;
	ns = measure_ns(c->cost[0]) * 10;
	pr_info("Type:%s Per elem: %llu cycles(tsc) %llu.%03llu ns (step:%ld)\n", type,
		measure_whole(c->cost[0]), ns / 1000, ns % 1000, c->step);
	measure_row(row, c->step, c->cost[0]);
	return 0;
}

static int __init page_bench04_bulk_init(void)
{
	int error;

	if (loops < steps[ARRAY_SIZE(steps) - 1])
		return -EINVAL;
	measure_init(rows);
	for (unsigned int i = 0; i < SINGLE; i++)
		cases[i] = (struct measure_case){ .loops = kinds[i % KINDS].loops,
						  .step = steps[i / KINDS],
						  .n = loops / steps[i / KINDS] };
	cases[SINGLE] = (struct measure_case){ .loops = single_loops, .step = 1, .n = loops };
	measure_cases(cases, ARRAY_SIZE(cases), rounds);
	error = show("single_page_alloc_put", "single", &cases[SINGLE]);
	for (unsigned int kind = 0; kind < KINDS; kind++)
		for (unsigned int i = kind; i < SINGLE; i += KINDS)
			error = error ?: show(kinds[kind].type, kinds[kind].row, &cases[i]);
	return error;
}

static void __exit page_bench04_bulk_exit(void)
{
}

module_init(page_bench04_bulk_init);
module_exit(page_bench04_bulk_exit);
MODULE_LICENSE("Dual MIT/GPL");
MODULE_DESCRIPTION("Cost of a page, one at a time and in bulk");
