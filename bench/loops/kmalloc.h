/* SPDX-License-Identifier: MIT */
/*
 * Seed 2's loops. One allocates many objects, another frees them; a third allocates and frees each
 * object at once. Sizes are constants, so the compiler chooses the class, as in nearly every
 * caller.
 */
#ifndef BENCH_LOOPS_KMALLOC_H
#define BENCH_LOOPS_KMALLOC_H

#include "loop.h"

#define OBJECTS 10000
#define BATCH 16

/* The seed's sizes. */
#define KMALLOC_SIZES(apply)							\
	apply(8) apply(16) apply(32) apply(64) apply(128) apply(256) apply(512)	\
	apply(1024) apply(2048) apply(4096) apply(8192) apply(16384)

static void *objects[OBJECTS];

static __always_inline void stream_body(struct bench_run *run, size_t size)
{
	unsigned long failed = 0;
	uint64_t start = ticks_begin(), middle;

	for (unsigned long i = 0; i < run->n; i++)
		objects[i] = kmalloc(size, GFP_KERNEL);
	middle = ticks_end();
	run->ticks[0] = middle - start;
	for (unsigned long i = 0; i < run->n; i++)
		failed += !objects[i];
	start = ticks_begin();
	for (unsigned long i = 0; i < run->n; i++)
		kfree(objects[i]);
	run->ticks[1] = ticks_end() - start;
	run->failed = failed;
}

/* Holds objects back, so that each place uses another object: see loop.h. */
static noinline void hold(const struct bench_run *run, size_t size, void **held)
{
	for (unsigned int i = 0; i < run->place; i++)
		held[i] = kmalloc(size, GFP_KERNEL);
}

static noinline void release(const struct bench_run *run, void **held)
{
	for (unsigned int i = run->place; i-- > 0;)
		kfree(held[i]);
}

static __always_inline void pair_body(struct bench_run *run, size_t size)
{
	void *held[BENCH_PLACEMENTS];
	unsigned long failed = 0;
	uint64_t start;

	hold(run, size, held);
	start = ticks_begin();
	for (unsigned long i = 0; i < run->n; i++) {
		void *object = kmalloc(size, GFP_KERNEL);

		failed += !object;
		kfree(object);
	}
	run->ticks[0] = ticks_end() - start;
	run->failed = failed;
	release(run, held);
}

static __always_inline void pair16_body(struct bench_run *run, size_t size)
{
	void *held[BENCH_PLACEMENTS], *batch[BATCH];
	unsigned long failed = 0;
	uint64_t start;

	hold(run, size, held);
	start = ticks_begin();
	for (unsigned long i = 0; i < run->n; i++) {
		for (unsigned int j = 0; j < BATCH; j++) {
			batch[j] = kmalloc(size, GFP_KERNEL);
			failed += !batch[j];
		}
		for (unsigned int j = 0; j < BATCH; j++)
			kfree(batch[j]);
	}
	run->ticks[0] = ticks_end() - start;
	run->failed = failed;
	release(run, held);
}

#define KMALLOC_LOOPS(size)						\
	BENCH_PLACED(stream_##size, stream_body(run, size));		\
	BENCH_PLACED(pair_##size, pair_body(run, size));		\
	BENCH_PLACED(pair16_##size, pair16_body(run, size));

KMALLOC_SIZES(KMALLOC_LOOPS)

#endif
