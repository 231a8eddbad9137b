/* SPDX-License-Identifier: MIT */
/*
 * Shadow ownership: who owns which memory, kept apart from the allocator.
 *
 * A claim of memory that is already claimed, or a release of memory that is
 * not, is an overlap or a double allocation: both return the first offending
 * address, 0 if all is well. Memory is watched in granules of 8 bytes, or in
 * whole pages where that is enough. Not for concurrent use.
 */
#ifndef SUPPORT_SHADOW_H
#define SUPPORT_SHADOW_H

#include "kernel.h"

#define SHADOW_GRANULE_SHIFT 3

/* One bit for each of 512 consecutive granules. */
struct shadow_block {
	/* address >> (shift + 9), plus 1; 0: this entry is unused */
	unsigned long number;
	u64 claimed[8];
};

struct shadow {
	unsigned int shift;		/* of one granule */
	unsigned long nr_slots;		/* a power of two */
	unsigned long nr_used;
	unsigned long nr_claimed;	/* granules */
	struct shadow_block *blocks;	/* open addressing; never shrinks */
};

/* False if there is no memory. max_blocks bounds how many blocks may ever be touched. */
static inline bool shadow_init(struct shadow *shadow, unsigned int shift,
			       unsigned long max_blocks)
{
	unsigned long nr_slots = 64;

	while (nr_slots < 2 * max_blocks)
		nr_slots *= 2;
	shadow->shift = shift;
	shadow->nr_slots = nr_slots;
	shadow->nr_used = 0;
	shadow->nr_claimed = 0;
	shadow->blocks = test_memory_alloc(nr_slots * sizeof(*shadow->blocks));
	return shadow->blocks != NULL;
}

static inline void shadow_destroy(struct shadow *shadow)
{
	test_memory_free(shadow->blocks);
	shadow->blocks = NULL;
}

/* The block of a granule number; NULL if the table is full. */
static inline struct shadow_block *shadow_block(struct shadow *shadow, unsigned long granule)
{
	unsigned long number = (granule >> 9) + 1;
	unsigned long slot = (number * 0x9e3779b97f4a7c15UL) >> 20;

	for (;; slot++) {
		struct shadow_block *block = &shadow->blocks[slot & (shadow->nr_slots - 1)];

		if (block->number == number)
			return block;
		if (block->number)
			continue;
		if (shadow->nr_used >= shadow->nr_slots - 1)
			return NULL;
		shadow->nr_used++;
		block->number = number;
		return block;
	}
}

/*
 * Marks every granule that the bytes touch as claimed or not. Returns the address of the first one
 * that was so already, or 0.
 */
static inline unsigned long shadow_mark(struct shadow *shadow, const void *addr,
					unsigned long bytes, bool claim)
{
	unsigned long first = (unsigned long)addr >> shadow->shift;
	unsigned long last = ((unsigned long)addr + bytes - 1) >> shadow->shift;
	unsigned long granule, offender = 0;

	for (granule = first; bytes && granule <= last; granule++) {
		struct shadow_block *block = shadow_block(shadow, granule);
		u64 bit = (u64)1 << (granule & 63);
		u64 *word;

		if (!block)
			return granule << shadow->shift;
		word = &block->claimed[(granule >> 6) & 7];
		if (!(*word & bit) == !claim && !offender)
			offender = granule << shadow->shift;
		if (!(*word & bit) == claim)
			shadow->nr_claimed += claim ? 1 : -1UL;
		*word = claim ? *word | bit : *word & ~bit;
	}
	return offender;
}

static inline unsigned long shadow_claim(struct shadow *shadow, const void *addr,
					 unsigned long bytes)
{
	return shadow_mark(shadow, addr, bytes, true);
}

static inline unsigned long shadow_release(struct shadow *shadow, const void *addr,
					   unsigned long bytes)
{
	return shadow_mark(shadow, addr, bytes, false);
}

/* Stamps: a word at both ends of the memory that only this owner would have written. */
static inline u64 shadow_stamp_value(const void *addr, u64 owner)
{
	return ((u64)(unsigned long)addr ^ owner) * 0xd6e8feb86659fd93ULL;
}

static inline void shadow_stamp(void *addr, unsigned long bytes, u64 owner)
{
	u64 stamp = shadow_stamp_value(addr, owner);
	unsigned long part = bytes < sizeof(stamp) ? bytes : sizeof(stamp);

	memcpy(addr, &stamp, part);
	memcpy((char *)addr + bytes - part, &stamp, part);
}

static inline bool shadow_stamp_holds(const void *addr, unsigned long bytes, u64 owner)
{
	u64 stamp = shadow_stamp_value(addr, owner);
	unsigned long part = bytes < sizeof(stamp) ? bytes : sizeof(stamp);

	/* If there is no room for two words, they overlap, and only the last one is whole. */
	return (bytes < 2 * sizeof(stamp) || !memcmp(addr, &stamp, part)) &&
	       !memcmp((const char *)addr + bytes - part, &stamp, part);
}

/* True if all bytes are value. */
static inline bool shadow_all_bytes(const void *addr, unsigned long bytes, u8 value)
{
	const u8 *byte = addr;

	return !bytes || (byte[0] == value && !memcmp(byte, byte + 1, bytes - 1));
}

#endif
