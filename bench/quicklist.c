// SPDX-License-Identifier: MIT
/*
 * Suite quicklist: seed 3's table (loops/page_tables.h), and what a hit costs.
 * path = "quicklist" takes pages from quicklists, path = "page_allocator" zeroed
 * pages.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "loops/page_tables.h"
#include "results.h"
#include "timing.h"

#define REPEATS 3
#define HIT_ROUNDS 25

/* 401ns, 2.7us, 179.7us, 573.4ms, 4.3s: one decimal from the microsecond on. */
static const char *human(double ns)
{
	static const struct { double above, unit; const char *suffix; } units[] = {
		{ 1e9, 1e9, "s" }, { 1e6, 1e6, "ms" }, { 1e3, 1e3, "us" }, { 0, 1, "ns" },
	};
	static char buffers[8][32];
	static unsigned int next;
	char *text = buffers[next++ % 8];
	unsigned int i = 0;

	while (i < ARRAY_SIZE(units) - 1 && ns < units[i].above)
		i++;
	ns /= units[i].unit;
	snprintf(text, sizeof(buffers[0]), "%.*f%s",
		 units[i].unit > 1 && fabs(ns - nearbyint(ns)) >= 0.05 ? 1 : 0, ns,
		 units[i].suffix);
	return text;
}

static const char *const seed_lines[2][LEVELS] = {
	{ "1569048 4.3s(401ns/2.7us/179.7us)", "780988 2.1s(337ns/2.7us/86.1us)",
	  "780072 2.2s(424ns/2.8us/300.6us)", "260022 1s(920ns/4us/263.1us)" },
	{ "452436 573.4ms(8ns/1.3us/121.1us)", "196204 174.5ms(7ns/889ns/46.1us)",
	  "195688 172.4ms(7ns/881ns/151.3us)", "65228 9.8ms(8ns/150ns/6.1us)" },
};

/* Nanoseconds of so many calls without the readings of the counter. */
static double calls_ns(uint64_t ticks, unsigned long calls)
{
	return timing_ns(fmax((double)ticks - timing_overhead() * (double)calls, 0));
}

static void add_level(struct bench *bench, enum level level, bool by_quicklist,
		      const struct timings *t)
{
	double total = calls_ns(t->total, t->count), average = total / (double)t->count;
	double hit_rate = 1 - (double)t->misses / (double)t->count;
	json_t *row = results_add(bench, level_names[level], 1, average * timing_hz() / 1e9);
	char line[96];

	json_object_set_new(row, "path",
			    json_string(by_quicklist ? "quicklist" : "page_allocator"));
	json_object_set_new(row, "count", json_integer((json_int_t)t->count));
	json_object_set_new(row, "total_ns", json_real(total));
	json_object_set_new(row, "min_ns", json_real(calls_ns(t->min, 1)));
	json_object_set_new(row, "avg_ns", json_real(average));
	json_object_set_new(row, "max_ns", json_real(calls_ns(t->max, 1)));
	json_object_set_new(row, "free_avg_ns",
			    json_real(calls_ns(t->free_total, t->count) / (double)t->count));
	if (by_quicklist)
		json_object_set_new(row, "hit_rate", json_real(hit_rate));
	snprintf(line, sizeof(line), "%s_alloc %lu %s(%s/%s/%s)", level_names[level], t->count,
		 human(total), human(calls_ns(t->min, 1)), human(average),
		 human(calls_ns(t->max, 1)));
	bench_print(bench, "%-46s | seed %s", line, seed_lines[by_quicklist][level]);
	if (by_quicklist)
		bench_print(bench, " | %.1f %% hits", 100 * hit_rate);
	bench_print(bench, "\n");
}

static __always_inline void hit_body(struct bench_run *run)
{
	unsigned long depth = (unsigned long)run->step, failed = 0;
	void *pages[32];
	uint64_t start = ticks_begin();

	for (unsigned long i = 0; i < run->n; i++) {
		for (unsigned long j = 0; j < depth; j++) {
			pages[j] = quicklist_alloc(QUICK_PT, GFP_KERNEL, table_ctor);
			failed += !pages[j];
		}
		for (unsigned long j = 0; j < depth; j++)
			quicklist_free(QUICK_PT, NULL, pages[j]);
	}
	run->ticks[0] = ticks_end() - start;
	run->failed = failed;
}

static __always_inline void hit_one_body(struct bench_run *run)
{
	unsigned long failed = 0;
	uint64_t start = ticks_begin();

	for (unsigned long i = 0; i < run->n; i++) {
		void *page = quicklist_alloc(QUICK_PT, GFP_KERNEL, table_ctor);

		if (likely(page))
			quicklist_free(QUICK_PT, NULL, page);
		else
			failed++;
	}
	run->ticks[0] = ticks_end() - start;
	run->failed = failed;
}

BENCH_PLACED(hit_one_loops, hit_one_body(run));
BENCH_PLACED(hit_loops, hit_body(run));

static void measure_hits(struct bench *bench)
{
	struct bench_case cases[] = {
		{ .loops = hit_one_loops, .step = 1, .bare = 1 },
		{ .loops = hit_loops, .step = 32, .per = 32, .bare = 1 },
	};

	bench_measure(cases, ARRAY_SIZE(cases), HIT_ROUNDS);
	for (unsigned int i = 0; i < ARRAY_SIZE(cases); i++) {
		json_t *row = results_add_counted(bench, "hit", cases[i].step,
						  cases[i].cycles[0], cases[i].instructions);

		json_object_set_new(row, "path", json_string("quicklist"));
		bench_print(bench, "hit, alloc + free at depth %2ld: %s cycles %s ns %s\n",
			    cases[i].step, show_cycles(cases[i].cycles[0]),
			    show_ns(cases[i].cycles[0]), show_ratio(bench, cases[i].cycles[0]));
	}
}

static int compare_totals(const void *a, const void *b)
{
	uint64_t x = ((const struct timings *)a)->total, y = ((const struct timings *)b)->total;

	return (x > y) - (x < y);
}

/* Of each level's repeats the one in the middle, by their totals. */
static void add_path(struct bench *bench, bool by_quicklist,
		     struct timings repeats[LEVELS][REPEATS])
{
	bench_print(bench, "%s\n", by_quicklist ? "quicklist" : "no quicklist");
	for (unsigned int level = 0; level < LEVELS; level++) {
		qsort(repeats[level], REPEATS, sizeof(repeats[level][0]), compare_totals);
		add_level(bench, level, by_quicklist, &repeats[level][REPEATS / 2]);
	}
}

void bench_quicklist(struct bench *bench)
{
	static struct timings timings[2][LEVELS][REPEATS];

	timing_pin(timing_cpu(0));
	for (unsigned int repeat = 0; repeat < REPEATS; repeat++)
		for (int path = 0; path < 2; path++) {
			if (!run_load(path, LIFETIMES)) {
				bench_print(bench, "a page was missing or not in its state\n");
				return;
			}
			for (unsigned int level = 0; level < LEVELS; level++)
				timings[path][level][repeat] = load.timings[level];
		}
	add_path(bench, false, timings[false]);
	add_path(bench, true, timings[true]);
	bench_print(bench, "(min/avg/max; one call is timed to %.1f ns)\n",
		    timing_ns(timing_resolution()));
	measure_hits(bench);
}
