/* SPDX-License-Identifier: MIT */
/*
 * A heap's large blocks: a hash table by address, so that a free can tell whether the block is the
 * heap's, and destroying the heap finds all of them.
 */
#ifndef MALLOC_HEAP_HEAP_BLOCKS_H
#define MALLOC_HEAP_HEAP_BLOCKS_H

#include "os/lock.h"

struct heap_block {
	struct heap_block *next;	/* Sync: the table's lock */
	void *start;
	size_t bytes;
};

/* The first chains are part of the table; many blocks get more chains. */
#define HEAP_CHAINS_BITS 5

struct heap_blocks {
	struct lock lock;		/* RANK_HEAP */
	/* Sync: lock, up to `first` */
	struct heap_block **chains;	/* 1 << bits of them */
	unsigned int bits;
	size_t nr, bytes;
	struct heap_block *first[1 << HEAP_CHAINS_BITS];
};

/* Prepares a table. The caller passes zeroed memory. */
void heap_blocks_init(struct heap_blocks *blocks);
/* Calls fn for each block, and ends the table; fn may free the block. Nobody else uses it. */
void heap_blocks_end(struct heap_blocks *blocks, void (*fn)(struct heap_block *block));
void heap_blocks_add(struct heap_blocks *blocks, struct heap_block *block);
/* Takes the block at exactly this address out of the table; NULL if there is none. */
struct heap_block *heap_blocks_take(struct heap_blocks *blocks, const void *start);
/* The bytes of the block at exactly this address; 0 if there is none. */
size_t heap_blocks_bytes_of(struct heap_blocks *blocks, const void *start);
/* How many blocks there are, and their bytes. */
void heap_blocks_sum(struct heap_blocks *blocks, size_t *nr, size_t *bytes);

#endif
