/* SPDX-License-Identifier: MIT */
/*
 * Small slabs: a cache whose slabs have several pages makes do with fewer where free memory is
 * scattered. cf. Linux allocate_slab(), which goes from a cache's order to its least one.
 *
 * A fast path recognises an object by its offset in its slab, and the cache's mask says where a
 * slab starts. So a small slab is a part of an imaginary usual slab. Imagine slabs of the usual
 * size side by side all over memory: a small slab has the objects that lie entirely in its pages.
 * Marks, links, per-CPU arrays and fast paths know nothing of small slabs. Code that needs an
 * object's slab, or a slab's objects, asks here.
 *
 * The last imaginary object may reach beyond the pages. Its mark says "free" and nobody ever gets
 * it, so a free of its address is found like a double free. If that mark does not fit, the cache
 * has no small slabs. With debugging there are no marks, and a slab's objects are looked up.
 *
 * All pages of a small slab have PG_small_slab. An object of a small slab is handed out after the
 * store to has_small_slabs, so its owner sees that store.
 */
#ifndef SLAB_SMALL_SLAB_H
#define SLAB_SMALL_SLAB_H

#include "mm/page_flags.h"
#include "mm/memmap.h"
#include "slab/slab.h"

/* The order of the cache's small slabs; its own if there are none. */
unsigned int slab_small_order(const struct kmem_cache *cache);
/* Makes the pages a small slab. */
void slab_make_small(struct kmem_cache *cache, struct page *slab);
/* The pages stop being a small slab: clears the mark behind its last whole object. */
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

/* Where the first object begins. A red zone in front of an object is a part of it here. */
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

/* Start of the slab that the address lies in. */
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
 * For the list of a CPU's own slab: the address bits in which the list and an object of its slab
 * may differ. Once small slabs exist, the mask covers only their size, so that no slab is taken for
 * its neighbour. Then objects of usual slabs take the slow path if their page differs from the
 * list's.
 */
static inline unsigned long slab_list_mask(const struct kmem_cache *cache)
{
	return atomic_load_relaxed(&cache->list_mask);
}

#endif
