// SPDX-License-Identifier: MIT
/*
 * The cost for a process that allocates many objects of one size and frees them for the first time,
 * before any cache of free objects has grown to their number. Objects are freed in order of
 * allocation, and in random order. Measures the malloc that is preloaded; for the tables in
 * docs/notes/slab.md.
 *
 * Prints time-stamp cycles for each object, medians over several processes. For x86-64.
 *
 * usage: cc -O2 -fno-builtin -o first_frees first_frees.c && LD_PRELOAD=... ./first_frees
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <x86intrin.h>

#define RUNS 9
#define MOST 300000u

struct cost {
	double allocated, freed;
};

static void **objects;		/* not from malloc() */

static uint64_t next_random(void)
{
	static uint64_t state = 88172645463325252u;

	state ^= state << 13;
	state ^= state >> 7;
	return state ^= state << 17;
}

static void shuffle(unsigned int nr)
{
	for (unsigned int i = nr; i-- > 1;) {
		unsigned int other = (unsigned int)(next_random() % (i + 1));
		void *object = objects[i];

		objects[i] = objects[other];
		objects[other] = object;
	}
}

static void run(struct cost *cost, size_t bytes, unsigned int nr, bool mixed)
{
	uint64_t start = __rdtsc(), end;

	for (unsigned int i = 0; i < nr; i++) {
		objects[i] = malloc(bytes);
		if (!objects[i])
			abort();
		*(char *)objects[i] = 1;
	}
	end = __rdtsc();
	cost->allocated = (double)(end - start) / nr;
	if (mixed)
		shuffle(nr);
	start = __rdtsc();
	for (unsigned int i = 0; i < nr; i++)
		free(objects[i]);
	end = __rdtsc();
	cost->freed = (double)(end - start) / nr;
}

static int compare(const void *a, const void *b)
{
	double x = ((const struct cost *)a)->freed, y = ((const struct cost *)b)->freed;

	return (x > y) - (x < y);
}

/* The costs of the process whose frees were the median. */
static struct cost median(struct cost *costs, size_t bytes, unsigned int nr, bool mixed)
{
	for (unsigned int i = 0; i < RUNS; i++) {
		pid_t child = fork();
		int status;

		if (child < 0)
			abort();
		if (!child) {
			run(&costs[i], bytes, nr, mixed);
			_exit(EXIT_SUCCESS);
		}
		if (waitpid(child, &status, 0) != child || status)
			abort();
	}
	qsort(costs, RUNS, sizeof(*costs), compare);
	return costs[RUNS / 2];
}

static void *map(size_t bytes)
{
	void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
			    -1, 0);

	if (memory == MAP_FAILED)
		abort();
	return memory;
}

int main(void)
{
	static const size_t sizes[] = { 16, 32, 64, 256 };
	static const unsigned int numbers[] = { 20000, 75000, MOST };
	struct cost *costs = map(RUNS * sizeof(*costs));

	objects = map(MOST * sizeof(*objects));
	for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++)
		for (size_t n = 0; n < sizeof(numbers) / sizeof(numbers[0]); n++) {
			struct cost ordered = median(costs, sizes[s], numbers[n], false);
			struct cost mixed = median(costs, sizes[s], numbers[n], true);

			printf("%4zu bytes, %6u objects: malloc %.1f, free %.1f, mixed %.1f\n",
			       sizes[s], numbers[n], ordered.allocated, ordered.freed,
			       mixed.freed);
			fflush(stdout);
		}
	return EXIT_SUCCESS;
}
