// SPDX-License-Identifier: MIT
/* Seed 0's test (docs/glossary.md) as a module: blocks of order 3 with a second reference. */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/module.h>

#include "../loops/measure.h"
#include "../loops/page_alloc.h"

static unsigned int loops = 1000000;
module_param(loops, uint, 0444);
static bool rows;
module_param(rows, bool, 0444);

struct variant {
	const char *title, *row;
	const bench_loop *loops;
};

static const struct variant variants[] = {
	{ "GFP_KERNEL", "order3", plain_loops },
	{ "GFP_KERNEL | __GFP_COMP", "order3_comp", comp_loops },
};

/* Shows 1000000 as 1,000,000. */
static const char *with_commas(unsigned int number)
{
	static char text[16];
	char *at = text + sizeof(text) - 1;

	for (unsigned int digits = 0; number || !digits; number /= 10) {
		if (digits && digits % 3 == 0)
			*--at = ',';
		*--at = '0' + number % 10;
		digits++;
	}
	return at;
}

/* Nothing is subtracted for the loop, as in the seed. */
static int run_variant(const struct variant *variant)
{
	static struct measure_case c;
	u64 ns;

	c = (struct measure_case){ .loops = variant->loops, .step = PAGE_ALLOC_ORDER,
				   .n = loops, .whole = true };
	pr_info("Testing with %s\n", variant->title);
	pr_info("Starting %s allocations...\n", with_commas(loops));
	measure_cases(&c, 1, 1);
	if (c.cost[0] == MEASURE_FAILED)
		return -ENOMEM;
	ns = measure_ns(c.cost[0]);
	pr_info("Completed. Time: %llu us (Avg: %llu.%02llu ns per alloc+free loop)\n",
		ns * loops / 100000, ns / 100, ns % 100);
	measure_row(variant->row, PAGE_ALLOC_ORDER, c.cost[0]);
	return 0;
}

static int __init page_alloc_test_init(void)
{
	int error;

	if (!loops)
		return -EINVAL;
	measure_init(rows);
	for (unsigned int i = 0; i < ARRAY_SIZE(variants); i++) {
		error = run_variant(&variants[i]);
		if (error)
			return error;
	}
	pr_info("Test completed\n");
	return 0;
}

static void __exit page_alloc_test_exit(void)
{
}

module_init(page_alloc_test_init);
module_exit(page_alloc_test_exit);
MODULE_LICENSE("Dual MIT/GPL");
MODULE_DESCRIPTION("Blocks of order 3, with and without __GFP_COMP");
