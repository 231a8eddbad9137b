/* SPDX-License-Identifier: MIT */
/*
 * Which blocks does the program still reach?
 *
 * 1. Purpose. From the roots (registers, stacks, data, other mappings) along every word of a block
 *    to all blocks that are in use. A word that points inside a block counts, and so does the
 *    address of a page block's struct page.
 *
 * 2. Memory. Two bits for each 16 bytes of the window: "reached", and "pending" for a reached block
 *    whose words were not looked at yet. That is 1.6 % of the heap. Nothing else grows with it, but
 *    four bytes for each page (pages.h).
 *
 * 3. Order. A section (4 MiB) with pending blocks is read once, in large parts, and worked off
 *    until none is pending in it. If few blocks are pending in all, they are read one by one, but
 *    many with one system call: so a long list across the heap does not read whole sections.
 *
 * 4. A block counts as reached even if it is free: only when its words are looked at does its mark
 *    tell, and the words of a free object are ignored.
 */
#ifndef INSPECT_REACH_H
#define INSPECT_REACH_H

#include "blocks.h"

struct reach {
	struct heap *heap;
	struct pages pages;
	struct outside_blocks outside;
	uint64_t *reached, *pending;	/* a bit for each granule of the window */
	uint32_t *pending_of;		/* how many are pending in each section */
	uint64_t nr_sections, nr_pending, nr_outside_pending;
	uint64_t outside_low, outside_span;

	/* The section that is in memory; UINT64_MAX: none */
	uint64_t section;
	char *bytes;
	uint8_t *byte_marks;
	uint8_t *loaded;		/* a byte for each page of the section */
	uint32_t *stack;		/* pending granules of the section, the last first */
	uint32_t nr_stack;
	unsigned int nr_loads;		/* how often the section was read */
	struct free_map map;		/* of the slab at map_slab */
	uint64_t map_slab;

	/* The few pending granules outside of a section. */
	uint64_t *few;
	uint32_t nr_few;
	bool few_are_all;
	uint64_t few_section;		/* of the last one */
	unsigned int few_repeats;	/* how many in a row were of that section */
	bool has_debugged;		/* some cache has debugging flags */
	char *chunk;			/* for roots and blocks outside of the window */
};

#define GRANULE_SHIFT 4
#define REACH_CHUNK_BYTES (1UL << 20)

enum inspect_status reach_begin(struct heap *heap, struct reach *reach);
void reach_end(struct reach *reach);

/* Takes every word as a root. */
void reach_words(struct reach *reach, const uint64_t *words, size_t nr);
/* Takes the words of a range of the target as roots. Both ends are multiples of 4096. */
enum inspect_status reach_range(struct reach *reach, uint64_t start, uint64_t end);
/* From the roots on to all that they reach. */
enum inspect_status reach_all(struct reach *reach);

/* roots.c: pauses the target, and takes all roots. */
enum inspect_status reach_roots(struct reach *reach);

/*
 * Calls fn for each block in use that was not reached. only: a bit for each granule of the window;
 * other blocks of the window are left out, and not even read. NULL: all.
 */
typedef void unreached_fn(struct reach *reach, const struct block *block,
			  const struct bytes *bytes, void *arg);
enum inspect_status reach_unreached(struct reach *reach, const uint64_t *only, unreached_fn *fn,
				    void *arg);

static inline bool reach_has(const uint64_t *bits, uint64_t granule)
{
	return bits[granule / 64] >> granule % 64 & 1;
}

#endif
