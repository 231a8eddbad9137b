/* SPDX-License-Identifier: MIT */
/*
 * What each page of the window is used for, in four bytes a page: made from the struct pages by
 * large reads, so that later steps need not look at them again.
 */
#ifndef INSPECT_PAGES_H
#define INSPECT_PAGES_H

#include "heap.h"
#include "mixed.h"

enum page_kind {
	/*
	 * In use by the program or the library, but no table says for what. number: is its struct
	 * page zero?
	 */
	PAGE_OTHER,
	PAGE_FREE,		/* on a free list, or parked; number: the order of the block */
	PAGE_LISTED,		/* on a CPU's list */
	PAGE_KEPT,		/* the library's own: batches of free objects, records */
	PAGE_SLAB,		/* of a slab; number: its cache */
	PAGE_SLAB_TAIL,		/* the slab's last object so far ends here; number: its cache */
	PAGE_UNOPENED,		/* of a slab that has no object there yet; number: its cache */
	PAGE_BLOCK,		/* first page of a page block; number: its pages */
	PAGE_BLOCK_TAIL,	/* number: how many pages behind the first */
	PAGE_MIXED,		/* of a mixed slab; number: its place in pages.mixed */
	PAGE_QUICKLIST,		/* on a quicklist */
	NR_PAGE_KINDS,
};

struct page_info {
	uint32_t kind : 4;
	uint32_t is_small : 1;		/* of a small slab */
	uint32_t is_first : 1;		/* first page of a free block, of a slab */
	uint32_t has_free : 1;		/* of a slab: the slab has free objects */
	uint32_t number : 25;
};

struct pages {
	struct page_info *info;
	uint64_t nr;
	uint64_t nr_of_kind[NR_PAGE_KINDS];
	struct mixed_slab *mixed;	/* by address */
	size_t nr_mixed;
};

enum inspect_status pages_read(struct heap *heap, struct pages *pages);
/* quicklists.c: makes pages of kind PAGE_OTHER that wait on quicklists PAGE_QUICKLIST. */
void pages_take_quicklists(struct heap *heap, struct pages *pages);
void pages_free(struct pages *pages);
const char *page_kind_name(enum page_kind kind);

static inline struct mixed_slab *mixed_of_page(const struct pages *pages, uint64_t pfn)
{
	return &pages->mixed[pages->info[pfn].number];
}

/* --- Slabs ------------------------------------------------------------------------- */

/* A slab as its objects lie in it. */
struct slab {
	const struct heap_cache *cache;
	uint64_t start, bytes;		/* addresses of its pages */
	uint64_t first;			/* where the first object's bytes begin */
	unsigned int nr;		/* objects */
	bool is_small;
};

/* The slab that a page of kind PAGE_SLAB, PAGE_SLAB_TAIL or PAGE_UNOPENED belongs to. */
void slab_of_page(const struct heap *heap, const struct pages *pages, uint64_t pfn,
		  struct slab *slab);

/* The object whose bytes, red zones included, hold the address; slab->nr if there is none. */
static inline unsigned int slab_index_of(const struct slab *slab, uint64_t address)
{
	uint64_t offset = address - slab->first;

	if (address < slab->first || offset >= slab->bytes)
		return slab->nr;
	offset = offset * slab->cache->inverse >> 40;
	return offset < slab->nr ? (unsigned int)offset : slab->nr;
}

/* Where the object's bytes begin, red zones included. */
static inline uint64_t slab_object_start(const struct slab *slab, unsigned int index)
{
	return slab->first + (uint64_t)index * slab->cache->size;
}

/* Is the object there? The library opens all objects that begin in a page at once. */
static inline bool slab_is_opened(const struct heap *heap, const struct pages *pages,
				  const struct slab *slab, unsigned int index)
{
	uint64_t pfn = heap_pfn(heap, slab_object_start(slab, index));

	return pfn < pages->nr && pages->info[pfn].kind == PAGE_SLAB;
}

/* The object's address for its user. */
static inline uint64_t slab_object(const struct slab *slab, unsigned int index)
{
	return slab_object_start(slab, index) + slab->cache->red_left_pad;
}

#endif
