/* SPDX-License-Identifier: MIT */
/*
 * What taking and giving back tables took, level by level.
 *
 * A call begins when the stores of before are in the cache (ticks_begin_stored()), and is
 * over when its own are (ticks_end_stored()). Else most of what clearing a page takes were
 * left to whatever comes next: it is all stores, and a processor puts off tens of them. A hit
 * is all loads, which are waited for in any case.
 */
#ifndef BENCH_LOOPS_TABLE_TIMINGS_H
#define BENCH_LOOPS_TABLE_TIMINGS_H

#include "loop.h"

/* In the order of enum pgtable_level. */
enum level { PTE, PMD, PUD, PGD, LEVELS };

static const char *const level_names[LEVELS] = { "pte", "pmd", "pud", "pgd" };

/* In cycles, reading the counter included. */
struct timings {
	unsigned long count, misses;
	uint64_t total, min, max, hit_total, free_total;
};

static inline void timings_reset(struct timings timings[LEVELS])
{
	memset(timings, 0, LEVELS * sizeof(timings[0]));
	for (unsigned int level = 0; level < LEVELS; level++)
		timings[level].min = ~(uint64_t)0;
}

static inline void timings_add(struct timings *t, uint64_t ticks, bool miss)
{
	t->count++;
	t->misses += miss;
	t->total += ticks;
	t->hit_total += miss ? 0 : ticks;
	t->min = min(t->min, ticks);
	t->max = max(t->max, ticks);
}

/* Hundredths of a cycle that these two take, without interrupts. */
static inline uint64_t timings_overhead(void)
{
	static uint64_t samples[1024];
	uint64_t least = ~(uint64_t)0, sum = 0, nr = 0;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(samples); i++) {
		uint64_t start = ticks_begin_stored();

		samples[i] = ticks_end_stored() - start;
		least = min(least, samples[i]);
	}
	for (i = 0; i < ARRAY_SIZE(samples); i++)
		if (samples[i] <= 4 * (least + 1)) {
			sum += samples[i];
			nr++;
		}
	return sum * 100 / nr;
}

#endif
