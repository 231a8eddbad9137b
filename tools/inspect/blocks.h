/* SPDX-License-Identifier: MIT */
/*
 * Blocks: what the program got from the library. An object of a slab, a page block, a mapping
 * outside the window, or a guarded object.
 */
#ifndef INSPECT_BLOCKS_H
#define INSPECT_BLOCKS_H

#include "pages.h"

/* A block outside the window. */
enum outside_kind { OUTSIDE_MAPPING, OUTSIDE_KVMALLOC, OUTSIDE_GUARDED };
struct outside {
	uint64_t start, bytes;
	enum outside_kind kind;
	uint32_t slot;			/* a guarded object's */
	bool is_reached, is_scanned;	/* for leaks */
	char name[32];			/* a guarded object's cache */
};

/* All of them, by address; and ranges of addresses that are free or the library's own. */
struct outside_blocks {
	struct outside *blocks;
	size_t nr;
	struct { uint64_t start, end; } *own;
	size_t nr_own;
};

enum inspect_status outside_read(struct heap *heap, struct outside_blocks *outside);
void outside_free(struct outside_blocks *outside);
/* The block that holds the address, or NULL. */
struct outside *outside_find(const struct outside_blocks *outside, uint64_t address);

/* --- Objects ----------------------------------------------------------------------- */

enum object_state {
	OBJECT_IN_USE,
	OBJECT_FREE,		/* in the slab, a sheaf, a barn or a quarantine */
	OBJECT_UNOPENED,	/* never handed out: its memory was not touched yet */
	OBJECT_WAITING,		/* freed by kfree_rcu(), until its grace period ends */
	OBJECT_WRITTEN,		/* free, but somebody wrote to it; or an overwritten seal */
};
const char *object_state_name(enum object_state state);

/* Bytes of the target that were read: those of the addresses start to end. */
struct bytes {
	const char *at;
	uint64_t start, end;
};

/* The word at the address; 0 if it was not read. */
static inline uint64_t bytes_word(const struct bytes *bytes, uint64_t address)
{
	uint64_t word = 0;

	if (address >= bytes->start && address + sizeof(word) <= bytes->end)
		__builtin_memcpy(&word, bytes->at + (address - bytes->start), sizeof(word));
	return word;
}

/* Which objects of a slab with debugging flags are free: a bit each. */
struct free_map {
	uint64_t bits[(HEAP_OBJECTS_MAX + 1) / 64];
	bool is_broken;		/* the list of free objects left the slab */
};
/* Reads the slab's list of free objects. freelist: from its struct page. */
void free_map_fill(struct free_map *map, const struct slab *slab, uint64_t freelist,
		   const struct bytes *bytes);

/*
 * The state of an object of an opened page. bytes: at least the object's. byte_mark: that of the
 * window's table. map: for caches with debugging flags.
 */
enum object_state object_state(const struct heap *heap, const struct slab *slab,
			       unsigned int index, const struct bytes *bytes, uint8_t byte_mark,
			       const struct free_map *map);
/* The state by the object's mark: a byte of the window's table, or a word of the object. */
static inline enum object_state state_by_byte(const struct heap *heap, uint8_t mark)
{
	uint8_t in_use = (uint8_t)heap_value(heap, LAYOUT_byte_mark_in_use);

	if (mark == in_use || mark > heap_value(heap, LAYOUT_byte_mark_listed))
		return OBJECT_IN_USE;
	return mark == in_use + 1 ? OBJECT_WAITING : OBJECT_FREE;
}

static inline enum object_state state_by_word(const struct heap *heap, uint64_t object,
					      uint64_t mark)
{
	uint64_t word = mark ^ object ^ heap->mark_key;

	if (!(word & ~(1UL << heap_value(heap, LAYOUT_mark_listed_bit))))
		return OBJECT_FREE;
	return word == 1UL << heap_value(heap, LAYOUT_mark_waiting_bit) ? OBJECT_WAITING :
									OBJECT_IN_USE;
}
/* The bytes that the program asked for, as far as the object tells; else its object_size. */
uint64_t object_asked(const struct heap *heap, const struct slab *slab, unsigned int index,
		      const struct bytes *bytes);
/* The state of a block of a mixed slab. */
enum object_state mixed_block_state(const struct heap *heap, uint64_t start, uint64_t bytes,
				    const struct bytes *read, uint8_t byte_mark);
/* Address of an object's byte in the window's table of marks. */
static inline uint64_t heap_byte_mark(const struct heap *heap, uint64_t object)
{
	return heap->marks + (object >> heap_value(heap, LAYOUT_mark_shift));
}

/* --- One address ------------------------------------------------------------------- */

enum block_kind { BLOCK_NONE, BLOCK_OBJECT, BLOCK_MIXED, BLOCK_PAGES, BLOCK_OUTSIDE };

struct block {
	enum block_kind kind;
	uint64_t start, bytes;
	const char *cache;		/* for messages: the cache's name, "mixed", "pages", ... */
	enum object_state state;
	struct slab slab;		/* of an object; of BLOCK_MIXED only start and bytes */
	unsigned int index;		/* in it */
	uint64_t record;		/* of BLOCK_MIXED: its slab's */
	struct outside outside;
	char where[96];			/* what else is known, in words */
};

/* Takes the block of a mixed slab that begins at this granule. */
void block_of_mixed(const struct heap *heap, const struct mixed_slab *slab, uint32_t first,
		    struct block *block);
/* What is at the address? The block's kind is BLOCK_NONE if there is none; `where` says what. */
enum inspect_status block_find(struct heap *heap, uint64_t address, struct block *block);

#endif
