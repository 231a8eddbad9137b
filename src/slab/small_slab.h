/* SPDX-License-Identifier: MIT */
/*
 * Small slabs: what a cache whose slabs have several pages makes do with where free memory is
 * scattered. cf. Linux allocate_slab(), which goes from a cache's order to its least one.
 *
 * A fast path knows an object by its distance from where its slab starts, and a slab starts where
 * its cache's mask says. So a small slab is a part of a usual one that is not there: it has the
 * objects that lie in its pages as a whole if slabs of the usual size are imagined side by side all
 * over memory. Marks, links, per-CPU arrays and fast paths do not know it. What asks for the slab
 * of an object, or for what a slab has, asks here.
 *
 * Where the last imagined object reaches beyond the pages its mark says that it is free, and nobody
 * is ever given it, so a free of that address is found like any second one. There has to be
 * room for that mark: if there is not a cache has no small slabs. With debugging there are no
 * marks, and what a slab has is looked up.
 *
 * All pages of a small slab have PG_small_slab. Whoever has an object of one was handed it behind
 * the store to has_small_slabs, and sees that.
 */
#ifndef SLAB_SMALL_SLAB_H
#define SLAB_SMALL_SLAB_H

#include "mm/page_flags.h"
#include "mm/memmap.h"
#include "slab/slab.h"

/* The order of the cache's small slabs; its own if there are none. */
unsigned int slab_small_order(const struct kmem_cache *cache);
/* The pages are to be a small slab. */
void slab_make_small(struct kmem_cache *cache, struct page *slab);
/* They are to be one no longer: clears the mark that is of none of its objects. */
void slab_clear_last_mark(const struct kmem_cache *cache, const struct page *slab);

static inline bool slab_is_small(const struct page *slab)
{
	return unlikely(page_flags(slab) & PG_small_slab);
}

static inline unsigned int slab_order_of(const struct kmem_cache *cache, const struct page *slab)
{
	return slab_is_small(slab) ? cache->min_order : cache->order;
}

static inline size_t slab_bytes_of(const struct kmem_cache *cache, const struct page *slab)
{
	return PAGE_SIZE << slab_order_of(cache, slab);
}

/* Where the first object lies; without the red zone in front of it. */
static inline char *slab_first(const struct kmem_cache *cache, const struct page *slab)
{
	char *address = page_address(slab);
	unsigned long before;

	if (likely(!slab_is_small(slab)))
		return address;
	before = ((unsigned long)address & slab_mask_of(cache)) % cache->size;
	return before ? address + cache->size - before : address;
}

static inline unsigned int slab_nr_objects(const struct kmem_cache *cache, const struct page *slab)
{
	size_t bytes = slab_bytes_of(cache, slab);

	if (likely(!slab_is_small(slab)))
		return cache->objects;
	bytes -= (size_t)(slab_first(cache, slab) - (char *)page_address(slab));
	return (unsigned int)(bytes / cache->size);
}

/* Of the slab that the object, or whatever the address is of, lies in: where it starts. */
static inline unsigned long slab_start_of(const struct kmem_cache *cache, const void *object)
{
	unsigned long mask = slab_mask_of(cache);

	if (unlikely(atomic_load_relaxed(&cache->has_small_slabs)) && mm_is_online(object) &&
	    slab_is_small(mm_page(object)))
		mask = (PAGE_SIZE << cache->min_order) - 1;
	return (unsigned long)object & ~mask;
}

/* The first page of that slab. */
static inline struct page *slab_of(const struct kmem_cache *cache, const void *object)
{
	return virt_to_page((void *)slab_start_of(cache, object));
}

/*
 * For the list of a CPU's slab: where the addresses of the list and of an object of the slab
 * may differ. Once there are small slabs it is in no more than these have, so that none is
 * taken for its neighbour; of usual ones objects in other pages than the list's take the slow
 * way then.
 */
static inline unsigned long slab_list_mask(const struct kmem_cache *cache)
{
	return atomic_load_relaxed(&cache->list_mask);
}

#endif
