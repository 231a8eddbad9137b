/* SPDX-License-Identifier: MIT */
/* See cache_barns.h. */
#include "slab/sheaf/cache_barns.h"

#include "page/zone.h"
#include "slab/partial.h"
#include "slab/sheaf/barn_budget.h"
#include "slab/sheaf/sheaf.h"
#include "slab/slab_free.h"

static void return_batch(struct barn *barn, void **objects, unsigned int n)
{
	struct kmem_cache_node *node = (void *)((char *)barn -
						offsetof(struct kmem_cache_node, barn));

	slab_return_objects(node->cache, objects, n);
}

often_called void slab_barns_init(struct kmem_cache *cache)
{
	struct kmem_cache_node *node;

	for_each_kmem_cache_node(cache, node)
		barn_init(&node->barn, sheaf_batch(cache), cache->size, return_batch);
}

/* Caches without sheaves have no barns. */
static void for_each_barn(struct kmem_cache *cache, void (*act)(struct barn *barn))
{
	struct kmem_cache_node *node;

	if (!cache->own_sheaf)
		return;
	for_each_kmem_cache_node(cache, node)
		act(&node->barn);
}

void slab_barns_close(struct kmem_cache *cache)
{
	for_each_barn(cache, barn_close);
}

void slab_barns_destroy(struct kmem_cache *cache)
{
	for_each_barn(cache, barn_destroy);
}

static void empty_barn(struct barn *barn)
{
	barn_shrink(barn, 0);
}

void slab_barns_empty(struct kmem_cache *cache)
{
	for_each_barn(cache, empty_barn);
}

often_called struct barn *slab_barn_here(struct kmem_cache *cache)
{
	struct kmem_cache_node *node;

	if (likely(!cache->more_nodes))
		return &cache->first_node.barn;
	node = slab_node(cache, numa_node_id());
	return node ? &node->barn : &cache->first_node.barn;
}

/*
 * Looks at the counts without the lock: the caller can do without a batch. If the barn has none but
 * has refused some, it learns that one is wanted, and grows.
 */
unsigned int slab_take_batch(struct kmem_cache *cache, void **objects, size_t n)
{
	struct barn *barn = slab_barn_here(cache);

	if (!cache->own_sheaf || n < barn->batch ||
	    (!atomic_load_relaxed(&barn->nr) && !atomic_load_relaxed(&barn->spilled)))
		return 0;
	return barn_take(barn, objects);
}
