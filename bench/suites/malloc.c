// SPDX-License-Identifier: MIT
/*
 * Suite malloc: malloc() and free() of every allocator on the machine, in turns. Each is measured
 * in separate processes, with its library preloaded, by the same code. A process first makes sure
 * that its malloc() is the one that it shall measure. Figures are medians over the processes.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "allocators.h"
#include "bench.h"
#include "child.h"
#include "figures.h"
#include "peer.h"
#include "results.h"
#include "measure/timing.h"

#define STARTS 3		/* processes for each allocator */
#define ROUNDS_INSIDE 4
#define REMOTE_ROUNDS 8
#define OBJECTS 10000
#define PAIRS 10000
#define BATCH 16

enum kind { ALLOC, FREE, PAIR, PAIR16, REMOTE_FREE, REMOTE_ALLOC, KINDS };

static const char *const kind_names[KINDS] = { "alloc", "free", "pair", "pair16",
					       "remote_free", "remote_alloc" };
static const long sizes[] = { 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384 };

/* volatile pointers, so that the compiler cannot optimise the calls. */
static void *(*volatile take)(size_t bytes) = malloc;
static void (*volatile give)(void *object) = free;

static void *objects[OBJECTS];

static __always_inline void stream_body(struct bench_run *run)
{
	size_t bytes = (size_t)run->step;
	unsigned long failed = 0;
	uint64_t start = ticks_begin();

	for (unsigned long i = 0; i < run->n; i++)
		objects[i] = take(bytes);
	run->ticks[0] = ticks_end() - start;
	for (unsigned long i = 0; i < run->n; i++)
		failed += !objects[i];
	start = ticks_begin();
	for (unsigned long i = 0; i < run->n; i++)
		give(objects[i]);
	run->ticks[1] = ticks_end() - start;
	run->failed = failed;
}

/* Holds objects back, so that each place uses another object: see loops/loop.h. */
static noinline void hold(const struct bench_run *run, void **held)
{
	for (unsigned int i = 0; i < run->place; i++)
		held[i] = take((size_t)run->step);
}

static noinline void release(const struct bench_run *run, void **held)
{
	for (unsigned int i = run->place; i-- > 0;)
		give(held[i]);
}

static __always_inline void pair_body(struct bench_run *run)
{
	void *held[BENCH_PLACEMENTS];
	size_t bytes = (size_t)run->step;
	unsigned long failed = 0;
	uint64_t start;

	hold(run, held);
	start = ticks_begin();
	for (unsigned long i = 0; i < run->n; i++) {
		void *object = take(bytes);

		failed += !object;
		give(object);
	}
	run->ticks[0] = ticks_end() - start;
	run->failed = failed;
	release(run, held);
}

static __always_inline void pair16_body(struct bench_run *run)
{
	void *held[BENCH_PLACEMENTS], *batch[BATCH];
	size_t bytes = (size_t)run->step;
	unsigned long failed = 0;
	uint64_t start;

	hold(run, held);
	start = ticks_begin();
	for (unsigned long i = 0; i < run->n; i++) {
		for (unsigned int j = 0; j < BATCH; j++) {
			batch[j] = take(bytes);
			failed += !batch[j];
		}
		for (unsigned int j = 0; j < BATCH; j++)
			give(batch[j]);
	}
	run->ticks[0] = ticks_end() - start;
	run->failed = failed;
	release(run, held);
}

BENCH_PLACED(stream_loops, stream_body(run));
BENCH_PLACED(pair_loops, pair_body(run));
BENCH_PLACED(pair16_loops, pair16_body(run));

static void measure_local(void)
{
	struct bench_case cases[ARRAY_SIZE(sizes)][3];

	for (unsigned int i = 0; i < ARRAY_SIZE(sizes); i++) {
		cases[i][0] = (struct bench_case){ .loops = stream_loops, .step = sizes[i],
						   .n = OBJECTS, .bare = 1 };
		cases[i][1] = (struct bench_case){ .loops = pair_loops, .step = sizes[i],
						   .n = PAIRS, .bare = 1 };
		cases[i][2] = (struct bench_case){ .loops = pair16_loops, .step = sizes[i],
						   .n = PAIRS / BATCH, .per = BATCH,
						   .bare = 1 };
	}
	bench_measure(cases[0], ARRAY_SIZE(sizes) * 3, ROUNDS_INSIDE);
	for (unsigned int i = 0; i < ARRAY_SIZE(sizes); i++) {
		child_report(kind_names[ALLOC], sizes[i], cases[i][0].cycles[0]);
		child_report(kind_names[FREE], sizes[i], cases[i][0].cycles[1]);
		child_report(kind_names[PAIR], sizes[i], cases[i][1].cycles[0]);
		child_report(kind_names[PAIR16], sizes[i], cases[i][2].cycles[0]);
	}
}

static void free_there(void *arg)
{
	double *cycles = arg;
	uint64_t start = ticks_begin();

	for (unsigned long i = 0; i < OBJECTS; i++)
		give(objects[i]);
	*cycles = (double)(ticks_end() - start) - timing_overhead();
}

/* One CPU allocates, the other frees. */
static void measure_remote(long bytes)
{
	double allocs[REMOTE_ROUNDS], frees[REMOTE_ROUNDS];

	timing_pin(timing_cpu(0));
	for (unsigned int round = 0; round < REMOTE_ROUNDS; round++) {
		unsigned long failed = 0;
		uint64_t start = ticks_begin();

		for (unsigned long i = 0; i < OBJECTS; i++)
			objects[i] = take((size_t)bytes);
		allocs[round] = (double)(ticks_end() - start) - timing_overhead();
		for (unsigned long i = 0; i < OBJECTS; i++)
			failed += !objects[i];
		peer_call(free_there, &frees[round]);
		allocs[round] = failed ? NAN : allocs[round] / OBJECTS;
		frees[round] = failed ? NAN : frees[round] / OBJECTS;
	}
	child_report(kind_names[REMOTE_FREE], bytes, bench_median(frees, REMOTE_ROUNDS));
	child_report(kind_names[REMOTE_ALLOC], bytes, bench_median(allocs, REMOTE_ROUNDS));
}

/* arg is the file that malloc() must come from. Measures with one thread first, then with two. */
int bench_malloc_child(const char *arg)
{
	if (!allocators_in_use(arg)) {
		fprintf(stderr, "usermm bench: malloc does not come from %s\n",
			*arg ? arg : "libc");
		return 1;
	}
	measure_local();
	if (peer_available())
		for (unsigned int i = 0; i < ARRAY_SIZE(sizes); i++)
			measure_remote(sizes[i]);
	return 0;
}

/* The figures of the children of one allocator. */
static struct {
	struct figures figures;
	bool absent;			/* the allocator could not be measured */
} results[MAX_ALLOCATORS];

static double median(unsigned int allocator, enum kind kind, long bytes)
{
	return figures_median(&results[allocator].figures, kind_names[kind], bytes);
}

static void run_start(struct bench *bench, const struct allocator *allocator, unsigned int a)
{
	const struct child_request request = {
		.suite = "malloc",
		.arg = allocator->path,
		.preload = *allocator->path ? allocator->path : NULL,
		.variable = allocator->variable,
	};
	const char *error;

	if (results[a].absent)
		return;
	error = child_run(&request, figures_take, &results[a].figures);
	if (!error)
		return;
	results[a].absent = true;
	results[a].figures.nr = 0;
	bench_print(bench, "%s: %s\n", allocator->name, error);
}

/* Cycles of usermm, which is the first, divided by those of the best other allocator; or NaN. */
static double against_best(const struct allocator *allocators, unsigned int nr, enum kind kind,
			   long bytes)
{
	double best = INFINITY;

	if (strcmp(allocators[0].name, "usermm"))
		return NAN;
	for (unsigned int a = 1; a < nr; a++)
		best = fmin(best, median(a, kind, bytes));
	return isfinite(best) ? median(0, kind, bytes) / best : NAN;
}

static void add_rows(struct bench *bench, const struct allocator *allocators, unsigned int nr,
		     unsigned int a, enum kind kind)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct json *row = results_add(bench, kind_names[kind], sizes[i],
					       median(a, kind, sizes[i]));
		double alloc = median(a, REMOTE_ALLOC, sizes[i]);
		double ratio = a ? NAN : against_best(allocators, nr, kind, sizes[i]);
		double spread = figures_spread(&results[a].figures, kind_names[kind], sizes[i]);

		json_add_text(row, "allocator", allocators[a].name);
		if (kind == REMOTE_FREE)
			json_add_real(row, "alloc_cycles", alloc);
		json_add_real(row, "against_best", ratio);
		json_add_real(row, "spread_percent", spread);
	}
}

/* Prints one kind: a row for each size, a column for each allocator, and last the comparison. */
static void print_kind(struct bench *bench, const struct allocator *allocators,
		       unsigned int nr, enum kind kind)
{
	unsigned int compared = 0;
	double logarithms = 0;

	bench_print(bench, "%-12s", kind_names[kind]);
	for (unsigned int a = 0; a < nr; a++)
		bench_print(bench, " %12s", allocators[a].name);
	bench_print(bench, "   usermm / best other\n");
	for (unsigned int i = 0; i < ARRAY_SIZE(sizes); i++) {
		double ratio = against_best(allocators, nr, kind, sizes[i]);

		bench_print(bench, "%12ld", sizes[i]);
		for (unsigned int a = 0; a < nr; a++)
			bench_print(bench, " %12s", show_cycles(median(a, kind, sizes[i])));
		if (!isnan(ratio)) {
			bench_print(bench, "   %.2f", ratio);
			logarithms += log(ratio);
			compared++;
		}
		bench_print(bench, "\n");
	}
	if (compared)
		bench_print(bench, "%s: geometric mean of usermm / best other %.2f\n",
			    kind_names[kind], exp(logarithms / compared));
}

void bench_malloc(struct bench *bench)
{
	struct allocator allocators[MAX_ALLOCATORS];
	unsigned int nr = allocators_find(allocators, bench->preload, bench->peers);

	if (!bench->preload)
		bench_print(bench, "usermm: libusermm_malloc.so was not found\n");
	for (unsigned int start = 0; start < (bench->quick ? 1 : STARTS); start++)
		for (unsigned int a = 0; a < nr; a++)
			run_start(bench, &allocators[a], a);
	for (unsigned int a = 0; a < nr; a++)
		for (enum kind kind = 0; kind <= REMOTE_FREE; kind++)
			add_rows(bench, allocators, nr, a, kind);
	for (enum kind kind = 0; kind < KINDS; kind++)
		print_kind(bench, allocators, nr, kind);
}
