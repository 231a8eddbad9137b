/* SPDX-License-Identifier: MIT */
/* A process that takes all the memory it gets, and gives it back. */
#ifndef MALLOC_TAKE_ALL_H
#define MALLOC_TAKE_ALL_H

#include <malloc.h>

#include "child.h"

/* A block's first words; the list of all blocks lies in the blocks. */
struct link {
	struct link *next;
	size_t size;
};

static struct link *taken;

/*
 * Allocates until malloc() fails, and returns the bytes. Writes to every page, or only to each
 * block's first.
 */
static size_t take_all(size_t size, bool write_all)
{
	size_t total = 0;

	for (;;) {
		struct link *block;

		errno = 0;
		block = malloc(size);
		if (!block)
			break;
		if (write_all)
			memset(block, 0x77, size);
		*block = (struct link){ taken, size };
		taken = block;
		total += malloc_usable_size(block);
	}
	CHECK(errno == ENOMEM, "; errno is %d", errno);
	return total;
}

static void give_all_back(void)
{
	while (taken) {
		struct link *block = taken;

		taken = block->next;
		free(block);
	}
}

/* When no block of a size is left, each call that asks for one fails, and does no harm. */
static inline void ask_when_empty(size_t size, size_t limit)
{
	REQUIRE(taken);
	void *untouched = &taken, *aligned = untouched;
	struct link before = *taken;

	errno = 0;
	CHECK(!calloc(1, size) && errno == ENOMEM, "; size %zu", size);
	CHECK(posix_memalign(&aligned, 256, size) == ENOMEM && aligned == untouched);
	errno = 0;
	CHECK(!realloc(opaque(taken), 2 * limit) && errno == ENOMEM);
	CHECK(taken->next == before.next && taken->size == before.size);
}

#endif
