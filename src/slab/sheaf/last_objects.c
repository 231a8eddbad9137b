/* SPDX-License-Identifier: MIT */
/* See last_objects.h. */
#include "slab/sheaf/last_objects.h"

#include "page/reclaim/release.h"
#include "slab/cpu_cache.h"
#include "slab/partial.h"
#include "slab/sheaf/barn_budget.h"
#include "slab/sheaf/sheaf.h"
#include "slab/shrink.h"
#include "slab/slab_free.h"
#include "slab/slab_word.h"

/* Fewer bytes of slabs are not worth the work: those of all caches, and pages of this one. */
#define WORTH_BYTES (4 * MIB)
#define WORTH_PAGES (128 * KIB / PAGE_SIZE)


/* Adds the node's objects in use to *nr, until these are more than `most`. */
static void add_in_use(struct kmem_cache_node *node, unsigned long most, unsigned long *nr)
{
	const struct page *slab;

	if (!lock_acquire_unless_handler(&node->lock)) {
		*nr = most + 1;
		return;
	}
	*nr += (slab_node_nr_slabs(node) - node->nr_partial) * node->cache->objects;
	list_for_each_entry(slab, &node->partial, lru) {
		if (*nr > most)
			break;
		*nr += slab_word_read(slab).inuse;
	}
	lock_release(&node->lock);
}

/* Has the cache at most so many objects that are not free in their slab? */
static bool has_at_most(struct kmem_cache *cache, unsigned long most)
{
	struct kmem_cache_node *node;
	unsigned long nr = 0;

	for_each_kmem_cache_node(cache, node)
		if (nr <= most)
			add_in_use(node, most, &nr);
	return nr <= most;
}

static bool are_last(struct kmem_cache *cache)
{
	return barn_budget_slab_bytes() >= WORTH_BYTES && slab_nr_pages(cache) >= WORTH_PAGES &&
	       has_at_most(cache, slab_cached_objects(cache) + sheaf_batch(cache));
}

/* Returns a piece of what the sheaf has. False if it had nothing. */
static noinline bool return_piece(struct kmem_cache *cache, struct list_head *empty)
{
	void *objects[SLAB_BATCH_MAX];
	unsigned int nr = sheaf_pop_n(cache->own_sheaf, objects, SLAB_BATCH_MAX);

	if (nr)
		slab_return_begin(cache, objects, nr, empty);
	return nr;
}

static void empty_sheaf(struct kmem_cache *cache)
{
	bool more;

	percpu_array_prepare(cache->own_sheaf, 1);
	do {
		LIST_HEAD(empty);

		more = return_piece(cache, &empty);
		slab_return_end(cache, &empty);
	} while (more);
}

void slab_look_at_last_objects(struct kmem_cache *cache)
{
	struct kmem_cache_node *node;

	if (cache->is_hardened || !lock_none_held() || slab_last_objects(cache) || !are_last(cache))
		return;
	atomic_store_relaxed(&cache->last_objects, true);
	for_each_kmem_cache_node(cache, node)
		barn_give_all(&node->barn);
	empty_sheaf(cache);
	if (slab_cached_objects(cache))
		slab_empty_all_sheaves(cache);
	slab_free_empty(cache);
	release_all_excess();
}
