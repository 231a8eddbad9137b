// SPDX-License-Identifier: MIT
/*
 * Large blocks in turns: blocks of 5 to 25 MiB at random, of which `live` are there at a time. Each
 * turn frees one and allocates another, and writes to each of its pages. Measures the malloc that
 * is preloaded; for the table in docs/notes/realloc-and-large-blocks.md.
 *
 * Prints page faults a turn, CPU seconds, the most bytes that lived at once, and the peak RSS.
 *
 * usage: cc -O2 -fno-builtin -o large_turns large_turns.c && LD_PRELOAD=... ./large_turns 2000 20
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#define PAGE_BYTES 4096
#define MIB ((size_t)1 << 20)
#define MIB_MIN 5
#define MIB_MAX 25

struct block {
	char *start;
	size_t bytes;
};

/* A number that is the same in every run. */
static uint64_t random_number(void)
{
	static uint64_t state = 88172645463325252u;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static void write_all(struct block *block)
{
	for (size_t i = 0; i < block->bytes; i += PAGE_BYTES)
		block->start[i] = 1;
}

static void replace(struct block *block)
{
	free(block->start);
	block->bytes = MIB_MIN * MIB + random_number() % ((MIB_MAX - MIB_MIN) * MIB);
	block->start = malloc(block->bytes);
	if (!block->start)
		abort();
	write_all(block);
}

static double seconds(struct timeval time)
{
	return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

static void print(long turns, size_t most)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	printf("%.0f faults a turn, %.2f s user, %.2f s system, at most %zu MiB live, "
	       "peak RSS %ld MiB\n", (double)usage.ru_minflt / (double)turns,
	       seconds(usage.ru_utime), seconds(usage.ru_stime), most / MIB,
	       usage.ru_maxrss / 1024);
}

int main(int argc, char **argv)
{
	long turns = argc > 1 ? atol(argv[1]) : 2000, live = argc > 2 ? atol(argv[2]) : 20;
	struct block *blocks = turns > 0 && live > 0 ? calloc((size_t)live, sizeof(*blocks)) : NULL;
	size_t bytes = 0, most = 0;

	if (!blocks) {
		fprintf(stderr, "usage: large_turns [TURNS [LIVE]], both above 0\n");
		return 2;
	}
	for (long i = 0; i < turns; i++) {
		struct block *block = &blocks[random_number() % (uint64_t)live];

		bytes -= block->bytes;
		replace(block);
		bytes += block->bytes;
		most = bytes > most ? bytes : most;
	}
	print(turns, most);
	return EXIT_SUCCESS;
}
