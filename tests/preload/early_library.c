/* SPDX-License-Identifier: MIT */
/*
 * A library that a program needs, with a function that a resolver chooses (IFUNC). The resolver
 * uses all of malloc. The dynamic linker calls it while it relocates this library, which is before
 * it relocates a preloaded one. (Built with -fno-plt, so that the functions that the resolver calls
 * are relocated first.)
 */
#define _GNU_SOURCE
#include <malloc.h>
#include <stdlib.h>

#define NR_BLOCKS 60

int early_choice(void);
unsigned char *early_block(unsigned int i, size_t *size);

static unsigned char *blocks[NR_BLOCKS];
static int is_wrong;

/* From 1 byte to 8 MiB, and then again with another step. */
static size_t size_of(unsigned int i)
{
	return i < 24 ? 1UL << i : (i - 23) * 1001UL;
}

static unsigned char *take(unsigned int i)
{
	size_t size = size_of(i);
	unsigned char *block;

	switch (i % 4) {
	case 0:
		return malloc(size);
	case 1:
		block = calloc(1, size);
		for (size_t byte = 0; block && byte < size; byte++)
			is_wrong |= block[byte];
		return block;
	case 2:
		block = aligned_alloc(4096, size);
		is_wrong |= ((unsigned long)block & 4095) != 0;
		return block;
	default:
		block = malloc(size / 2 + 1);
		block[0] = 7;
		block = realloc(block, size);
		is_wrong |= block[0] != 7;
		return block;
	}
}

static int chosen(void)
{
	return is_wrong;
}

/* clang takes no notice that an IFUNC function uses it. */
__attribute__((__used__)) static int (*choose(void))(void)
{
	for (unsigned int i = 0; i < NR_BLOCKS; i++) {
		unsigned char *block = take(i);

		is_wrong |= malloc_usable_size(block) < size_of(i);
		block[0] = (unsigned char)(i + 1);
		block[size_of(i) - 1] = (unsigned char)(i + 1);
		blocks[i] = block;
		free(malloc(size_of(i)));
	}
	free(NULL);
	return chosen;
}

static int chosen_early(void) __attribute__((__ifunc__("choose")));

int early_choice(void)
{
	return chosen_early();
}

unsigned char *early_block(unsigned int i, size_t *size)
{
	*size = size_of(i);
	return i < NR_BLOCKS ? blocks[i] : NULL;
}
