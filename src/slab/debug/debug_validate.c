/* SPDX-License-Identifier: MIT */
/* Looks at all slabs of a cache, at somebody's request: validate_slab_cache(). */
#include "slab/debug/debug_object.h"
#include "slab/debug/report.h"
#include "slab/partial.h"
#include "slab/slab_free.h"

static void validate_debugged_locked(struct kmem_cache *cache, struct page *slab)
{
	struct slab_map map;

	if (!slab_check_slab(cache, slab) || !slab_on_freelist(cache, slab, NULL))
		return;
	slab_map_fill(&map, cache, slab);
	for (unsigned int i = 0; i < slab->objects; i++)
		if (!slab_check_object(cache, slab, slab_object(cache, slab, i),
				       map_has(&map, i) ? BYTE_RED_INACTIVE : BYTE_RED_ACTIVE))
			return;
}

/* In caches without debugging only the counts and the freelist can be checked. */
static void validate_plain_locked(struct kmem_cache *cache, struct page *slab)
{
	struct slab_word before, after = slab_word_read(slab);
	unsigned int listed;
	struct slab_map map;

	do {	/* others may be giving objects back */
		before = after;
		slab_map_fill(&map, cache, slab);
		listed = 0;
		for (unsigned int i = 0; i < after.objects; i++)
			listed += map_has(&map, i);
		after = slab_word_read(slab);
	} while (before.freelist != after.freelist || before.counters != after.counters);
	if (after.inuse + listed != after.carved)
		slab_error(cache, slab, "Wrong object count. Counter is %u but counted were %u",
			   (unsigned int)after.inuse, after.carved - listed);
}

static unsigned long validate_list_locked(struct kmem_cache *cache, struct list_head *slabs)
{
	unsigned long nr = 0;
	struct page *slab;

	list_for_each_entry(slab, slabs, lru) {
		if (cache_is_debugged(cache))
			validate_debugged_locked(cache, slab);
		else
			validate_plain_locked(cache, slab);
		nr++;
	}
	return nr;
}

static void check_list_count(const struct kmem_cache *cache, const char *what,
			     unsigned long counted, unsigned long counter)
{
	if (counted == counter)
		return;
	slab_say("SLUB %s: %lu %s counted but counter=%lu", cache->name, counted, what, counter);
	slab_error_is_counted();
}

static unsigned long validate_node(struct kmem_cache *cache, struct kmem_cache_node *node)
{
	unsigned long nr;

	lock_acquire(&node->lock);
	nr = validate_list_locked(cache, &node->partial);
	check_list_count(cache, "partial slabs", nr, node->nr_partial);
	if (cache->flags & SLAB_STORE_USER) {
		nr += validate_list_locked(cache, &node->full);
		check_list_count(cache, "slabs", nr, slab_node_nr_slabs(node));
	}
	lock_release(&node->lock);
	return nr;
}

long validate_slab_cache(struct kmem_cache *cache)
{
	struct kmem_cache_node *node;
	unsigned long nr = 0;

	slab_return_deferred(cache);
	for_each_kmem_cache_node(cache, node)
		nr += validate_node(cache, node);
	return (long)nr;
}
