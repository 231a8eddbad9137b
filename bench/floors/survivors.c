// SPDX-License-Identifier: MIT
/*
 * A floor for a heap of which few blocks stay: a block keeps the pages that it lies in. The program
 * allocates blocks of a size from MOST / 8 to MOST, frees all but one in ONE_IN in no order, rests
 * for 12 seconds, and prints in KiB:
 *
 *	stay		the bytes of the blocks that stay
 *	packed		the pages that they lie in if all blocks lie side by side, in the order of
 *			their allocation
 *	by class	the same, if each of 8 classes in a doubling has pages of its own
 *	here		the pages that they lie in where this malloc() has put them
 *	resident	anonymous memory that is resident after the rest
 *
 * No allocator that cannot move blocks goes below "here". Preload one.
 *
 * usage: cc -O2 -o survivors survivors.c
 *	  LD_PRELOAD=ALLOCATOR ./survivors 100 300 50
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE 4096ul
#define REST_SECONDS 12

struct block {
	char *memory;
	uint32_t size, class;		/* class: its bytes */
	uint64_t packed, in_class;	/* offsets in the two layouts */
};

static uint64_t random_state = 88172645463325252;

static uint32_t below(uint32_t n)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (uint32_t)(((random_state * 2685821657736338717u) >> 32) * n >> 32);
}

/* A shared mapping, so that it is in nobody's heap and not anonymous. */
static void *new_array(size_t bytes)
{
	void *array = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (array == MAP_FAILED)
		exit(1);
	return array;
}

static uint32_t class_of(uint32_t size)
{
	uint32_t step = 16;

	while (size > 16 * step)
		step *= 2;
	return (size + step - 1) / step * step;
}

/* Marks the pages from `first` to the end of `size` bytes; returns how many are new. */
static size_t mark(unsigned char *marks, uint64_t first, uint32_t size)
{
	size_t nr = 0;

	for (uint64_t page = first / PAGE; page <= (first + size - 1) / PAGE; page++) {
		nr += !(marks[page / 8] & 1 << page % 8);
		marks[page / 8] |= (unsigned char)(1 << page % 8);
	}
	return nr;
}

static size_t fill(struct block *blocks, size_t bytes, uint32_t most)
{
	static uint64_t used_of[1 << 20];	/* by class / 16 */
	uint64_t used = 0;
	size_t nr = 0;

	while (used < bytes) {
		struct block *block = &blocks[nr++];

		block->size = most / 8 + 1 + below(most / 8 * 7);
		block->class = class_of(block->size);
		block->memory = malloc(block->size);
		if (!block->memory)
			exit(1);
		memset(block->memory, 1, block->size);
		block->packed = used;
		used += (block->size + 15) / 16 * 16;
		block->in_class = used_of[block->class / 16];
		used_of[block->class / 16] += block->class;
	}
	return nr;
}

static void shuffle(struct block *blocks, size_t nr)
{
	for (size_t i = nr; i > 1; i--) {
		size_t j = below((uint32_t)i);
		struct block block = blocks[j];

		blocks[j] = blocks[i - 1];
		blocks[i - 1] = block;
	}
}

static size_t anonymous_kib(void)
{
	char line[256];
	size_t kib = 0;
	FILE *status = fopen("/proc/self/status", "r");

	while (status && fgets(line, sizeof(line), status))
		if (sscanf(line, "RssAnon: %zu", &kib) == 1)
			break;
	return kib;
}

static int by_class(const void *a, const void *b)
{
	const struct block *x = a, *y = b;

	return x->class < y->class ? -1 : x->class > y->class;
}

/* Sorts the blocks, and marks class by class. */
static size_t pages_by_class(struct block *blocks, size_t nr, unsigned char *marks, size_t bytes)
{
	size_t pages = 0;

	qsort(blocks, nr, sizeof(*blocks), by_class);
	for (size_t i = 0; i < nr; i++) {
		if (!i || blocks[i].class != blocks[i - 1].class)
			memset(marks, 0, bytes);
		pages += mark(marks, blocks[i].in_class, blocks[i].class);
	}
	return pages;
}

int main(int argc, char **argv)
{
	size_t bytes = argc > 1 ? strtoul(argv[1], NULL, 10) << 20 : 0, stay = 0, packed = 0;
	uint32_t most = argc > 2 ? (uint32_t)atoi(argv[2]) : 0;
	uint32_t one_in = argc > 3 ? (uint32_t)atoi(argv[3]) : 0;
	size_t nr, kept, here = 0, marks_bytes = bytes / PAGE / 4 + PAGE;
	size_t marks_here_bytes = 1ul << (47 - 12 - 3);
	struct block *blocks;
	unsigned char *marks, *marks_here;

	if (!bytes || most < 16 || most > 1 << 20 || !one_in) {
		fprintf(stderr, "usage: survivors MIB MOST ONE_IN\n");
		return 2;
	}
	blocks = new_array((bytes / (most / 8) + 1) * sizeof(*blocks));
	marks = new_array(marks_bytes);
	marks_here = mmap(NULL, marks_here_bytes, PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (marks_here == MAP_FAILED)
		return 1;
	nr = fill(blocks, bytes, most);
	shuffle(blocks, nr);
	kept = nr / one_in;
	for (size_t i = kept; i < nr; i++)
		free(blocks[i].memory);
	sleep(REST_SECONDS);
	for (size_t i = 0; i < kept; i++) {
		stay += blocks[i].size;
		packed += mark(marks, blocks[i].packed, blocks[i].size);
		here += mark(marks_here, (uintptr_t)blocks[i].memory, blocks[i].size);
	}
	printf("stay %zu, packed %zu, ", stay / 1024, packed * 4);
	printf("by class %zu, ", 4 * pages_by_class(blocks, kept, marks, marks_bytes));
	printf("here %zu, resident %zu\n", here * 4, anonymous_kib());
	return 0;
}
