// SPDX-License-Identifier: MIT
/*
 * Suite kmalloc: seed 2's test (loops/kmalloc.h) for each kind of per-CPU store of a cache, beside
 * the seed's figures before and after its change.
 *
 *	freelist	seed 2's list of two words, by restartable sequences
 *	sheaf		an array of objects, by restartable sequences
 *	locked		the freelist with rseq=off: a fast path that must keep others out by a lock,
 *			which corresponds to the state before the seed
 *	locked_sheaf	the array with rseq=off
 *
 * Each path is measured in separate processes, which take turns.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench.h"
#include "child.h"
#include "figures.h"
#include "kmalloc.h"
#include "loops/kmalloc.h"
#include "results.h"
#include "team.h"
#include "measure/timing.h"
#include "usermm/usermm.h"

#define STARTS 3

static const struct path {
	const char *name, *options;
	bool locked;
} paths[] = {
	{ "freelist", "slab_cpu_cache=slab", false },
	{ "sheaf", "slab_cpu_cache=sheaf", false },
	{ "locked", "rseq=off:slab_cpu_cache=slab", true },
	{ "locked_sheaf", "rseq=off:slab_cpu_cache=sheaf", true },
};

/* The figures of each path's processes. */
static struct {
	struct figures figures;
	bool absent;
} results[ARRAY_SIZE(paths)];

/* The seed's figures for each size: kmalloc, kfree and the pair, before and after. */
static const struct seed {
	int alloc, free, pair;
} before[NR_KMALLOC_SIZES] = {
	{ 68, 107, 114 }, { 69, 108, 115 }, { 78, 112, 117 }, { 97, 112, 115 },
	{ 111, 119, 111 }, { 114, 139, 116 }, { 110, 142, 110 }, { 114, 156, 114 },
	{ 155, 174, 110 }, { 203, 209, 107 }, { 361, 265, 108 }, { 597, 286, 706 },
}, after[NR_KMALLOC_SIZES] = {
	{ 41, 81, 100 }, { 47, 88, 108 }, { 48, 93, 101 }, { 58, 89, 109 },
	{ 84, 104, 125 }, { 92, 125, 60 }, { 86, 129, 60 }, { 88, 125, 67 },
	{ 120, 159, 60 }, { 176, 183, 65 }, { 294, 233, 60 }, { 585, 291, 686 },
};

/* --- A path's process -------------------------------------------------------- */

#define LINES_SUFFIX ":lines"

/* The path that arg begins with; *rest is the rest of arg. */
static const struct path *find_path(const char *arg, const char **rest)
{
	size_t length = strcspn(arg, ":");

	*rest = arg + length;
	for (unsigned int i = 0; i < ARRAY_SIZE(paths); i++)
		if (strlen(paths[i].name) == length && !strncmp(paths[i].name, arg, length))
			return &paths[i];
	return NULL;
}

/* arg is the path's name, with LINES_SUFFIX if cache lines shall be counted. */
int bench_kmalloc_child(const char *arg)
{
	const char *rest;
	const struct path *path = find_path(arg, &rest);
	struct usermm_doctor doctor;
	const char *error = NULL;

	if (!path)
		return child_fail("no such path");
	if (usermm_set_options(path->options, &error))
		return child_fail(error ? error : "bad options");
	usermm_doctor_read(&doctor);
	if (path->locked != !strcmp(doctor.percpu_mode, "locked"))
		return child_fail(doctor.percpu_reason);
	if (!strcmp(rest, LINES_SUFFIX)) {
		error = kmalloc_measure_lines();
		return error ? child_fail(error) : 0;
	}
	kmalloc_measure_single();
	kmalloc_measure_bulk();
	kmalloc_measure_team();
	return 0;
}

/* --- Rows --------------------------------------------------------------------- */

static double median(unsigned int path, const char *name, long step)
{
	return figures_median(&results[path].figures, name, step);
}

static struct json *add_row(struct bench *bench, unsigned int path, const char *name, long step,
			    double cycles)
{
	struct json *row = results_add(bench, name, step, cycles);

	json_add_text(row, "path", paths[path].name);
	json_add_real(row, "spread_percent", figures_spread(&results[path].figures, name, step));
	return row;
}

static void add_size(struct bench *bench, unsigned int path, long bytes)
{
	struct json *row;

	row = add_row(bench, path, "alloc", bytes, median(path, "alloc", bytes));
	json_add_real(row, "lines_per_object", median(path, "lines_alloc", bytes));
	row = add_row(bench, path, "free", bytes, median(path, "free", bytes));
	json_add_real(row, "lines_per_object", median(path, "lines_free", bytes));
	row = add_row(bench, path, "pair", bytes, median(path, "pair", bytes));
	json_add_real(row, "instructions", median(path, "instructions_pair", bytes));
	json_add_real(row, "lines_per_pair", median(path, "lines_pair", bytes));
	json_add_real(row, "lines_of_objects", median(path, "lines_pair_objects", bytes));
	json_add_real(row, "lines_of_pages", median(path, "lines_pair_pages", bytes));
	json_add_real(row, "lines_of_others", median(path, "lines_pair_others", bytes));
	row = add_row(bench, path, "pair16", bytes, median(path, "pair16", bytes));
	json_add_real(row, "instructions", median(path, "instructions_pair16", bytes));
	json_add_real(row, "lines_per_pair", median(path, "lines_pair16", bytes));
	row = add_row(bench, path, "remote_free", bytes, median(path, "remote_free", bytes));
	json_add_real(row, "alloc_cycles", median(path, "remote_alloc", bytes));
}

static void add_bulk(struct bench *bench, unsigned int path)
{
	for (long n = 1; n <= 64; n *= 2) {
		add_row(bench, path, "bulk", n, median(path, "bulk", n));
		add_row(bench, path, "bulk_single", n, median(path, "bulk_single", n));
	}
}

/* The mean over the CPUs that had this phase. */
static double team_average(unsigned int path, enum team_test test, const char *phase, long bytes)
{
	unsigned int nr = 0;
	char name[32];
	double sum = 0;

	for (unsigned int cpu = 0; cpu < team_size(); cpu++) {
		double cycles = median(path, kmalloc_team_row(test, phase, cpu, name), bytes);

		if (isnan(cycles) || cycles <= 0)
			continue;
		sum += cycles;
		nr++;
	}
	return nr ? sum / nr : NAN;
}

static void add_team(struct bench *bench, unsigned int path, enum team_test test, long bytes)
{
	static const char *const phases[] = { "alloc", "free" };
	char name[32];

	for (unsigned int i = 0; i < ARRAY_SIZE(phases); i++) {
		struct json *row;

		snprintf(name, sizeof(name), "%s_%s", kmalloc_team_names[test], phases[i]);
		row = add_row(bench, path, name, bytes,
			      team_average(path, test, phases[i], bytes));
		json_add_real(row, "faults",
			      median(path, kmalloc_team_row(test, "faults", 0, name), bytes));
		json_add_real(row, "waits",
			      median(path, kmalloc_team_row(test, "waits", 0, name), bytes));
	}
}

static void add_rows(struct bench *bench, unsigned int path)
{
	for (unsigned int i = 0; i < NR_KMALLOC_SIZES; i++)
		add_size(bench, path, kmalloc_bench_sizes[i]);
	add_bulk(bench, path);
	for (enum team_test test = 0; test < NR_TEAM_TESTS; test++)
		for (unsigned int i = 0; i < NR_TEAM_SIZES; i++)
			add_team(bench, path, test, kmalloc_bench_sizes[i]);
}

/* --- Tables ------------------------------------------------------------------- */

/* Prints the first half, in the seed's format. */
static void print_single(struct bench *bench, unsigned int path)
{
	bench_print(bench, "Single thread testing (path=%s; beside it the seed before -> after)\n"
			   "1. Kmalloc: Repeatedly allocate then free test\n", paths[path].name);
	for (unsigned int i = 0; i < NR_KMALLOC_SIZES; i++) {
		long bytes = kmalloc_bench_sizes[i];
		double alloc = median(path, "alloc", bytes), free = median(path, "free", bytes);

		bench_print(bench, "%d times kmalloc(%ld) -> %s cycles kfree -> %s cycles  "
				   "[%s %s | seed %d/%d -> %d/%d]\n", OBJECTS, bytes,
			    show_whole(alloc), show_whole(free), show_ratio(bench, alloc),
			    show_ratio(bench, free), before[i].alloc, before[i].free,
			    after[i].alloc, after[i].free);
	}
	bench_print(bench, "2. Kmalloc: alloc/free test\n");
	for (unsigned int i = 0; i < NR_KMALLOC_SIZES; i++) {
		long bytes = kmalloc_bench_sizes[i];
		double pair = median(path, "pair", bytes), by16 = median(path, "pair16", bytes);

		bench_print(bench, "%d times kmalloc(%ld)/kfree -> %s cycles  "
				   "[%s; by sixteen %s %s | seed %d -> %d]\n", OBJECTS, bytes,
			    show_whole(pair), show_ratio(bench, pair), show_cycles(by16),
			    show_ratio(bench, by16), before[i].pair, after[i].pair);
	}
}

static void print_team_line(struct bench *bench, unsigned int path, enum team_test test,
			    const char *title, long bytes)
{
	char name[32];
	double faults;

	faults = median(path, kmalloc_team_row(test, "faults", 0, name), bytes);
	if (isnan(faults))
		return;
	bench_print(bench, "%s(%ld):", title, bytes);
	for (unsigned int cpu = 0; cpu < team_size(); cpu++) {
		kmalloc_team_row(test, "alloc", cpu, name);
		bench_print(bench, " %u=%s", cpu, show_whole(median(path, name, bytes)));
		kmalloc_team_row(test, "free", cpu, name);
		bench_print(bench, "/%s", show_whole(median(path, name, bytes)));
	}
	bench_print(bench, " Average=%s/%s  [%.0f faults, %.0f waits]\n",
		    show_whole(team_average(path, test, "alloc", bytes)),
		    show_whole(team_average(path, test, "free", bytes)), faults,
		    median(path, kmalloc_team_row(test, "waits", 0, name), bytes));
}

/* Prints the second half, with page faults and sleeps beside it. */
static void print_team(struct bench *bench, unsigned int path)
{
	static const struct {
		const char *head, *title;
	} tests[NR_TEAM_TESTS] = {
		{ "Concurrent allocs\n", "Kmalloc N*alloc N*free" },
		{ "", "Kmalloc N*(alloc free)" },
		{ "Remote free test\n", "N*remote free" },
		{ "1 alloc N free test\n", "1 alloc N free" },
	};

	if (team_size() < 2)
		return;
	for (enum team_test test = 0; test < NR_TEAM_TESTS; test++) {
		bench_print(bench, "%s", tests[test].head);
		for (unsigned int i = 0; i < NR_TEAM_SIZES; i++)
			print_team_line(bench, path, test, tests[test].title,
					kmalloc_bench_sizes[i]);
	}
}

static void print_columns(struct bench *bench, const char *what)
{
	bench_print(bench, "%-24s", what);
	for (unsigned int path = 0; path < ARRAY_SIZE(paths); path++)
		bench_print(bench, " %12s", paths[path].name);
}

/* Prints one kind: a row for each size, a column for each path, and last the seed's figures. */
static void print_compared(struct bench *bench, const char *kind)
{
	print_columns(bench, kind);
	bench_print(bench, "   freelist / locked\n");
	for (unsigned int i = 0; i < NR_KMALLOC_SIZES; i++) {
		long bytes = kmalloc_bench_sizes[i];
		double ratio = median(0, kind, bytes) / median(2, kind, bytes);

		bench_print(bench, "%24ld", bytes);
		for (unsigned int path = 0; path < ARRAY_SIZE(paths); path++)
			bench_print(bench, " %12s", show_cycles(median(path, kind, bytes)));
		bench_print(bench, isnan(ratio) ? "\n" : "   %.2f\n", ratio);
	}
}

static void print_bulk(struct bench *bench)
{
	bool any = false;

	for (unsigned int path = 0; path < ARRAY_SIZE(paths); path++)
		any |= !isnan(median(path, "bulk", 1));
	if (!any)
		return;
	print_columns(bench, "bulk of n / one by one");
	bench_print(bench, "\n");
	for (long n = 1; n <= 64; n *= 2) {
		bench_print(bench, "%24ld", n);
		for (unsigned int path = 0; path < ARRAY_SIZE(paths); path++) {
			char text[64];

			snprintf(text, sizeof(text), "%s/%s",
				 show_cycles(median(path, "bulk", n)),
				 show_cycles(median(path, "bulk_single", n)));
			bench_print(bench, " %12s", text);
		}
		bench_print(bench, "\n");
	}
}

/* Writes the text of a table's cell for one path and size. */
typedef void cell_fn(char *text, size_t bytes_of_text, unsigned int path, long bytes);

/* A pair's cache lines: in objects, in data about pages, and elsewhere. */
static void pair_cell(char *text, size_t bytes_of_text, unsigned int path, long bytes)
{
	double objects = median(path, "lines_pair_objects", bytes);

	snprintf(text, bytes_of_text, isnan(objects) ? "-" : "%.0f+%.0f+%.0f", objects,
		 median(path, "lines_pair_pages", bytes),
		 median(path, "lines_pair_others", bytes));
}

/* Cache lines for each of many objects. */
static void stream_cell(char *text, size_t bytes_of_text, unsigned int path, long bytes)
{
	double alloc = median(path, "lines_alloc", bytes);

	snprintf(text, bytes_of_text, isnan(alloc) ? "-" : "%.2f+%.2f", alloc,
		 median(path, "lines_free", bytes));
}

static void print_line_rows(struct bench *bench, cell_fn *cell)
{
	for (unsigned int i = 0; i < NR_LINES_SIZES; i++) {
		bench_print(bench, "%24ld", kmalloc_lines_sizes[i]);
		for (unsigned int path = 0; path < ARRAY_SIZE(paths); path++) {
			char text[64];

			cell(text, sizeof(text), path, kmalloc_lines_sizes[i]);
			bench_print(bench, " %12s", text);
		}
		bench_print(bench, "\n");
	}
}

static void print_lines(struct bench *bench)
{
	print_columns(bench, "lines touched by a pair");
	bench_print(bench, "   objects+pages+others\n");
	print_line_rows(bench, pair_cell);
	print_columns(bench, "and by a stream, each");
	bench_print(bench, "   alloc+free of %d\n", KMALLOC_LINES_STREAM);
	print_line_rows(bench, stream_cell);
}

/* --- The suite ------------------------------------------------------------------ */

static void run_start(struct bench *bench, unsigned int path)
{
	const struct child_request request = { .suite = "kmalloc", .arg = paths[path].name };
	const char *error;

	if (results[path].absent)
		return;
	error = child_run(&request, figures_take, &results[path].figures);
	if (!error)
		return;
	results[path].absent = true;
	results[path].figures.nr = 0;
	bench_print(bench, "path=%s: %s\n", paths[path].name, error);
}

/* Cache lines are the same in every process, so one process counts them. */
static void take_lines(struct bench *bench, unsigned int path)
{
	struct child_request request = { .suite = "kmalloc" };
	const char *error;
	char arg[64];

	snprintf(arg, sizeof(arg), "%s" LINES_SUFFIX, paths[path].name);
	request.arg = arg;
	error = child_run(&request, figures_take, &results[path].figures);
	if (error)
		bench_print(bench, "path=%s: no cache lines: %s\n", paths[path].name, error);
}

void bench_kmalloc(struct bench *bench)
{
	unsigned int measured = 0;

	for (unsigned int start = 0; start < (bench->quick ? 1 : STARTS); start++)
		for (unsigned int path = 0; path < ARRAY_SIZE(paths); path++)
			run_start(bench, path);
	for (unsigned int path = 0; path < ARRAY_SIZE(paths); path++) {
		if (results[path].absent)
			continue;
		measured++;
		take_lines(bench, path);
		add_rows(bench, path);
		print_single(bench, path);
		print_team(bench, path);
	}
	if (!measured)
		return;
	print_compared(bench, "alloc");
	print_compared(bench, "free");
	print_compared(bench, "pair");
	print_compared(bench, "pair16");
	print_compared(bench, "remote_free");
	print_bulk(bench);
	print_lines(bench);
}
