// SPDX-License-Identifier: MIT
/*
 * Large blocks that are written completely and freed: one at a time; two sizes in turns, one three
 * fifths of the other; and one block that realloc() grows by a quarter at a time, from a sixteenth
 * of its final size on. Measures the malloc that is preloaded; for the table in
 * docs/notes/realloc-and-large-blocks.md.
 *
 * Prints microseconds for one block, the median of many, after some for warming up.
 *
 * usage: cc -O2 -fno-builtin -o large_written large_written.c && LD_PRELOAD=... ./large_written
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define RUNS 41
#define WARM_UP 3

static void check(const void *block)
{
	if (!block)
		abort();
}

static void write_one(size_t bytes)
{
	char *volatile block = malloc(bytes);

	check(block);
	memset(block, 1, bytes);
	free(block);
}

static void one(size_t bytes)
{
	write_one(bytes);
}

static void two_sizes(size_t bytes)
{
	write_one(bytes);
	write_one(bytes / 5 * 3);
}

static void grow(size_t bytes)
{
	size_t size = bytes / 16, before = 0;
	char *block = NULL;

	for (; size < bytes; before = size, size += size / 4) {
		block = realloc(block, size);
		check(block);
		memset(block + before, 1, size - before);
	}
	free(block);
}

static double now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median_us(void (*use)(size_t), size_t bytes)
{
	double us[RUNS];

	for (int run = -WARM_UP; run < RUNS; run++) {
		double start = now_us();

		use(bytes);
		if (run >= 0)
			us[run] = now_us() - start;
	}
	qsort(us, RUNS, sizeof(us[0]), compare);
	return us[RUNS / 2];
}

int main(void)
{
	static const size_t sizes[] = { 1000000, 5000000, 10000000, 20000000, 30000000, 60000000 };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		printf("%9zu bytes: %.0f, two sizes %.0f, grown %.0f\n", sizes[i],
		       median_us(one, sizes[i]), median_us(two_sizes, sizes[i]),
		       median_us(grow, sizes[i]));
	return EXIT_SUCCESS;
}
