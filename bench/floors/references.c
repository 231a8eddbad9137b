// SPDX-License-Identifier: MIT
/*
 * A floor for seed 0's compound loop: a page's first reference, a second one, the drop of one of
 * two, and the drop of the last. No allocator, no list. Prints time-stamp cycles, the best of some
 * runs.
 *
 * usage: cc -O2 -o references references.c && ./references
 */
#include <stdint.h>
#include <stdio.h>
#include <x86intrin.h>

#define TURNS 1000000
#define RUNS 20

static struct {
	unsigned long flags;
	int32_t count;
} __attribute__((aligned(64))) page;

static void turn(void)
{
	int32_t count;

	__atomic_store_n(&page.count, 1, __ATOMIC_RELAXED);
	__atomic_store_n(&page.flags, 2, __ATOMIC_RELAXED);
	__atomic_fetch_add(&page.count, 1, __ATOMIC_RELAXED);
	count = __atomic_load_n(&page.count, __ATOMIC_RELAXED);
	__atomic_compare_exchange_n(&page.count, &count, count - 1, 0, __ATOMIC_ACQ_REL,
				    __ATOMIC_RELAXED);
	if (__atomic_load_n(&page.count, __ATOMIC_RELAXED) != 1)
		return;
	__atomic_store_n(&page.count, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&page.flags, 0, __ATOMIC_RELAXED);
}

int main(void)
{
	uint64_t best = UINT64_MAX;

	for (int run = 0; run < RUNS; run++) {
		uint64_t ticks = __rdtsc();

		for (int i = 0; i < TURNS; i++)
			turn();
		ticks = __rdtsc() - ticks;
		if (ticks < best)
			best = ticks;
	}
	printf("%.1f cycles a turn\n", (double)best / TURNS);
	return 0;
}
