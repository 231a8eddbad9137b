/* SPDX-License-Identifier: MIT */
/* Equal caches become one. The caller of all but slab_alias_new() holds slab_caches_lock. */
#ifndef SLAB_MERGE_H
#define SLAB_MERGE_H

#include "slab/cache.h"

/* One more kmem_cache_create() that a merged cache serves; listed in order of creation. */
struct slab_alias {
	struct list_head list;		/* Sync: slab_caches_lock */
	struct kmem_cache *cache;
	char name[];
};
extern struct list_head slab_aliases;		/* Sync: slab_caches_lock */
/* The cache with that name or with an alias of that name; or NULL. */
struct kmem_cache *slab_find_locked(const char *name);
struct slab_alias *slab_alias_new(const char *name);
/* A cache that can serve the request too, with one reference more; or NULL. */
struct kmem_cache *slab_merge_locked(const struct slab_cache_request *request,
				     struct slab_alias *alias);
/*
 * Drops one reference and returns the latest alias, since nobody knows which creation's cache is
 * destroyed. NULL: it was the last.
 */
struct slab_alias *slab_unmerge_locked(struct kmem_cache *cache);

#endif
