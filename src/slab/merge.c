/* SPDX-License-Identifier: MIT */
/*
 * Equal caches become one. cf. Linux mm/slab_common.c: find_mergeable(). The caller of every
 * function here but slab_alias_new() holds slab_caches_lock.
 */
#include <string.h>

#include "slab/debug/debug.h"
#include "slab/merge.h"

/* A cache with one of these flags has slabs of its own. */
#define SLAB_NEVER_MERGE (SLAB_RED_ZONE | SLAB_POISON | SLAB_STORE_USER | SLAB_TRACE | \
			  SLAB_TYPESAFE_BY_RCU | SLAB_NOLEAKTRACE | SLAB_FAILSLAB | \
			  SLAB_NO_MERGE | SLAB_KASAN)
/* Two caches that become one agree in these flags. */
#define SLAB_MERGE_SAME (SLAB_RECLAIM_ACCOUNT | SLAB_CACHE_DMA | SLAB_CACHE_DMA32 | SLAB_ACCOUNT)

struct list_head slab_aliases = LIST_HEAD_INIT(slab_aliases);

struct slab_alias *slab_alias_new(const char *name)
{
	size_t length = strlen(name) + 1;
	struct slab_alias *alias = kmalloc(sizeof(*alias) + length, GFP_KERNEL);

	if (alias)
		memcpy(alias->name, name, length);
	return alias;
}

static bool serves(const struct kmem_cache *cache, unsigned int size, unsigned int align,
		   slab_flags_t flags)
{
	return !(cache->flags & SLAB_NEVER_MERGE) && !cache->ctor && !cache->usersize &&
	       cache->refcount >= 0 && size <= cache->usable_bytes &&
	       cache->usable_bytes - size < sizeof(void *) && !(cache->usable_bytes % align) &&
	       (flags & SLAB_MERGE_SAME) == (cache->flags & SLAB_MERGE_SAME);
}

static struct kmem_cache *find_mergeable(const struct slab_cache_request *request)
{
	slab_flags_t flags = slab_debug_flags(request->name, request->flags);
	unsigned int size = ALIGN(request->size, (unsigned int)sizeof(void *));
	unsigned int align = slab_effective_align(size, request->align, flags);
	struct kmem_cache *cache;

	if (request->ctor || request->usersize || (flags & SLAB_NEVER_MERGE))
		return NULL;
	size = ALIGN(size, align);
	list_for_each_entry(cache, &slab_caches, caches)
		if (serves(cache, size, align, flags))
			return cache;
	return NULL;
}

struct kmem_cache *slab_merge_locked(const struct slab_cache_request *request,
				     struct slab_alias *alias)
{
	struct kmem_cache *cache = find_mergeable(request);

	if (!cache)
		return NULL;
	cache->refcount++;
	/*
	 * The largest size of all requests, since clearing clears that much. Other threads read
	 * both fields without the lock.
	 */
	atomic_store_relaxed(&cache->object_size, max(cache->object_size, request->size));
	atomic_store_relaxed(&cache->fast_object_size, cache->object_size);
	cache->inuse = max(cache->inuse, ALIGN(request->size, (unsigned int)sizeof(void *)));
	alias->cache = cache;
	list_add_tail(&alias->list, &slab_aliases);
	return cache;
}

struct slab_alias *slab_unmerge_locked(struct kmem_cache *cache)
{
	struct slab_alias *alias, *latest = NULL;

	if (--cache->refcount <= 0)
		return NULL;
	list_for_each_entry(alias, &slab_aliases, list)
		if (alias->cache == cache)
			latest = alias;
	if (latest)
		list_del(&latest->list);
	return latest;
}

struct kmem_cache *slab_find_locked(const char *name)
{
	const struct slab_alias *alias;
	struct kmem_cache *cache;

	list_for_each_entry(cache, &slab_caches, caches)
		if (!strcmp(cache->name, name))
			return cache;
	list_for_each_entry(alias, &slab_aliases, list)
		if (!strcmp(alias->name, name))
			return alias->cache;
	return NULL;
}

FOR_KERNEL(slab_aliases);
