/* SPDX-License-Identifier: MIT */
#include "malloc/hardened/zero_size.h"

#include "base/atomic.h"
#include "malloc/checked_blocks.h"
#include "malloc/size_classes.h"
#include "os/os.h"
#include "slab/debug/report.h"
#include "slab/hardened/hardened.h"

#define RANGE_BYTES MIB
#define NR_BLOCKS (RANGE_BYTES / MIN_ALIGN)
#define WORD_BITS (8 * sizeof(unsigned long))
#define NR_WORDS (NR_BLOCKS / WORD_BITS)
/* Inaccessible bytes on both sides of the range, for an access that misses a block by a little. */
#define GUARD_BYTES (64 * KIB)

static const char *range __read_mostly;	/* Sync: constant after zero_size_init() */
/* A bit for each block. Sync: atomic; nothing else depends on a bit */
static unsigned long in_use[NR_WORDS] __large_bss;
static uint32_t position;	/* the block to look at next. Sync: atomic relaxed */

void zero_size_init(void)
{
	void *start;

	if (!os_reserve(RANGE_BYTES + 2 * GUARD_BYTES, GUARD_BYTES, &start))
		range = (const char *)start + GUARD_BYTES;
}

/* The bits of the word that stand for blocks aligned to `blocks` blocks. */
static unsigned long aligned_bits(size_t word, size_t blocks)
{
	if (blocks >= WORD_BITS)
		return word % (blocks / WORD_BITS) ? 0 : 1;
	return ~0UL / ((1UL << blocks) - 1);
}

/*
 * Takes a free block of the word that is aligned to `blocks` blocks; NULL if there is none. The
 * bits in `skipped` are left out.
 */
static void *take_of_word(size_t word, size_t blocks, unsigned long skipped)
{
	unsigned long unused = aligned_bits(word, blocks) & ~skipped;

	for (unused &= ~atomic_load_relaxed(&in_use[word]); unused; unused &= unused - 1) {
		unsigned long bit = unused & -unused;
		size_t block = word * WORD_BITS + (size_t)__builtin_ctzl(bit);

		if (!(atomic_or_relaxed(&in_use[word], bit) & bit))
			return (void *)(range + block * MIN_ALIGN);
	}
	return NULL;
}

void *zero_size_alloc(size_t align)
{
	size_t blocks = max(align, (size_t)MIN_ALIGN) / MIN_ALIGN;
	size_t first = atomic_add_relaxed(&position, (uint32_t)blocks) % NR_BLOCKS;
	unsigned long skipped = (1UL << first % WORD_BITS) - 1;

	if (!range)
		return NULL;
	for (size_t i = 0; i <= NR_WORDS; i++, skipped = 0) {
		void *block = take_of_word((first / WORD_BITS + i) % NR_WORDS, blocks, skipped);

		if (block)
			return block;
	}
	return NULL;
}

often_called bool zero_size_owns(const void *pointer)
{
	return range && (unsigned long)pointer - (unsigned long)range < RANGE_BYTES;
}

static slow_path __attribute__((__noreturn__)) void
report(const char *function, const void *pointer, const void *caller)
{
	unsigned long inside = (unsigned long)pointer % MIN_ALIGN;

	if (inside)
		slab_report_fatal(caller, "%s(%p): invalid pointer: %lu bytes behind the start of "
				  "a block of no bytes", function, pointer, inside);
	slab_report_fatal(caller, "%s(%p): invalid pointer: a block of no bytes that is free: "
			  "double free; slab_debug=FU,%s as well tells who freed it", function,
			  pointer, class_of(0)->name);
}

/* The word that has the block's bit. */
static unsigned long *bit_of(const char *function, const void *pointer, unsigned long *bit,
			     const void *caller)
{
	size_t offset = (size_t)((const char *)pointer - range), block = offset / MIN_ALIGN;

	if (unlikely(offset % MIN_ALIGN))
		report(function, pointer, caller);
	*bit = 1UL << block % WORD_BITS;
	return &in_use[block / WORD_BITS];
}

void zero_size_check(const char *function, const void *pointer, const void *caller)
{
	unsigned long bit, *bits = bit_of(function, pointer, &bit, caller);

	if (unlikely(!(atomic_load_relaxed(bits) & bit)))
		report(function, pointer, caller);
}

void zero_size_free(const char *function, const void *pointer, const void *caller)
{
	unsigned long bit, *bits = bit_of(function, pointer, &bit, caller);

	if (unlikely(!(atomic_and_relaxed(bits, ~bit) & bit)))
		report(function, pointer, caller);
}
