/* SPDX-License-Identifier: MIT */
/*
 * A program without mistakes: it allocates blocks of all sizes and alignments, makes them larger
 * and smaller, and frees them. It checks their contents, and uses all usable bytes of a block, not
 * only those that it asked for.
 */
#ifndef MALLOC_BEHAVE_H
#define MALLOC_BEHAVE_H

#include <malloc.h>

#include "harness.h"
#include "support/prng.h"

struct behaviour {
	unsigned long seed;
	unsigned int steps;
	unsigned int size_bits;		/* sizes are below 1 << this */
	unsigned int align_bits;	/* alignments are below 16 << this */
	bool sizes_are_exact;		/* malloc_usable_size() says what was asked for */
	void (*release)(void *block, size_t size);
};

struct behave_block {
	unsigned char *start;
	size_t size;
	unsigned char byte;
};

static inline void behave_check(const struct behave_block *block)
{
	for (size_t i = 0; block->start && i < block->size; i += 1 + block->size / 50)
		REQUIRE(block->start[i] == block->byte);
}

static inline void behave_make(struct behave_block *block, size_t size, struct prng *prng,
			       const struct behaviour *behaviour)
{
	if (block->start) {
		block->start = realloc(block->start, size);
		block->size = size < block->size ? size : block->size;
		behave_check(block);
	} else if (prng_one_in(prng, 3)) {
		block->start = aligned_alloc(16UL << prng_below(prng, behaviour->align_bits), size);
	} else {
		block->start = calloc(1, size);
		for (size_t i = 0; block->start && i < size; i++)
			REQUIRE(!block->start[i]);
	}
	REQUIRE(block->start);
	block->size = malloc_usable_size(block->start);
	REQUIRE(behaviour->sizes_are_exact ? block->size == size : block->size >= size);
	if (!prng_one_in(prng, 9))
		block->size = size;
}

static inline void behave(const struct behaviour *behaviour)
{
	struct behave_block blocks[200] = { { 0 } };
	struct prng prng = { behaviour->seed };

	for (unsigned int step = 0; step < behaviour->steps; step++) {
		struct behave_block *block = &blocks[prng_below(&prng, ARRAY_SIZE(blocks))];
		size_t size;

		behave_check(block);
		if (block->start && prng_one_in(&prng, 2)) {
			behaviour->release(block->start, block->size);
			block->start = NULL;
			continue;
		}
		size = prng_below(&prng, 1UL << prng_range(&prng, 1, behaviour->size_bits));
		/* realloc() to nothing is a free. */
		behave_make(block, size + (block->start != NULL), &prng, behaviour);
		block->byte = (unsigned char)step;
		memset(block->start, block->byte, block->size);
	}
	for (size_t i = 0; i < ARRAY_SIZE(blocks); i++)
		behave_check(&blocks[i]);
}

static inline void free_unsized(void *block, size_t size)
{
	(void)size;
	free(block);
}

#endif
