/* SPDX-License-Identifier: MIT */
/* See inside.h. */
#include "slab/mixed/inside.h"

#include "mm/memmap.h"
#include "os/os.h"
#include "slab/debug/debug.h"
#include "slab/freeptr.h"
#include "slab/partial.h"
#include "slab/slab_free.h"

/* The objects of a slab that are taken at a time. */
#define TAKEN_MAX 32

/* May free objects lose what is in them? Mixed slabs give back more than this does. */
static bool may_release(const struct kmem_cache *cache)
{
	return cache->size > PAGE_SIZE && !cache->may_mix && !cache->ctor &&
	       !cache->is_hardened && !cache_is_debugged(cache) &&
	       !(cache->flags & SLAB_TYPESAFE_BY_RCU);
}

/* The pages of the object behind its link and before its neighbour. Returns how many went. */
static unsigned long release_object(const struct kmem_cache *cache, const void *object)
{
	unsigned long start = (unsigned long)(slab_link_word(cache, object) + 1);
	unsigned long end = (unsigned long)object + cache->size, nr;

	start = ALIGN(start, os_page_bytes());
	end = ALIGN_DOWN(end, os_page_bytes());
	if (start >= end)
		return 0;
	nr = (end - start) / PAGE_SIZE;
	return mm_discard(virt_to_page((void *)start), nr) ? 0 : nr;
}

/* One slab of the node. */
static unsigned long release_slab(struct kmem_cache *cache, struct kmem_cache_node *node)
{
	void *objects[TAKEN_MAX];
	unsigned int taken = slab_pop_last(node, objects, TAKEN_MAX);
	unsigned long pages = 0;

	for (unsigned int i = 0; i < taken; i++)
		pages += release_object(cache, objects[i]);
	if (taken)
		slab_return_objects(cache, objects, taken);
	return pages;
}

unsigned long slab_release_inside(struct kmem_cache *cache)
{
	struct kmem_cache_node *node;
	unsigned long pages = 0;

	if (!may_release(cache))
		return 0;
	for_each_kmem_cache_node(cache, node)
		for (unsigned long nr = atomic_load_relaxed(&node->nr_partial); nr; nr--)
			pages += release_slab(cache, node);
	return pages;
}
