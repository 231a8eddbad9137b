/* SPDX-License-Identifier: MIT */
/*
 * See heap_blocks.h. Nothing is allocated under the lock: a thread that finds the chains long makes
 * more of them first, and then puts them in place under the lock, unless another was faster.
 */
#include "malloc/heap/heap_blocks.h"

#include "slab/cache.h"

/* A table with more blocks than this for each chain gets more chains. */
#define CHAIN_LENGTH 4
/* By how many bits the number of chains grows. */
#define GROW_BITS 3

void heap_blocks_init(struct heap_blocks *blocks)
{
	blocks->chains = blocks->first;
	blocks->bits = HEAP_CHAINS_BITS;
	lock_acquire(&slab_caches_lock);
	lock_init(&blocks->lock, RANK_HEAP);
	lock_release(&slab_caches_lock);
}

static void free_chains(struct heap_block **chains, const struct heap_blocks *blocks)
{
	if (chains != blocks->first)
		kvfree(chains);
}

void heap_blocks_end(struct heap_blocks *blocks, void (*fn)(struct heap_block *block))
{
	for (size_t i = 0; i < (size_t)1 << blocks->bits; i++) {
		struct heap_block *block = blocks->chains[i], *next;

		for (; block; block = next) {
			next = block->next;
			fn(block);
		}
	}
	free_chains(blocks->chains, blocks);
	lock_acquire(&slab_caches_lock);
	lock_destroy(&blocks->lock);
	lock_release(&slab_caches_lock);
}

/* Blocks are aligned to pages, or nearly so. */
static size_t chain_number(const void *start, unsigned int bits)
{
	return (uint32_t)((unsigned long)start >> PAGE_SHIFT) * FIBONACCI_MULTIPLIER >>
	       (32 - bits);
}

static void link_block(struct heap_block **chains, unsigned int bits, struct heap_block *block)
{
	struct heap_block **chain = &chains[chain_number(block->start, bits)];

	block->next = *chain;
	*chain = block;
}

/* Puts the chains in place and returns those that they replace. */
static struct heap_block **replace_chains_locked(struct heap_blocks *blocks,
						 struct heap_block **chains, unsigned int bits)
{
	struct heap_block **old = blocks->chains;

	for (size_t i = 0; i < (size_t)1 << blocks->bits; i++) {
		struct heap_block *block = old[i], *next;

		for (; block; block = next) {
			next = block->next;
			link_block(chains, bits, block);
		}
	}
	blocks->chains = chains;
	blocks->bits = bits;
	return old;
}

/*
 * The 2^bits chains are too long: makes more, unless another thread was faster. Without memory the
 * chains stay long.
 */
static slow_path void grow(struct heap_blocks *blocks, unsigned int bits)
{
	struct heap_block **chains = kvcalloc((size_t)1 << (bits + GROW_BITS), sizeof(*chains),
					      GFP_KERNEL | __GFP_NOWARN);

	if (!chains)
		return;
	lock_acquire(&blocks->lock);
	if (blocks->bits == bits)
		chains = replace_chains_locked(blocks, chains, bits + GROW_BITS);
	lock_release(&blocks->lock);
	free_chains(chains, blocks);
}

void heap_blocks_add(struct heap_blocks *blocks, struct heap_block *block)
{
	unsigned int bits;
	bool is_long;

	lock_acquire(&blocks->lock);
	link_block(blocks->chains, blocks->bits, block);
	blocks->nr++;
	blocks->bytes += block->bytes;
	bits = blocks->bits;
	is_long = blocks->nr > (size_t)CHAIN_LENGTH << bits;
	lock_release(&blocks->lock);
	if (unlikely(is_long) && bits + GROW_BITS < 32)
		grow(blocks, bits);
}

/* The link to the block at this address, or to the end of its chain. */
static struct heap_block **find_locked(struct heap_blocks *blocks, const void *start)
{
	struct heap_block **link = &blocks->chains[chain_number(start, blocks->bits)];

	while (*link && (*link)->start != start)
		link = &(*link)->next;
	return link;
}

struct heap_block *heap_blocks_take(struct heap_blocks *blocks, const void *start)
{
	struct heap_block **link, *block;

	lock_acquire(&blocks->lock);
	link = find_locked(blocks, start);
	block = *link;
	if (block) {
		*link = block->next;
		blocks->nr--;
		blocks->bytes -= block->bytes;
	}
	lock_release(&blocks->lock);
	return block;
}

size_t heap_blocks_bytes_of(struct heap_blocks *blocks, const void *start)
{
	const struct heap_block *block;
	size_t bytes;

	lock_acquire(&blocks->lock);
	block = *find_locked(blocks, start);
	bytes = block ? block->bytes : 0;
	lock_release(&blocks->lock);
	return bytes;
}

void heap_blocks_sum(struct heap_blocks *blocks, size_t *nr, size_t *bytes)
{
	lock_acquire(&blocks->lock);
	*nr = blocks->nr;
	*bytes = blocks->bytes;
	lock_release(&blocks->lock);
}
