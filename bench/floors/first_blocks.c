// SPDX-License-Identifier: MIT
/*
 * The cost of using one block of each size, as programs often do: one word in each of a number of
 * blocks of different sizes is read and written again and again. The blocks have fewer cache lines
 * than any first cache. But blocks that begin at the same offset in their pages share a set of the
 * cache, and a load waits for a store to the same offset.
 *
 * Prints time-stamp cycles for one block, the best of many turns: first for blocks of different
 * sizes, then for as many blocks of one size, which lie side by side.
 *
 * usage: cc -O2 -o first_blocks first_blocks.c && LD_PRELOAD=... ./first_blocks
 */
#include <stdio.h>
#include <stdlib.h>
#include <x86intrin.h>

#define BLOCKS_MAX 40
#define TURNS 2000
#define BEST_OF 200

/*
 * Sizes as the classes of most allocators: multiples of 16; from 256 on, eight for each doubling.
 */
static size_t next_size(size_t size)
{
	size_t step = 16;

	while (step * 16 <= size)
		step *= 2;
	return size + step;
}

static double cycles_of(volatile unsigned long **blocks, unsigned int nr)
{
	double best = 1e9, cycles;

	for (unsigned int run = 0; run < BEST_OF; run++) {
		unsigned long begin = __rdtsc();

		for (unsigned int turn = 0; turn < TURNS; turn++)
			for (unsigned int i = 0; i < nr; i++)
				blocks[i][0]++;
		cycles = (double)(__rdtsc() - begin) / TURNS / nr;
		best = cycles < best ? cycles : best;
	}
	return best;
}

int main(void)
{
	static const unsigned int numbers[] = { 4, 8, 12, 16, 24, 32, 40 };
	volatile unsigned long *own[BLOCKS_MAX], *same[BLOCKS_MAX];
	size_t size = 16;

	for (unsigned int i = 0; i < BLOCKS_MAX; i++, size = next_size(size)) {
		own[i] = calloc(1, size);
		if (!own[i])
			return 1;
	}
	for (unsigned int i = 0; i < BLOCKS_MAX; i++) {
		same[i] = calloc(1, 64);
		if (!same[i])
			return 1;
	}
	printf("blocks  own sizes  one size\n");
	for (unsigned int i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		printf("%6u %10.2f %9.2f\n", numbers[i], cycles_of(own, numbers[i]),
		       cycles_of(same, numbers[i]));
	return 0;
}
