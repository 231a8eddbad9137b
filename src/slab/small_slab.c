/* SPDX-License-Identifier: MIT */
/* See small_slab.h. */
#include "slab/small_slab.h"

#include "slab/debug/debug.h"
#include "slab/free_mark.h"

/* The last object may reach beyond the slab's end. Does its mark lie inside all the same? */
static bool has_room_for_last_mark(const struct kmem_cache *cache, size_t slab_bytes)
{
	size_t step = min(cache->size & -cache->size, slab_bytes);

	return cache_is_debugged(cache) || cache->byte_marks || !(slab_bytes % cache->size) ||
	       (cache->mark_offset == SLAB_MARK_OFFSET &&
		step >= SLAB_MARK_OFFSET + sizeof(unsigned long));
}

often_called unsigned int slab_small_order(const struct kmem_cache *cache)
{
	unsigned int order = 0;

	for (; order < cache->order; order++) {
		size_t bytes = PAGE_SIZE << order, step = min(cache->size & -cache->size, bytes);

		/* Wherever the pages lie in a usual slab, one whole object fits into them. */
		if (2 * (size_t)cache->size - step <= bytes)
			break;
	}
	return has_room_for_last_mark(cache, PAGE_SIZE << order) ? order : cache->order;
}

/*
 * Start of the object that reaches beyond the slab's end; NULL: no such object, or it has no mark.
 */
static char *last_marked(const struct kmem_cache *cache, const struct page *slab)
{
	char *end = (char *)page_address(slab) + slab_bytes_of(cache, slab);
	char *last = slab_first(cache, slab) + (size_t)slab_nr_objects(cache, slab) * cache->size;

	return !cache_is_debugged(cache) && last < end ? last : NULL;
}

void slab_make_small(struct kmem_cache *cache, struct page *slab)
{
	size_t bytes = PAGE_SIZE << cache->min_order;
	char *last;

	atomic_store_relaxed(&cache->list_mask, bytes - 1);
	atomic_store_relaxed(&cache->has_small_slabs, true);
	for (unsigned int i = 0; i < 1u << cache->min_order; i++)
		page_set_flags(slab + i, page_flags(slab + i) | PG_small_slab);
	last = last_marked(cache, slab);
	if (last)
		slab_mark_free(cache, last);
}

void slab_clear_last_mark(const struct kmem_cache *cache, const struct page *slab)
{
	char *last = last_marked(cache, slab);

	if (last)
		slab_mark_in_use(cache, last);
}
