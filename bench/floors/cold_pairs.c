// SPDX-License-Identifier: MIT
/*
 * The cost of a pair of calloc(1, 48) and free() in a program that does other work between two
 * pairs. Before each pair it reads a number of lines of a buffer, or one line in each of a number
 * of pages. So the data of the calls is no longer, or only partly, in the processor's first cache
 * or first TLB. Measures the malloc that is preloaded; for the table in docs/notes/fast-paths.md.
 *
 * Prints time-stamp cycles for one pair, without the reading, as the best of many runs. For x86-64.
 *
 * usage: cc -O2 -fno-builtin -o cold_pairs cold_pairs.c
 *        LD_PRELOAD=... taskset -c 1 ./cold_pairs
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <x86intrin.h>

#define LINE_BYTES 64
#define PAGE_BYTES 4096
#define PLACES_MAX 2048
#define BYTES 48
#define TURNS 200
#define RUNS 60

/* volatile pointers, so that the compiler cannot optimise the calls. */
static void *(*volatile take)(size_t n, size_t bytes) = calloc;
static void (*volatile give)(void *block) = free;

static char buffer[(size_t)PLACES_MAX * PAGE_BYTES] __attribute__((__aligned__(PAGE_BYTES)));
static unsigned int places[PLACES_MAX];
static volatile long sink;

/* Chooses the lines in random order. On separate pages each has another line of the page. */
static void choose_places(unsigned int nr, bool pages)
{
	for (unsigned int i = 0; i < nr; i++)
		places[i] = pages ? i * PAGE_BYTES + i % (PAGE_BYTES / LINE_BYTES) * LINE_BYTES :
				    i * LINE_BYTES;
	for (unsigned int i = nr; i > 1; i--) {
		unsigned int other = (unsigned int)rand() % i, place = places[i - 1];

		places[i - 1] = places[other];
		places[other] = place;
	}
}

/* Not inlined, so that runs with and without pairs execute the same instructions. */
static __attribute__((__noinline__)) long read_places(unsigned int nr)
{
	long sum = 0;

	for (unsigned int i = 0; i < nr; i++)
		sum += buffer[places[i]];
	return sum;
}

static unsigned long turns(unsigned int nr, bool pair)
{
	unsigned long start = __rdtsc();

	for (unsigned int turn = 0; turn < TURNS; turn++) {
		long sum = read_places(nr);

		sink = sum;
		if (pair) {
			long *block = take(1, BYTES);

			if (!block)
				abort();
			*(volatile long *)block = sum;
			give(block);
		}
	}
	return __rdtsc() - start;
}

static double pair_among(unsigned int nr, bool pages)
{
	unsigned long without = ~0UL, with = ~0UL;

	choose_places(nr, pages);
	for (unsigned int run = 0; run < RUNS; run++) {
		unsigned long ticks = turns(nr, false);

		without = ticks < without ? ticks : without;
		ticks = turns(nr, true);
		with = ticks < with ? ticks : with;
	}
	return ((double)with - (double)without) / TURNS;
}

static void print(const char *what, const unsigned int *numbers, size_t nr, bool pages)
{
	printf("%s:", what);
	for (size_t i = 0; i < nr; i++)
		printf("  %u %.1f", numbers[i], pair_among(numbers[i], pages));
	printf("\n");
}

int main(void)
{
	static const unsigned int lines[] = { 0, 128, 192, 256, 320, 640, 1280 };
	static const unsigned int pages[] = { 16, 58, 88, 133, 200, 300, 450 };

	for (size_t at = 0; at < sizeof(buffer); at += LINE_BYTES)
		buffer[at] = 1;
	print("lines", lines, sizeof(lines) / sizeof(lines[0]), false);
	print("pages", pages, sizeof(pages) / sizeof(pages[0]), true);
	return EXIT_SUCCESS;
}
