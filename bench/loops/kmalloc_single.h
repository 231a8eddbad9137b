/* SPDX-License-Identifier: MIT */
/*
 * The single-threaded half of seed 2's test, for the module and for the plain program that the
 * module is compared with.
 */
#ifndef BENCH_LOOPS_KMALLOC_SINGLE_H
#define BENCH_LOOPS_KMALLOC_SINGLE_H

#include "kmalloc.h"
#include "measure.h"

static const struct {
	long bytes;
	const bench_loop *stream, *pair, *pair16;
} kmalloc_sizes[] = {
#define KMALLOC_ENTRY(size) { size, stream_##size, pair_##size, pair16_##size },
	KMALLOC_SIZES(KMALLOC_ENTRY)
};

enum { STREAM, PAIR, PAIR16, KMALLOC_KINDS };

static struct measure_case kmalloc_cases[ARRAY_SIZE(kmalloc_sizes)][KMALLOC_KINDS];

static void kmalloc_show(void)
{
	measure_say("1. Kmalloc: Repeatedly allocate then free test\n");
	for (unsigned int i = 0; i < ARRAY_SIZE(kmalloc_sizes); i++) {
		const struct measure_case *c = &kmalloc_cases[i][STREAM];

		measure_say("%lu times kmalloc(%ld) -> %llu cycles kfree -> %llu cycles\n", c->n,
			    c->step, measure_whole(c->cost[0]), measure_whole(c->cost[1]));
		measure_row("alloc", c->step, c->cost[0]);
		measure_row("free", c->step, c->cost[1]);
	}
	measure_say("2. Kmalloc: alloc/free test\n");
	for (unsigned int i = 0; i < ARRAY_SIZE(kmalloc_sizes); i++) {
		const struct measure_case *c = &kmalloc_cases[i][PAIR];

		measure_say("%lu times kmalloc(%ld)/kfree -> %llu cycles\n", c->n, c->step,
			    measure_whole(c->cost[0]));
		measure_row("pair", c->step, c->cost[0]);
		measure_row("pair16", c->step, kmalloc_cases[i][PAIR16].cost[0]);
	}
}

/* Runs the test. False if a case has no result, since an allocation failed in each of its runs. */
static bool kmalloc_single_thread(unsigned long loops, unsigned int rounds)
{
	bool good = true;

	measure_say("Single thread testing\n");
	for (unsigned int i = 0; i < ARRAY_SIZE(kmalloc_sizes); i++) {
		long bytes = kmalloc_sizes[i].bytes;
		struct measure_case *cases = kmalloc_cases[i];

		cases[STREAM] = (struct measure_case){ .loops = kmalloc_sizes[i].stream,
						       .step = bytes, .n = loops };
		cases[PAIR] = (struct measure_case){ .loops = kmalloc_sizes[i].pair,
						     .step = bytes, .n = loops };
		cases[PAIR16] = (struct measure_case){ .loops = kmalloc_sizes[i].pair16,
						       .step = bytes, .per = BATCH,
						       .n = max(loops / BATCH, 1ul) };
	}
	measure_cases(kmalloc_cases[0], ARRAY_SIZE(kmalloc_sizes) * KMALLOC_KINDS, rounds);
	for (unsigned int i = 0; i < ARRAY_SIZE(kmalloc_sizes); i++)
		for (unsigned int kind = 0; kind < KMALLOC_KINDS; kind++)
			good &= kmalloc_cases[i][kind].cost[0] != MEASURE_FAILED;
	if (good)
		kmalloc_show();
	return good;
}

#endif
