/* SPDX-License-Identifier: MIT */
/* What tests ask of a cache. */
#ifndef TESTS_SUPPORT_SLABS_H
#define TESTS_SUPPORT_SLABS_H

#include "os/os.h"
#include "percpu/tagged_list.h"
#include "slab/freeptr.h"
#include "slab/partial.h"
#include "slab/sheaf/barn_budget.h"
#include "slab/slab_fast.h"

/*
 * From here on, no barn ages by itself. Otherwise one might age in a case that counts batches, if
 * the machine stops for a second. Tells the barns a time one hour ahead, so later times look too
 * early.
 */
static inline void test_stop_ageing(void)
{
	barn_budget_age(os_time_ms() + 3600000);
}

/* The barn that fills and empties the calling thread's sheaves. */
static inline struct barn *test_barn_here(const struct kmem_cache *cache)
{
	return &slab_node(cache, numa_node_id())->barn;
}

/* Objects that are in use from a slab's point of view: objects that CPUs keep count as well. */
static inline unsigned long test_slab_inuse(struct kmem_cache *cache)
{
	struct slab_usage usage;

	slab_usage_read(cache, &usage);
	return usage.inuse;
}

/* Do allocations and frees have a fast path, with sheaves or with slabs of CPUs? */
static inline bool test_cache_is_fast(const struct kmem_cache *cache)
{
	return cache_sheaf(cache) || cache->cpu_slab;
}

/*
 * Lists up to nr free objects that the calling thread's CPU keeps, and returns how many. No other
 * thread may use that CPU.
 */
static inline unsigned int test_cpu_objects(const struct kmem_cache *cache, void **objects,
					    unsigned int nr)
{
	unsigned int slot = (unsigned int)percpu_current_slot(), n = 0;
	const struct percpu_array *sheaf = percpu_ptr(cache->own_sheaf, slot);
	const struct percpu_tagged_list *list = percpu_ptr(cache->own_cpu_slab, slot);

	if (cache->own_sheaf) {
		for (; n < nr && n < sheaf->count; n++)
			objects[n] = sheaf->items[n];
		return n;
	}
	for (void *object = percpu_tagged_first(list->head);
	     n < nr && object && !is_slab_token(object); object = slab_link_read(cache, object))
		objects[n++] = object;
	return n;
}

/*
 * Counts marks that are left in memory outside slabs: words that would mark an object of the cache
 * as free if an object began there.
 */
static inline unsigned long test_marks_left(const struct kmem_cache *cache)
{
	unsigned long left = 0;
	char *at = (char *)usermm_memmap.base;

	for (char *end = at + mm_window.online_bytes; at < end; at += PAGE_SIZE) {
		if (cache_of(at))
			continue;
		for (size_t offset = cache->mark_offset % 8; offset < PAGE_SIZE; offset += 8) {
			const char *object = at + offset - cache->mark_offset;
			unsigned long word;

			memcpy(&word, at + offset, sizeof(word));
			left += (word & ~MARK_LISTED) == (free_mark(object) & ~MARK_LISTED);
		}
	}
	return left;
}

#endif
