/* SPDX-License-Identifier: MIT */
#include "misuse.h"

#include <sched.h>
#include <stdio.h>

#define NR_BLOCKS 2000

static char *blocks[NR_BLOCKS];

static int by_address(const void *a, const void *b)
{
	const char *left = *(char *const *)a, *right = *(char *const *)b;

	return (left > right) - (left < right);
}

struct neighbours neighbours_of(size_t size)
{
	size_t best = NR_BLOCKS / 2;

	for (size_t i = 0; i < NR_BLOCKS; i++)
		blocks[i] = block_of(size);
	qsort(blocks, NR_BLOCKS, sizeof(blocks[0]), by_address);
	for (size_t i = 1; i < NR_BLOCKS - 1; i++)
		if (blocks[i + 1] - blocks[i] < blocks[best + 1] - blocks[best])
			best = i;
	return (struct neighbours){ blocks[best], blocks[best + 1] };
}

struct neighbours parted_neighbours_of(size_t size)
{
	struct neighbours pair = neighbours_of(size);
	ptrdiff_t step = pair.high - pair.low;

	for (size_t i = 0; i < NR_BLOCKS - 1; i++) {
		ptrdiff_t distance = blocks[i + 1] - blocks[i];

		if (distance > step && distance < 2 * step)
			return (struct neighbours){ blocks[i], blocks[i + 1] };
	}
	return pair;
}

void neighbours_free(void)
{
	for (size_t i = 0; i < NR_BLOCKS; i++)
		free(blocks[i]);
}

/*
 * A freed block waits on its CPU, and is checked when other blocks take its place. If the program
 * were moved to another CPU, the block would stay behind, and the program would end before the
 * check.
 */
static void stay_on_this_cpu(void)
{
	int cpu = sched_getcpu();
	cpu_set_t set;

	CPU_ZERO(&set);
	if (cpu >= 0)
		CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

static const struct misuse *const groups[] = {
	misuse_frees, misuse_pointers, misuse_overflows, misuse_late, misuse_sizes, misuse_deletes,
};

int main(int argc, char **argv)
{
	stay_on_this_cpu();
	for (size_t i = 0; i < ARRAY_SIZE(groups); i++)
		for (const struct misuse *misuse = groups[i]; misuse->name; misuse++) {
			if (argc < 2)
				puts(misuse->name);
			else if (!strcmp(argv[1], misuse->name))
				_Exit(misuse->make(misuse->size));
		}
	return argc < 2 ? 0 : SET_UP_FAILED;
}
