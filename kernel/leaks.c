// SPDX-License-Identifier: MIT
/*
 * What is in use behind a module's back: pages, objects of each cache, caches, vmalloc
 * areas; compared with what was in use before it ran. Per-CPU lists do not count: what
 * they hold is free.
 */
#include <stdio.h>
#include <string.h>

#include "module_run.h"
#include "page/pcp.h"
#include "page/zone.h"
#include "slab/slab.h"
#include "usermm/quicklist.h"

#define MAX_CACHES 64
/* Its objects are the caches, which are reported as such. */
#define CACHE_OF_CACHES "kmem_cache"

struct use {
	unsigned long pages;
	size_t nr_caches;
	struct {
		const struct kmem_cache *cache;
		unsigned long objects;
	} caches[MAX_CACHES];
};

static struct use before;

/* Objects handed out, as good as the counts are while nobody allocates. */
static unsigned long objects_in_use(struct kmem_cache *cache)
{
	unsigned long cached = cache->sheaf ? slab_cached_objects(cache) : 0;
	unsigned long inuse = cache->nr_inuse;

	return inuse > cached ? inuse - cached : 0;
}

static unsigned long pages_in_use(unsigned long slab_pages)
{
	drain_all_pages(NULL);
	return nodes_managed_pages() - nodes_free_pages() - pcp_pages() -
	       quicklist_total_size() - slab_pages;
}

static void take(struct use *use)
{
	unsigned long slab_pages = 0;
	struct kmem_cache *cache;

	use->nr_caches = 0;
	lock_acquire(&slab_caches_lock);
	list_for_each_entry(cache, &slab_caches, caches) {
		slab_pages += cache->nr_slabs << cache->order;
		if (use->nr_caches == MAX_CACHES)
			continue;
		use->caches[use->nr_caches].cache = cache;
		use->caches[use->nr_caches++].objects = objects_in_use(cache);
	}
	lock_release(&slab_caches_lock);
	use->pages = pages_in_use(slab_pages);
}

static const unsigned long *objects_before(const struct kmem_cache *cache)
{
	for (size_t i = 0; i < before.nr_caches; i++)
		if (before.caches[i].cache == cache)
			return &before.caches[i].objects;
	return NULL;
}

static void report_cache(const struct kmem_cache *cache, unsigned long objects)
{
	const unsigned long *old = objects_before(cache);

	if (!old)
		fprintf(stderr, "usermm module: leak: cache %s was not destroyed, %lu objects "
			"of %u bytes in use\n", cache->name, objects, cache->object_size);
	else if (objects > *old && strcmp(cache->name, CACHE_OF_CACHES))
		fprintf(stderr, "usermm module: leak: %lu objects of %s\n", objects - *old,
			cache->name);
}

void module_leaks_begin(void)
{
	if (!slab_init())
		take(&before);
}

void module_leaks_report(void)
{
	unsigned long bytes;
	size_t areas = vmalloc_areas(&bytes);
	static struct use now;

	take(&now);
	for (size_t i = 0; i < now.nr_caches; i++)
		report_cache(now.caches[i].cache, now.caches[i].objects);
	if (areas)
		fprintf(stderr, "usermm module: leak: %zu vmalloc areas of %lu bytes\n", areas,
			bytes);
	if (now.pages > before.pages)
		fprintf(stderr, "usermm module: leak: %lu pages%s\n", now.pages - before.pages,
			areas ? " (those of vmalloc areas among them)" : "");
}
