// SPDX-License-Identifier: MIT
/*
 * Suite malloc: malloc and free of every allocator on the machine, in turns.
 * Each is measured in processes of its own, with the library preloaded, by the
 * very same code; a process first makes sure that the malloc it got is the one
 * that it should measure.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "allocators.h"
#include "bench.h"
#include "child.h"
#include "peer.h"
#include "results.h"
#include "timing.h"

#define ROUNDS 3		/* processes for each allocator */
#define ROUNDS_INSIDE 4
#define REMOTE_ROUNDS 8
#define MAX_OBJECTS 10000
#define STREAM_BYTES (32ul << 20)
#define PAIRS 10000
#define BATCH 16

enum kind { ALLOC, FREE, PAIR, PAIR16, REMOTE_FREE, REMOTE_ALLOC, KINDS };

static const char *const kind_names[KINDS] = { "alloc", "free", "pair", "pair16",
					       "remote_free", "remote_alloc" };
static const long sizes[] = { 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384 };

/* Called through memory, so that no call can be seen through or left out. */
static void *(*volatile take)(size_t bytes) = malloc;
static void (*volatile give)(void *object) = free;

static void *objects[MAX_OBJECTS];

static unsigned long stream_length(long bytes)
{
	return min(STREAM_BYTES / (unsigned long)bytes, (unsigned long)MAX_OBJECTS);
}

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

/* See timing.h: another object at each place. */
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
						   .n = stream_length(sizes[i]), .bare = 1 };
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

struct remote {
	unsigned long nr;
	double cycles;
};

static void free_there(void *arg)
{
	struct remote *remote = arg;
	uint64_t start = ticks_begin();

	for (unsigned long i = 0; i < remote->nr; i++)
		give(objects[i]);
	remote->cycles = (double)(ticks_end() - start) - timing_overhead();
}

/* One CPU takes, the other gives back. */
static void measure_remote(long bytes)
{
	struct remote remote = { .nr = stream_length(bytes) };
	double allocs[REMOTE_ROUNDS], frees[REMOTE_ROUNDS];

	timing_pin(timing_cpu(0));
	for (unsigned int round = 0; round < REMOTE_ROUNDS; round++) {
		unsigned long failed = 0;
		uint64_t start = ticks_begin();

		for (unsigned long i = 0; i < remote.nr; i++)
			objects[i] = take((size_t)bytes);
		allocs[round] = (double)(ticks_end() - start) - timing_overhead();
		for (unsigned long i = 0; i < remote.nr; i++)
			failed += !objects[i];
		peer_call(free_there, &remote);
		allocs[round] = failed ? NAN : allocs[round] / (double)remote.nr;
		frees[round] = failed ? NAN : remote.cycles / (double)remote.nr;
	}
	child_report(kind_names[REMOTE_FREE], bytes, bench_median(frees, REMOTE_ROUNDS));
	child_report(kind_names[REMOTE_ALLOC], bytes, bench_median(allocs, REMOTE_ROUNDS));
}

/* arg: the file that malloc must come from. One thread first, then two. */
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

/* Everything that the children of one allocator said. */
struct figures {
	double rounds[KINDS][ARRAY_SIZE(sizes)][ROUNDS];
	double median[KINDS][ARRAY_SIZE(sizes)];
	unsigned int round;		/* the one that is running */
	bool absent;			/* could not be measured */
};

static struct figures figures[MAX_ALLOCATORS];

static void take_row(void *context, const char *name, long step, double cycles)
{
	struct figures *f = context;

	for (unsigned int kind = 0; kind < KINDS; kind++)
		for (unsigned int i = 0; i < ARRAY_SIZE(sizes); i++)
			if (!strcmp(name, kind_names[kind]) && sizes[i] == step)
				f->rounds[kind][i][f->round] = cycles;
}

static void run_round(struct bench *bench, const struct allocator *allocator,
		      struct figures *f, unsigned int round)
{
	const struct child_request request = {
		.suite = "malloc",
		.arg = allocator->path,
		.preload = *allocator->path ? allocator->path : NULL,
	};
	const char *error;

	f->round = round;
	for (unsigned int kind = 0; kind < KINDS; kind++)
		for (unsigned int i = 0; i < ARRAY_SIZE(sizes); i++)
			f->rounds[kind][i][round] = NAN;
	if (f->absent)
		return;
	error = child_run(&request, take_row, f);
	if (error) {
		f->absent = true;
		bench_print(bench, "%s: %s\n", allocator->name, error);
	}
}

static void add_rows(struct bench *bench, const struct allocator *allocator, struct figures *f)
{
	for (unsigned int kind = 0; kind < KINDS; kind++)
		for (unsigned int i = 0; i < ARRAY_SIZE(sizes); i++)
			f->median[kind][i] = f->absent ? NAN :
					     bench_median(f->rounds[kind][i], ROUNDS);
	for (unsigned int kind = 0; kind <= REMOTE_FREE; kind++)
		for (unsigned int i = 0; i < ARRAY_SIZE(sizes); i++) {
			json_t *row = results_add(bench, kind_names[kind], sizes[i],
						  f->median[kind][i]);
			double alloc = f->median[REMOTE_ALLOC][i];

			json_object_set_new(row, "allocator", json_string(allocator->name));
			if (kind == REMOTE_FREE && !isnan(alloc))
				json_object_set_new(row, "alloc_cycles", json_real(alloc));
		}
}

/* One kind: sizes down, allocators across; the last column compares. */
static void print_kind(struct bench *bench, const struct allocator *allocators,
		       unsigned int nr, enum kind kind)
{
	bench_print(bench, "%-12s", kind_names[kind]);
	for (unsigned int a = 0; a < nr; a++)
		bench_print(bench, " %9s", allocators[a].name);
	bench_print(bench, "   usermm / best other\n");
	for (unsigned int i = 0; i < ARRAY_SIZE(sizes); i++) {
		double best = INFINITY;

		bench_print(bench, "%12ld", sizes[i]);
		for (unsigned int a = 0; a < nr; a++) {
			double cycles = figures[a].median[kind][i];

			bench_print(bench, " %9s", show_cycles(cycles));
			if (strcmp(allocators[a].name, "usermm"))
				best = fmin(best, cycles);
		}
		if (!strcmp(allocators[0].name, "usermm") &&
		    !isnan(figures[0].median[kind][i]) && isfinite(best))
			bench_print(bench, "   %.2f", figures[0].median[kind][i] / best);
		bench_print(bench, "\n");
	}
}

void bench_malloc(struct bench *bench)
{
	struct allocator allocators[MAX_ALLOCATORS];
	unsigned int nr = allocators_find(allocators, bench->preload);

	if (!bench->preload)
		bench_print(bench, "usermm: libusermm_malloc.so was not found\n");
	for (unsigned int round = 0; round < ROUNDS; round++)
		for (unsigned int a = 0; a < nr; a++)
			run_round(bench, &allocators[a], &figures[a], round);
	for (unsigned int a = 0; a < nr; a++)
		add_rows(bench, &allocators[a], &figures[a]);
	for (unsigned int kind = 0; kind < KINDS; kind++)
		print_kind(bench, allocators, nr, kind);
}
