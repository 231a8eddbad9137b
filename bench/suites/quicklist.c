// SPDX-License-Identifier: MIT
/*
 * Suite quicklist: seed 3's table, and the cost of a hit (quicklist_pairs.c). path = "quicklist"
 * takes pages from quicklists, path = "page_allocator" zeroed pages. load = "compile" replays a
 * recorded compile on the library's page tables (compile_load.h), if its trace is found. load =
 * "forks" is the synthetic load of loops/page_tables.h, which Linux can run as well.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "compile_load.h"
#include "loops/page_tables.h"
#include "quicklist_pairs.h"
#include "results.h"
#include "measure/timing.h"

#define MAX_REPEATS 9

/* Shows times as 401ns, 2.7us, 179.7us, 573.4ms, 4.3s: one decimal from microseconds on. */
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

/* The cost of reading the counter around a call, in cycles. */
static double overhead;

/* Nanoseconds for so many calls, without the cost of reading the counter. */
static double calls_ns(uint64_t ticks, unsigned long calls)
{
	return timing_ns(fmax((double)ticks - overhead * (double)calls, 0));
}

/* Results of a load in both ways; path 0 is without quicklists. */
struct results {
	const char *load;
	unsigned int nr_repeats;		/* odd; more for a small load */
	struct timings repeats[2][LEVELS][MAX_REPEATS];
	struct timings *median[2][LEVELS];
	struct table_counts counts[2][LEVELS];
};

static double average_ns(const struct timings *t)
{
	return calls_ns(t->total, t->count) / (double)t->count;
}

static double hit_rate(const struct timings *t)
{
	return 1 - (double)t->misses / (double)t->count;
}

static struct json *add_row(struct bench *bench, const char *load_name, const char *name,
			    bool quick, const struct timings *t)
{
	double average = average_ns(t);
	struct json *row = results_add(bench, name, 1, average * timing_hz() / 1e9);
	unsigned long hits = t->count - t->misses;

	json_add_text(row, "path", quick ? "quicklist" : "page_allocator");
	json_add_text(row, "load", load_name);
	json_add_integer(row, "count", t->count);
	json_add_real(row, "total_ns", calls_ns(t->total, t->count));
	json_add_real(row, "min_ns", calls_ns(t->min, 1));
	json_add_real(row, "avg_ns", average);
	json_add_real(row, "max_ns", calls_ns(t->max, 1));
	json_add_real(row, "free_avg_ns", calls_ns(t->free_total, t->count) / (double)t->count);
	if (quick)
		json_add_real(row, "hit_rate", hit_rate(t));
	if (quick && hits)
		json_add_real(row, "hit_avg_ns", calls_ns(t->hit_total, hits) / (double)hits);
	return row;
}

static void add_level(struct bench *bench, const struct results *results, enum level level,
		      bool quick)
{
	const struct timings *t = results->median[quick][level];
	const struct table_counts *counts = &results->counts[quick][level];
	struct json *row = add_row(bench, results->load, level_names[level], quick, t);
	char line[96];

	snprintf(line, sizeof(line), "%s_alloc %lu %s(%s/%s/%s)", level_names[level], t->count,
		 human(calls_ns(t->total, t->count)), human(calls_ns(t->min, 1)),
		 human(average_ns(t)), human(calls_ns(t->max, 1)));
	bench_print(bench, "%-46s | seed %s", line, seed_lines[quick][level]);
	if (quick)
		bench_print(bench, " | %.1f %% hits", 100 * hit_rate(t));
	json_add_real(row, "instructions", counts->instructions);
	json_add_real(row, "cache_misses", counts->cache_misses);
	if (!isnan(counts->instructions))
		bench_print(bench, " | %.0f instructions", counts->instructions);
	if (!isnan(counts->cache_misses))
		bench_print(bench, " | %.1f cache misses", counts->cache_misses);
	bench_print(bench, "\n");
}

static int compare_totals(const void *a, const void *b)
{
	uint64_t x = ((const struct timings *)a)->total, y = ((const struct timings *)b)->total;

	return (x > y) - (x < y);
}

/* Finds the median of each level's repeats, by their totals. */
static void find_medians(struct results *results)
{
	for (int path = 0; path < 2; path++)
		for (unsigned int level = 0; level < LEVELS; level++) {
			struct timings *repeats = results->repeats[path][level];

			qsort(repeats, results->nr_repeats, sizeof(repeats[0]), compare_totals);
			results->median[path][level] = &repeats[results->nr_repeats / 2];
		}
}

/* Adds up all levels. */
static struct timings add_up(struct timings *const levels[LEVELS])
{
	struct timings sum = *levels[0];

	for (unsigned int level = 1; level < LEVELS; level++) {
		sum.count += levels[level]->count;
		sum.misses += levels[level]->misses;
		sum.total += levels[level]->total;
		sum.hit_total += levels[level]->hit_total;
		sum.free_total += levels[level]->free_total;
		sum.min = min(sum.min, levels[level]->min);
		sum.max = max(sum.max, levels[level]->max);
	}
	return sum;
}

static void print_summary(struct bench *bench, const struct results *results,
			  const struct timings all[2])
{
	bench_print(bench, "with quicklists faster by:");
	for (unsigned int level = 0; level < LEVELS; level++)
		bench_print(bench, " %s %.1f", level_names[level],
			    average_ns(results->median[false][level]) /
			    average_ns(results->median[true][level]));
	bench_print(bench, ", all %.1f; %.1f %% hits of %lu tables\n",
		    average_ns(&all[false]) / average_ns(&all[true]), 100 * hit_rate(&all[true]),
		    all[true].count);
}

static void add_results(struct bench *bench, struct results *results)
{
	struct timings all[2];

	find_medians(results);
	for (int path = 0; path < 2; path++) {
		bench_print(bench, "%s\n", path ? "quicklist" : "no quicklist");
		for (unsigned int level = 0; level < LEVELS; level++)
			add_level(bench, results, level, path);
		all[path] = add_up(results->median[path]);
		add_row(bench, results->load, "all", path, &all[path]);
	}
	print_summary(bench, results, all);
}

static void no_counts(struct results *results)
{
	for (int path = 0; path < 2; path++)
		for (unsigned int level = 0; level < LEVELS; level++)
			results->counts[path][level] = (struct table_counts){ NAN, NAN };
}

static const char *time_forks(bool quick, struct timings timings[LEVELS])
{
	if (!run_load(quick, LIFETIMES))
		return "a page was missing or not in its state";
	memcpy(timings, load.timings, sizeof(load.timings));
	return NULL;
}

/* Runs the load several times, in turns without and with quicklists. */
static const char *repeat_load(struct results *results, struct trace *trace)
{
	for (unsigned int repeat = 0; repeat < results->nr_repeats; repeat++)
		for (int path = 0; path < 2; path++) {
			struct timings timings[LEVELS];
			const char *error = trace ? compile_load_time(trace, path, timings) :
						    time_forks(path, timings);

			if (error)
				return error;
			for (unsigned int level = 0; level < LEVELS; level++)
				results->repeats[path][level][repeat] = timings[level];
		}
	return NULL;
}

static void measure_compile(struct bench *bench)
{
	static struct results results = { .load = "compile", .nr_repeats = MAX_REPEATS };
	static struct trace trace;
	const char *error;

	if (!bench->compile_trace) {
		bench_print(bench, "no compile: its trace was not found beside this program\n");
		return;
	}
	trace_open_file(&trace, bench->compile_trace);
	error = trace.error ? trace.error : repeat_load(&results, &trace);
	for (int path = 0; path < 2 && !error; path++)
		error = compile_load_count(&trace, path, results.counts[path]);
	if (error) {
		bench_print(bench, "no compile: %s: %s\n", bench->compile_trace, error);
		return;
	}
	bench_print(bench, "a compile: %lu address spaces of which %lu by fork, %lu pages used\n",
		    (unsigned long)(trace.counts[TRACE_NEW] + trace.counts[TRACE_COPY]),
		    (unsigned long)trace.counts[TRACE_COPY], (unsigned long)trace.pages);
	add_results(bench, &results);
}

static void measure_forks(struct bench *bench)
{
	static struct results results = { .load = "forks", .nr_repeats = 3 };
	const char *error = repeat_load(&results, NULL);

	if (error) {
		bench_print(bench, "no forks: %s\n", error);
		return;
	}
	no_counts(&results);
	bench_print(bench, "forks: processes of %d tables that fork, exec and exit\n", TABLES);
	add_results(bench, &results);
}

void bench_quicklist(struct bench *bench)
{
	timing_pin(timing_cpu(0));
	overhead = (double)timings_overhead() / 100;
	measure_compile(bench);
	measure_forks(bench);
	bench_print(bench, "(count total(min/avg/max); one call is timed to %.1f ns)\n",
		    timing_ns(timing_resolution()));
	quicklist_measure_pairs(bench);
}
