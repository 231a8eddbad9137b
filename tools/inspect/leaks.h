/* SPDX-License-Identifier: MIT */
/*
 * Leaks: blocks in use that nothing reaches (reach.h), in groups of one cache, size and stack.
 *
 * While a program runs, an address may move from memory that was not read yet to memory that was
 * read already. So if its threads ran meanwhile, all is looked at again, until two passes agree.
 * Only blocks that no pass has reached are leaks.
 */
#ifndef INSPECT_LEAKS_H
#define INSPECT_LEAKS_H

#include "owners.h"

#define LEAK_BYTES_SHOWN 16
#define LEAK_SAMPLES 4

struct leak_group {
	char cache[HEAP_NAME_BYTES];
	uint64_t size;			/* of a block */
	uint64_t blocks, bytes;
	struct owner owner;		/* caller and stack 0: unknown */
	uint64_t *addresses;
	size_t nr_addresses;		/* of the first blocks; at most addresses_max */
	unsigned char first_bytes[LEAK_SAMPLES][LEAK_BYTES_SHOWN];
	unsigned char nr_first_bytes[LEAK_SAMPLES];
};

struct leaks {
	uint64_t blocks, bytes;
	struct leak_group *groups;	/* the most bytes first */
	size_t nr_groups;
	size_t addresses_max;		/* for each group */
	unsigned int nr_passes;
	uint64_t paused_ns;		/* the longest pause */
	/* Tells how far the search is; NULL: nobody wants to know. */
	void (*progress)(const char *what);
};

/* The caller sets addresses_max and progress. */
enum inspect_status leaks_find(struct heap *heap, const struct owners *owners,
			       struct leaks *leaks);
void leaks_free(struct leaks *leaks);
/*
 * For callers that group other blocks than leaks. leaks_add() adds a block to its group; `bytes`
 * has the block's bytes, and may begin before them. leaks_sort() sorts the groups.
 */
void leaks_add(struct leaks *leaks, const struct block *block, const struct bytes *bytes,
	       const struct owner *owner);
void leaks_sort(struct leaks *leaks);

#endif
