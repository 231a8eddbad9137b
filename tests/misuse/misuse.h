/* SPDX-License-Identifier: MIT */
/*
 * The scoreboard's program: each process makes one mistake, as a program does that does not know of
 * it. It uses malloc alone, so it runs under any allocator.
 *
 *	misuse NAME	makes that mistake
 *	misuse		writes the names of all
 *
 * A mistake ends in one of four ways. Either the library ends the process, with a report or by a
 * SIGSEGV, or the case's function returns the outcome.
 */
#ifndef MISUSE_MISUSE_H
#define MISUSE_MISUSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "support/opaque.h"

enum came_of_it {
	HARMLESS = 0,	/* exit status: it was refused, or has no effect */
	SET_UP_FAILED = 3,
	MISSED = 42,	/* it had its effect, or would have had it by chance */
};

struct misuse {
	const char *name;
	enum came_of_it (*make)(size_t size);
	size_t size;	/* of the blocks that take part */
};

/* Sizes of an object, of a page block, and of a mapping. */
#define SMALL 48
#define MEDIUM 4000
#define LARGE (256 * 1024)
#define HUGE (8 * 1024 * 1024)

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

#ifdef __cplusplus
extern "C" {
#endif

/* Each ends with one that has no name. */
extern const struct misuse misuse_frees[];
extern const struct misuse misuse_pointers[];
extern const struct misuse misuse_overflows[];
extern const struct misuse misuse_late[];
extern const struct misuse misuse_sizes[];
extern const struct misuse misuse_deletes[];

#ifdef __cplusplus
}
#endif

static inline char *block_of(size_t size)
{
	char *block = (char *)opaque(malloc(opaque_size(size)));

	if (!block)
		_Exit(SET_UP_FAILED);
	return block;
}

/*
 * The program goes on: it allocates as many blocks of this size as are needed to get each free one
 * again.
 */
static inline void go_on(size_t size)
{
	static void *blocks[2000];
	size_t nr = size >= LARGE ? 100 : ARRAY_SIZE(blocks);

	for (size_t i = 0; i < nr; i++)
		free(block_of(size));
	for (size_t i = 0; i < nr; i++)
		blocks[i] = block_of(size);
	for (size_t i = 0; i < nr; i++)
		free(blocks[i]);
}

/*
 * Two neighbours among many blocks, the lower one first; no two lie nearer together. All blocks are
 * in use.
 */
struct neighbours {
	char *low, *high;
};
struct neighbours neighbours_of(size_t size);
/* The same with a gap between them that is smaller than a block; if no gap is, without one. */
struct neighbours parted_neighbours_of(size_t size);
/* Frees all those others as well. */
void neighbours_free(void);

#endif
