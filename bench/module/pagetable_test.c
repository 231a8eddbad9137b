// SPDX-License-Identifier: MIT
/*
 * Seed 3's table (docs/glossary.md) as a module: the cost of allocating a page-table page, level by
 * level, from the page allocator and, if there are any, from quicklists. Then the cost of a pair of
 * calls for a zeroed page in both ways, with nothing in between.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/module.h>

#include "../loops/measure.h"
#include "../loops/page_tables.h"
#include "../loops/zeroed_pairs.h"

static bool rows;
module_param(rows, bool, 0444);
static unsigned int lifetimes = LIFETIMES;
module_param(lifetimes, uint, 0444);
MODULE_PARM_DESC(lifetimes, "processes that are built and torn down");
static unsigned int pairs = 8192;
module_param(pairs, uint, 0444);
MODULE_PARM_DESC(pairs, "pages of a run of pairs");

/* Shows times as 401ns, 2.7us, 179.7us, 573.4ms, 4.3s: one decimal from microseconds on. */
static const char *human(u64 ns)
{
	static const struct {
		u64 unit;
		const char *suffix;
	} units[] = { { 1000000000, "s" }, { 1000000, "ms" }, { 1000, "us" } };
	static char buffers[4][24];
	static unsigned int next;
	char *text = buffers[next++ % ARRAY_SIZE(buffers)];

	for (unsigned int i = 0; i < ARRAY_SIZE(units); i++) {
		u64 tenths = (ns * 10 + units[i].unit / 2) / units[i].unit;

		if (ns < units[i].unit)
			continue;
		if (tenths % 10)
			snprintf(text, sizeof(buffers[0]), "%llu.%llu%s", tenths / 10,
				 tenths % 10, units[i].suffix);
		else
			snprintf(text, sizeof(buffers[0]), "%llu%s", tenths / 10,
				 units[i].suffix);
		return text;
	}
	snprintf(text, sizeof(buffers[0]), "%lluns", ns);
	return text;
}

/* The cost of reading the counter around a call, in hundredths of a cycle. */
static u64 overhead;

/* Nanoseconds, without the cost of reading the counter. */
static u64 calls_ns(u64 ticks, u64 calls)
{
	u64 cost = measure_less(ticks, overhead * calls / 100);

	return cost * 1000000 / measure.khz;
}

static void show_level(enum level level)
{
	const struct timings *t = &load.timings[level];
	const char *path = load.by_quicklist ? "quicklist" : "page_allocator";
	u64 total = calls_ns(t->total, t->count);
	char name[40];

	pr_info("%s_alloc %lu %s(%s/%s/%s)\n", level_names[level], t->count, human(total),
		human(calls_ns(t->min, 1)), human(total / t->count),
		human(calls_ns(t->max, 1)));
	snprintf(name, sizeof(name), "%s_%s", level_names[level], path);
	measure_row(name, 1, measure_less(t->total * 100 / t->count, overhead));
	snprintf(name, sizeof(name), "%s_%s_min", level_names[level], path);
	measure_row(name, 1, measure_less(t->min * 100, overhead));
}

static int show_load(bool by_quicklist)
{
	pr_info("%s\n", by_quicklist ? "quicklist" : "no quicklist");
	if (!run_load(by_quicklist, lifetimes))
		return -ENOMEM;
	for (unsigned int level = 0; level < LEVELS; level++)
		show_level(level);
	return 0;
}

#define DEPTHS 2
static const long depths[DEPTHS] = { 1, PAGE_PAIRS_MAX };

static const struct {
	const char *path;
	const bench_loop *loops[DEPTHS];
} ways[] = {
	{ "page_allocator", { zeroed_one_loops, zeroed_loops } },
#if HAVE_QUICKLISTS
	{ "quicklist", { hit_one_loops, hit_loops } },
#endif
};

static struct measure_case cases[ARRAY_SIZE(ways)][DEPTHS];

static int show_pair(const char *path, const struct measure_case *c)
{
	char name[40];

	if (c->cost[0] == MEASURE_FAILED)
		return -ENOMEM;
	pr_info("zeroed page, %s, %ld at a time: %llu cycles\n", path, c->step,
		measure_whole(c->cost[0]));
	snprintf(name, sizeof(name), "zeroed_pair_%s", path);
	measure_row(name, c->step, c->cost[0]);
	return 0;
}

static int show_pairs(void)
{
	int error = 0;

	for (unsigned int way = 0; way < ARRAY_SIZE(ways); way++)
		for (unsigned int i = 0; i < DEPTHS; i++)
			cases[way][i] = (struct measure_case){
				.loops = ways[way].loops[i], .step = depths[i],
				.n = pairs / depths[i], .per = (unsigned int)depths[i] };
	measure_cases(cases[0], ARRAY_SIZE(ways) * DEPTHS, MEASURE_MAX_ROUNDS);
	for (unsigned int way = 0; way < ARRAY_SIZE(ways); way++)
		for (unsigned int i = 0; i < DEPTHS; i++)
			error = error ?: show_pair(ways[way].path, &cases[way][i]);
	return error;
}

static int __init pagetable_test_init(void)
{
	int error;

	if (!lifetimes || pairs < PAGE_PAIRS_MAX)
		return -EINVAL;
	measure_init(rows);
	overhead = timings_overhead();
	error = show_load(false);
	if (!error && HAVE_QUICKLISTS)
		error = show_load(true);
	return error ?: show_pairs();
}

static void __exit pagetable_test_exit(void)
{
}

module_init(pagetable_test_init);
module_exit(pagetable_test_exit);
MODULE_LICENSE("Dual MIT/GPL");
MODULE_DESCRIPTION("Cost of page-table pages by the page allocator and by quicklists");
