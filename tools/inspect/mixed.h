/* SPDX-License-Identifier: MIT */
/*
 * Mixed slabs of a target (src/slab/mixed/mixed.h): each has a record, which says by a map of
 * granules where its blocks are.
 */
#ifndef INSPECT_MIXED_H
#define INSPECT_MIXED_H

#include "heap.h"

/* For `cache` of a block, and for tables. */
#define MIXED_NAME "mixed"

struct mixed_slab {
	uint64_t start, bytes;		/* addresses of its pages */
	uint64_t record;		/* its address; 0: the slab has no block any more */
	uint32_t nr;			/* granules */
	/* What the record says. `released` has a bit for each page that the system has back. */
	uint32_t used, released;
	/* A bit for each granule: is it the first of a block, or another one of a block? */
	uint64_t *first, *more;
	bool is_read;			/* else no bit is set */
};

/* The slab of this order at the page; freelist: from its struct page. Nothing is read yet. */
void mixed_slab_init(const struct heap *heap, struct mixed_slab *slab, uint64_t pfn,
		     unsigned int order, uint64_t freelist);
/*
 * Reads the records. Those that cannot be read, or are another slab's by now, stay without is_read.
 * The caller frees the slabs one by one.
 */
enum inspect_status mixed_slabs_read(struct heap *heap, struct mixed_slab *slabs, size_t nr);
void mixed_slab_free(struct mixed_slab *slab);

/* The granule that the address of the slab lies in. */
uint32_t mixed_granule_of(const struct heap *heap, const struct mixed_slab *slab, uint64_t address);
uint64_t mixed_granule(const struct heap *heap, const struct mixed_slab *slab, uint32_t granule);
/* Where the block begins that the granule belongs to; slab->nr if it is free. */
uint32_t mixed_block_around(const struct mixed_slab *slab, uint32_t granule);
/* Where the next block begins, from this granule on; slab->nr if there is none. */
uint32_t mixed_next_block(const struct mixed_slab *slab, uint32_t from);
/* The granules of the block that begins at this one. */
uint32_t mixed_block_length(const struct mixed_slab *slab, uint32_t first);
/* How many of these granules are used. Both ends are multiples of 64. */
uint32_t mixed_used_granules(const struct mixed_slab *slab, uint32_t first, uint32_t end);

/* The granules of a page. */
static inline uint32_t mixed_page_granules(const struct heap *heap)
{
	return (uint32_t)(heap_page_bytes(heap) / heap_value(heap, LAYOUT_mixed_granule_bytes));
}

#endif
