/* SPDX-License-Identifier: MIT */
/*
 * Where is a free object? For those whose mark does not settle whether they are free, and
 * so for calls that are about to end the process or were about to. Others go on meanwhile:
 * an object that moves from one place to another may be missed.
 */
#include "slab/freelist.h"
#include "slab/link.h"

#define DEFERRED_LOOKED_AT 4096

/* Links may be anything by now: see who may take the slab's objects. */
static bool is_on_list(const struct kmem_cache *cache, const void *list, const void *object)
{
	for (unsigned int i = 0; i <= cache->objects && list != object; i++) {
		if (is_slab_token(list) || slab_of(cache, list) != slab_of(cache, object) ||
		    !object_starts_at(cache, list))
			return false;
		list = slab_link_read(cache, list);
	}
	return list == object;
}

static bool is_in_slab(const struct kmem_cache *cache, const void *object)
{
	struct slab_word word = slab_word_read(slab_of(cache, object));
	unsigned long offset = (unsigned long)object & cache->slab_mask;

	return offset / cache->size >= word.carved || is_on_list(cache, word.freelist, object);
}

static bool is_in_sheaf(const struct percpu_array *sheaf, const void *object)
{
	uint32_t count = min(atomic_load_relaxed(&sheaf->count), (uint32_t)SHEAF_OBJECTS_MAX);

	for (uint32_t i = 0; i < count; i++)
		if (atomic_load_relaxed(&sheaf->items[i]) == object)
			return true;
	return false;
}

static bool is_on_cpu(const struct kmem_cache *cache, unsigned int slot, const void *object)
{
	const struct percpu_tagged_list *list;

	if (cache->own_sheaf)
		return is_in_sheaf(percpu_ptr(cache->own_sheaf, slot), object);
	if (!cache->own_freelist)
		return false;
	list = percpu_ptr(cache->own_freelist, slot);
	return is_on_list(cache, (void *)atomic_load_relaxed(&list->head), object);
}

/* On the list of those that could not be returned: linked across slabs, so marked no more. */
static bool is_deferred(const struct kmem_cache *cache, const struct kmem_cache_node *node,
			const void *object)
{
	const void *deferred = atomic_load_relaxed(&node->deferred);

	for (unsigned int i = 0; i < DEFERRED_LOOKED_AT && deferred != object; i++) {
		if (!mm_is_online(deferred) || cache_of(deferred) != cache ||
		    !object_starts_at(cache, deferred))
			return false;
		deferred = slab_link_read(cache, deferred);
	}
	return deferred == object;
}

static bool is_in_node(const struct kmem_cache *cache, struct kmem_cache_node *node,
		       const void *object)
{
	return (cache->own_sheaf && barn_holds(&node->barn, object)) ||
	       is_deferred(cache, node, object);
}

bool slab_object_is_really_free(const struct kmem_cache *cache, const void *object)
{
	struct kmem_cache_node *node;

	if (cache->mark_offset != cache->link_offset || is_in_slab(cache, object))
		return true;
	for (unsigned int slot = 0; slot < percpu_nr_slots(); slot++)
		if (is_on_cpu(cache, slot, object))
			return true;
	for (unsigned int nid = 0; (node = slab_node((struct kmem_cache *)cache, nid)); nid++)
		if (is_in_node(cache, node, object))
			return true;
	return false;
}
