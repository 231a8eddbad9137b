// SPDX-License-Identifier: MIT
/*
 * What a pair of calloc(1, 48) and free() costs a program that does something else between two
 * pairs: each time it reads so many lines of a buffer, or a line of so many pages, so what the
 * calls read is no longer, or not all, in the processor's first cache or its first table of
 * translations. Under whatever malloc is preloaded; for the table in docs/notes/fast-paths.md.
 *
 * Cycles of the time-stamp counter for one pair beyond what the reading takes, the best of many
 * runs. For x86-64.
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

/* Called through memory, so that no call can be seen through or left out. */
static void *(*volatile take)(size_t n, size_t bytes) = calloc;
static void (*volatile give)(void *block) = free;

static char buffer[(size_t)PLACES_MAX * PAGE_BYTES] __attribute__((__aligned__(PAGE_BYTES)));
static unsigned int places[PLACES_MAX];
static volatile long sink;

/* In a random order; on pages of their own each has another line, so that they share the cache. */
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

/* The same instructions with a pair and without. */
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
