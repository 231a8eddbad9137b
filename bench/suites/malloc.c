// SPDX-License-Identifier: MIT
/*
 * Suite malloc: malloc() and free() of every allocator on the machine, in turns. Each is measured
 * in separate processes, with its library preloaded, by the same code: one process for all calls
 * (malloc_calls.c), one for each program (malloc_programs.c). A process first makes sure that its
 * malloc() is the one that it shall measure. Figures are medians over the processes.
 */
#include "malloc.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "allocators.h"
#include "bench.h"
#include "child.h"
#include "figures.h"
#include "results.h"
#include "measure/timing.h"
#include "../heavy/heavy.h"

#define STARTS 3		/* processes for each allocator, and for each program under it */
/* A program does 1 / divisor of its work in bench/heavy. */
#define DIVISOR 4
#define QUICK_DIVISOR 20
/* What a child is asked for, beside programs. */
#define CALLS "calls"

/* One allocator, and the figures of its children. */
struct measured {
	const struct allocator *allocator;
	struct figures figures;
	char version[ALLOCATOR_VERSION_BYTES];
	bool absent;			/* it could not be measured */
};

/* usermm is the first, if it is there at all. */
struct comparison {
	struct measured all[MAX_ALLOCATORS];
	unsigned int nr;
};

/* --- In a child ------------------------------------------------------------------------ */

/* arg is "WHAT:FILE". malloc() must come from FILE. WHAT is CALLS or PROGRAM/DIVISOR. */
int bench_malloc_child(const char *arg)
{
	const char *path = strchr(arg, ':');
	char program[FIGURE_NAME_BYTES], version[ALLOCATOR_VERSION_BYTES];
	unsigned long divisor;

	if (!path)
		return child_fail("the request does not say what to measure");
	path++;
	if (!allocators_in_use(path)) {
		fprintf(stderr, "usermm bench: malloc does not come from %s\n",
			*path ? path : "libc");
		return 1;
	}
	if (sscanf(arg, "%31[^/:]/%lu:", program, &divisor) == 2)
		return malloc_run_program(program, divisor);
	child_note("version", allocators_version(path, version));
	malloc_measure_calls();
	return 0;
}

/* --- Running them ---------------------------------------------------------------------- */

static void take_row(void *context, const char *name, long step, double value)
{
	struct measured *measured = context;

	figures_take(&measured->figures, name, step, value);
}

static void take_note(void *context, const char *name, const char *text)
{
	struct measured *measured = context;

	if (!strcmp(name, "version"))
		snprintf(measured->version, sizeof(measured->version), "%s", text);
}

static void run_child(struct bench *bench, struct measured *measured, const char *what)
{
	const char *path = measured->allocator->path, *error;
	char arg[FIGURE_NAME_BYTES + 32 + sizeof(measured->allocator->path)];
	const struct child_request request = {
		.suite = "malloc",
		.arg = arg,
		.preload = *path ? path : NULL,
		.variable = measured->allocator->variable,
		.note = take_note,
	};

	if (measured->absent)
		return;
	snprintf(arg, sizeof(arg), "%s:%s", what, path);
	error = child_run(&request, take_row, measured);
	if (!error)
		return;
	/* An allocator that fails here is not asked for programs either. */
	measured->absent = !strcmp(what, CALLS);
	bench_print(bench, "%s: %s%s%s\n", measured->allocator->name,
		    measured->absent ? "" : what, measured->absent ? "" : ": ", error);
}

static void run_all(struct bench *bench, struct comparison *comparison)
{
	for (unsigned int a = 0; a < comparison->nr; a++)
		run_child(bench, &comparison->all[a], CALLS);
	for (unsigned int i = 0; heavy_program(i); i++) {
		char what[FIGURE_NAME_BYTES + 16];

		snprintf(what, sizeof(what), "%s/%d", heavy_program(i)->name,
			 bench->quick ? QUICK_DIVISOR : DIVISOR);
		for (unsigned int a = 0; a < comparison->nr; a++)
			run_child(bench, &comparison->all[a], what);
	}
}

/* --- Results --------------------------------------------------------------------------- */

static double median(const struct comparison *comparison, unsigned int a, const char *name,
		     long step)
{
	return figures_median(&comparison->all[a].figures, name, step);
}

/* usermm's median divided by the best other allocator's; or NaN. */
static double against_best(const struct comparison *comparison, const char *name, long step)
{
	double best = INFINITY;

	if (strcmp(comparison->all[0].allocator->name, "usermm"))
		return NAN;
	for (unsigned int a = 1; a < comparison->nr; a++)
		best = fmin(best, median(comparison, a, name, step));
	return isfinite(best) ? median(comparison, 0, name, step) / best : NAN;
}

/* Adds a row for each allocator. `with` names a second figure, which the rows have as `member`. */
static void add_rows(struct bench *bench, const struct comparison *comparison, const char *name,
		     long step, const char *with, const char *member)
{
	double ratio = against_best(comparison, name, step);

	for (unsigned int a = 0; a < comparison->nr; a++) {
		const struct measured *measured = &comparison->all[a];
		const struct figures *figures = &measured->figures;
		struct json *row = results_add(bench, name, step,
					       median(comparison, a, name, step));

		json_add_text(row, "allocator", measured->allocator->name);
		if (*measured->version)
			json_add_text(row, "version", measured->version);
		if (with)
			json_add_real(row, member, figures_median(figures, with, step));
		json_add_real(row, "against_best", a ? NAN : ratio);
		json_add_real(row, "spread_percent", figures_spread(figures, name, step));
		json_add(row, "samples", figures_samples(figures, name, step));
	}
}

static void add_all_rows(struct bench *bench, const struct comparison *comparison)
{
	for (unsigned int call = 0; call <= MALLOC_REMOTE_FREE; call++) {
		bool has_alloc = call == MALLOC_REMOTE_FREE;

		for (unsigned int i = 0; i < MALLOC_SIZES; i++)
			add_rows(bench, comparison, malloc_call_names[call], malloc_sizes[i],
				 has_alloc ? malloc_call_names[MALLOC_REMOTE_ALLOC] : NULL,
				 "alloc_cycles");
	}
	for (unsigned int i = 0; heavy_program(i); i++) {
		const char *name = heavy_program(i)->name;
		char peak[FIGURE_NAME_BYTES];

		snprintf(peak, sizeof(peak), "%s" MALLOC_PEAK, name);
		add_rows(bench, comparison, name, 1, peak, "peak_kib");
	}
}

/* --- Tables: a column for each allocator, and last the comparison ------------------------- */

/* The ratios of a table's rows. */
struct ratios {
	unsigned int nr;
	double logarithms;
};

static void print_head(struct bench *bench, const struct comparison *comparison,
		       const char *title)
{
	bench_print(bench, "%-14s", title);
	for (unsigned int a = 0; a < comparison->nr; a++)
		bench_print(bench, " %12s", comparison->all[a].allocator->name);
	bench_print(bench, "   usermm / best other\n");
}

/* The figures are multiplied by `factor`. */
static void print_row(struct bench *bench, const struct comparison *comparison, const char *label,
		      const char *name, long step, double factor, struct ratios *ratios)
{
	double ratio = against_best(comparison, name, step);

	bench_print(bench, "%14s", label);
	for (unsigned int a = 0; a < comparison->nr; a++)
		bench_print(bench, " %12s",
			    show_cycles(factor * median(comparison, a, name, step)));
	if (!isnan(ratio)) {
		bench_print(bench, "   %.2f", ratio);
		ratios->logarithms += log(ratio);
		ratios->nr++;
	}
	bench_print(bench, "\n");
}

static void print_mean(struct bench *bench, const char *title, const struct ratios *ratios)
{
	if (ratios->nr)
		bench_print(bench, "%s: geometric mean of usermm / best other %.2f\n", title,
			    exp(ratios->logarithms / ratios->nr));
}

static void print_calls(struct bench *bench, const struct comparison *comparison,
			const char *name)
{
	struct ratios ratios = { 0 };

	print_head(bench, comparison, name);
	for (unsigned int i = 0; i < MALLOC_SIZES; i++) {
		char label[16];

		snprintf(label, sizeof(label), "%ld", malloc_sizes[i]);
		print_row(bench, comparison, label, name, malloc_sizes[i], 1, &ratios);
	}
	print_mean(bench, name, &ratios);
}

/* `suffix` chooses the figure of each program. */
static void print_programs(struct bench *bench, const struct comparison *comparison,
			   const char *title, const char *suffix, double factor)
{
	struct ratios ratios = { 0 };

	print_head(bench, comparison, title);
	for (unsigned int i = 0; heavy_program(i); i++) {
		char name[FIGURE_NAME_BYTES];

		snprintf(name, sizeof(name), "%s%s", heavy_program(i)->name, suffix);
		print_row(bench, comparison, heavy_program(i)->name, name, 1, factor, &ratios);
	}
	print_mean(bench, title, &ratios);
}

static void print_versions(struct bench *bench, const struct comparison *comparison)
{
	for (unsigned int a = 0; a < comparison->nr; a++) {
		const struct measured *measured = &comparison->all[a];

		if (!measured->absent)
			bench_print(bench, "%s%s %s", a ? ", " : "", measured->allocator->name,
				    *measured->version ? measured->version : "(version unknown)");
	}
	bench_print(bench, "\n");
}

void bench_malloc(struct bench *bench)
{
	struct allocator allocators[MAX_ALLOCATORS];
	static struct comparison comparison;

	comparison.nr = allocators_find(allocators, bench->preload, bench->peers);
	for (unsigned int a = 0; a < comparison.nr; a++)
		comparison.all[a] = (struct measured){ .allocator = &allocators[a] };
	if (!bench->preload)
		bench_print(bench, "usermm: libusermm_malloc.so was not found\n");
	for (unsigned int start = 0; start < (bench->quick ? 1 : STARTS); start++)
		run_all(bench, &comparison);
	add_all_rows(bench, &comparison);
	print_versions(bench, &comparison);
	for (unsigned int call = 0; call < MALLOC_CALLS; call++)
		print_calls(bench, &comparison, malloc_call_names[call]);
	print_programs(bench, &comparison, "program, ms", "", 1e3 / timing_hz());
	print_programs(bench, &comparison, "peak, MiB", MALLOC_PEAK, 1.0 / 1024);
}
