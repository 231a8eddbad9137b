// SPDX-License-Identifier: MIT
/* Suite malloc, in a child: calls of malloc() and free(), by size. */
#include "malloc.h"

#include <math.h>
#include <stdlib.h>

#include "child.h"
#include "second_thread.h"
#include "measure/timing.h"

#define ROUNDS_INSIDE 4
#define REMOTE_ROUNDS 8
#define OBJECTS 10000
#define PAIRS 10000
#define BATCH 16

const char *const malloc_call_names[MALLOC_CALLS] = {
	"alloc", "free", "pair", "pair16", "remote_free", "remote_alloc"
};
const long malloc_sizes[MALLOC_SIZES] = { 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192,
					  16384 };

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

static void report(enum malloc_call call, long bytes, double cycles)
{
	child_report(malloc_call_names[call], bytes, cycles);
}

static void measure_local(void)
{
	struct bench_case cases[MALLOC_SIZES][3];

	for (unsigned int i = 0; i < MALLOC_SIZES; i++) {
		cases[i][0] = (struct bench_case){ .loops = stream_loops, .step = malloc_sizes[i],
						   .n = OBJECTS, .bare = 1 };
		cases[i][1] = (struct bench_case){ .loops = pair_loops, .step = malloc_sizes[i],
						   .n = PAIRS, .bare = 1 };
		cases[i][2] = (struct bench_case){ .loops = pair16_loops, .step = malloc_sizes[i],
						   .n = PAIRS / BATCH, .per = BATCH,
						   .bare = 1 };
	}
	bench_measure(cases[0], MALLOC_SIZES * 3, ROUNDS_INSIDE);
	for (unsigned int i = 0; i < MALLOC_SIZES; i++) {
		report(MALLOC_ALLOC, malloc_sizes[i], cases[i][0].cycles[0]);
		report(MALLOC_FREE, malloc_sizes[i], cases[i][0].cycles[1]);
		report(MALLOC_PAIR, malloc_sizes[i], cases[i][1].cycles[0]);
		report(MALLOC_PAIR16, malloc_sizes[i], cases[i][2].cycles[0]);
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
		second_thread_call(free_there, &frees[round]);
		allocs[round] = failed ? NAN : allocs[round] / OBJECTS;
		frees[round] = failed ? NAN : frees[round] / OBJECTS;
	}
	report(MALLOC_REMOTE_FREE, bytes, bench_median(frees, REMOTE_ROUNDS));
	report(MALLOC_REMOTE_ALLOC, bytes, bench_median(allocs, REMOTE_ROUNDS));
}

void malloc_measure_calls(void)
{
	measure_local();
	if (second_thread_available())
		for (unsigned int i = 0; i < MALLOC_SIZES; i++)
			measure_remote(malloc_sizes[i]);
}
