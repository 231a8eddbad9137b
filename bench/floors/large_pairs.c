// SPDX-License-Identifier: MIT
/*
 * Pairs of malloc() and free() of large blocks whose first byte is written, with 1 and with 4
 * blocks at a time. Measures the malloc that is preloaded; for the table in
 * docs/notes/realloc-and-large-blocks.md.
 *
 * Prints time-stamp cycles for one pair, the best of many runs. For x86-64.
 *
 * usage: cc -O2 -fno-builtin -o large_pairs large_pairs.c
 *        LD_PRELOAD=... taskset -c 1 ./large_pairs
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <x86intrin.h>

#define TURNS 2000
#define RUNS 20
#define AT_ONCE_MAX 4

static unsigned long turns(size_t bytes, unsigned int at_once)
{
	char *blocks[AT_ONCE_MAX];
	unsigned long start = __rdtsc();

	for (unsigned int turn = 0; turn < TURNS; turn++) {
		for (unsigned int i = 0; i < at_once; i++) {
			blocks[i] = malloc(bytes);
			if (!blocks[i])
				abort();
			*(volatile char *)blocks[i] = 1;
		}
		for (unsigned int i = 0; i < at_once; i++)
			free(blocks[i]);
	}
	return __rdtsc() - start;
}

static double best_of(size_t bytes, unsigned int at_once)
{
	unsigned long best = ~0UL;

	for (unsigned int run = 0; run < RUNS; run++) {
		unsigned long ticks = turns(bytes, at_once);

		best = ticks < best ? ticks : best;
	}
	return (double)best / TURNS / at_once;
}

int main(void)
{
	static const size_t sizes[] = {
		40000, 65536, 100000, 131072, 200000, 262144, 345664, 524288, 1048576,
	};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		printf("%7zu bytes: %.0f, by four %.0f\n", sizes[i], best_of(sizes[i], 1),
		       best_of(sizes[i], AT_ONCE_MAX));
	return EXIT_SUCCESS;
}
