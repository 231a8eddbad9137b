/* SPDX-License-Identifier: MIT */
/*
 * Times of allocations and frees of tables, level by level.
 *
 * The clock starts when earlier stores have reached the cache (ticks_begin_stored()), and stops
 * when the call's own stores have (ticks_end_stored()). Otherwise most of the cost of clearing a
 * page would fall to the code that follows: clearing consists of stores, and a processor buffers
 * tens of them. A hit consists of loads, which are waited for in any case.
 */
#ifndef BENCH_LOOPS_TABLE_TIMINGS_H
#define BENCH_LOOPS_TABLE_TIMINGS_H

#include "loop.h"

/* In the order of enum pgtable_level. */
enum level { PTE, PMD, PUD, PGD, LEVELS };

static const char *const level_names[LEVELS] = { "pte", "pmd", "pud", "pgd" };

/* In cycles, including the reading of the counter. */
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

/*
 * The cost of reading the counter at start and stop, in hundredths of a cycle, without interrupts.
 */
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
