/* SPDX-License-Identifier: MIT */
/*
 * The map of a mixed slab: which of its granules belong to which block. It knows no lock and no
 * memory: see mixed.h.
 *
 * A block is a run of granules. Two bits say what a granule is:
 *
 *	first	more
 *	0	0	free
 *	1	0	the first one of a block
 *	0	1	another one of the same block as the granule before it
 *
 * A block ends where the next granule is not `more`. The granule behind a block is free or the
 * first of another block, whatever happens to it. So the owner of a block may look up its length
 * without the lock, while others change the map around it.
 */
#ifndef SLAB_MIXED_MIXED_MAP_H
#define SLAB_MIXED_MIXED_MAP_H

#include "base/atomic.h"
#include "base/compiler.h"
#include "usermm/page.h"

/* All blocks are multiples of this, and aligned to it. */
#define MIXED_GRANULE_BYTES 16UL
#define MIXED_MAX_ORDER 3
#define MIXED_MAX_PAGES (1U << MIXED_MAX_ORDER)
#define MIXED_PAGE_GRANULES (PAGE_SIZE / MIXED_GRANULE_BYTES)
#define MIXED_MAP_WORDS (MIXED_MAX_PAGES * MIXED_PAGE_GRANULES / 64)

/* Granules for a block of this many bytes. */
static inline unsigned int mixed_granules_for(size_t bytes)
{
	return (unsigned int)DIV_ROUND_UP(max(bytes, 1UL), MIXED_GRANULE_BYTES);
}

/* Sync: mixed_lock; words are stored atomically, see above */
struct mixed_map {
	unsigned int nr;	/* granules; a multiple of MIXED_PAGE_GRANULES */
	unsigned long first[MIXED_MAP_WORDS], more[MIXED_MAP_WORDS];
};

/* All granules are free. */
void mixed_map_init(struct mixed_map *map, unsigned int nr);
/* Makes nr free granules from `at` on a block, or a block free again. */
void mixed_map_take(struct mixed_map *map, unsigned int at, unsigned int nr);
void mixed_map_put(struct mixed_map *map, unsigned int at, unsigned int nr);
/* The number of granules of the block that begins at this granule; 0 if none begins there. */
unsigned int mixed_map_block(const struct mixed_map *map, unsigned int at);
/* Where the block begins that this granule belongs to; map->nr if the granule is free. */
unsigned int mixed_map_block_around(const struct mixed_map *map, unsigned int at);
/*
 * The first nr free granules in a row whose first one is a multiple of align (a power of two);
 * map->nr if there are none, and then *largest is the length of the longest free run.
 */
unsigned int mixed_map_find(const struct mixed_map *map, unsigned int nr, unsigned int align,
			    unsigned int *largest);
/* The free run that the free granule belongs to: where it begins. *end: the granule behind it. */
unsigned int mixed_map_free_run(const struct mixed_map *map, unsigned int at, unsigned int *end);
/* Has some block more granules than this? */
bool mixed_map_has_longer(const struct mixed_map *map, unsigned int nr);
/* Are all granules of this page free? */
bool mixed_map_page_is_free(const struct mixed_map *map, unsigned int page);

#endif
