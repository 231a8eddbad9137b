// SPDX-License-Identifier: MIT
/*
 * Finds what a module leaves in use: pages, objects of each cache, caches, vmalloc areas, per-CPU
 * memory. Each is compared with its use before the module ran. Objects and pages on per-CPU lists
 * are free, so they do not count. Threads, timers and work that would still run are reported too.
 */
#include <stdio.h>
#include <string.h>

#include "files/script.h"
#include "module_run.h"
#include "page/pcp/pcp.h"
#include "page/zone.h"
#include "slab/cache.h"
#include "slab/merge.h"
#include "slab/mixed/mixed.h"
#include "slab/partial.h"
#include "slab/sheaf/barn_budget.h"
#include "slab/slab.h"
#include "usermm/quicklist.h"

#define MAX_CACHES 4096
/* Its objects are caches, which are reported separately. */
#define CACHE_OF_CACHES "kmem_cache"
/* Caches of usermm's malloc(), if it is in the process: used by the runtime and libc. */
#define MALLOC_CACHES "malloc-"

struct use {
	unsigned long pages;
	size_t percpu_bytes;
	size_t nr_caches;
	struct {
		const struct kmem_cache *cache;
		unsigned long objects;
	} caches[MAX_CACHES];
};

static struct use before;

/* Names of caches that were merged into another; the first MAX_MERGED. Sync: slab_caches_lock */
#define MAX_MERGED 64
static struct {
	const struct kmem_cache *cache;
	char name[CACHE_NAME_BYTES];
} merged[MAX_MERGED];
static unsigned int nr_merged;

void module_leaks_note_merged(const struct kmem_cache *cache, const char *name)
{
	unsigned int i = 0;

	lock_acquire(&slab_caches_lock);
	while (i < nr_merged && (merged[i].cache != cache ||
				 strncmp(merged[i].name, name, CACHE_NAME_BYTES - 1)))
		i++;
	if (i == nr_merged && i < MAX_MERGED) {
		merged[i].cache = cache;
		snprintf(merged[i].name, CACHE_NAME_BYTES, "%s", name);
		nr_merged++;
	}
	lock_release(&slab_caches_lock);
}

static unsigned long pages_in_use(unsigned long slab_pages)
{
	drain_all_pages(NULL);
	return nodes_managed_pages() - nodes_free_pages() - pcp_pages() -
	       quicklist_total_size() - slab_pages - barn_pages();
}

static bool is_mallocs(const char *name)
{
	return !strncmp(name, MALLOC_CACHES, strlen(MALLOC_CACHES));
}

static void take(struct use *use)
{
	struct slab_mixed_usage mixed;
	unsigned long slab_pages;
	struct slab_usage usage;
	struct kmem_cache *cache;

	use->nr_caches = 0;
	slab_mixed_read_usage(&mixed);
	slab_pages = mixed.pages + mixed.record_pages;
	lock_acquire(&slab_caches_lock);
	list_for_each_entry(cache, &slab_caches, caches) {
		slab_pages += slab_nr_pages(cache);
		if (use->nr_caches == MAX_CACHES || is_mallocs(cache->name))
			continue;
		use->caches[use->nr_caches].cache = cache;
		use->caches[use->nr_caches++].objects = slab_objects_in_use(cache, &usage);
	}
	lock_release(&slab_caches_lock);
	use->percpu_bytes = usermm_percpu_in_use();
	use->pages = pages_in_use(slab_pages);
}

static const unsigned long *objects_before(const struct kmem_cache *cache)
{
	for (size_t i = 0; i < before.nr_caches; i++)
		if (before.caches[i].cache == cache)
			return &before.caches[i].objects;
	return NULL;
}

/* For a merged cache prints all names: the objects may belong to any of them. */
static void report_objects(const struct kmem_cache *cache, unsigned long objects)
{
	bool is_shared = false;

	fprintf(stderr, "usermm module: leak: %lu objects of %s", objects, cache->name);
	for (unsigned int i = 0; i < nr_merged; i++)
		if (merged[i].cache == cache) {
			fprintf(stderr, " or %s", merged[i].name);
			is_shared = true;
		}
	fprintf(stderr, is_shared ? " (merged; slab_merge=off keeps them apart)\n" : "\n");
}

static void report_cache(const struct kmem_cache *cache, unsigned long objects)
{
	const unsigned long *old = objects_before(cache);

	if (!old)
		fprintf(stderr, "usermm module: leak: cache %s was not destroyed, %lu objects "
			"of %u bytes in use\n", cache->name, objects, cache->object_size);
	else if (objects > *old && strcmp(cache->name, CACHE_OF_CACHES))
		report_objects(cache, objects - *old);
}

/* Reports merged caches that were not destroyed. Their objects cannot be told apart. */
static void report_aliases(void)
{
	const struct slab_alias *alias;

	lock_acquire(&slab_caches_lock);
	list_for_each_entry(alias, &slab_aliases, list)
		fprintf(stderr, "usermm module: leak: cache %s, one with %s, was not destroyed\n",
			alias->name, alias->cache->name);
	lock_release(&slab_caches_lock);
}

void module_leaks_begin(void)
{
	if (!slab_init())
		take(&before);
}

void module_leaks_report(void)
{
	unsigned long bytes;
	static struct use now;
	size_t areas;

	module_timers_report();
	module_works_report();
	module_files_report();
	/*
	 * Objects that wait for a grace period are no leak, so wait for it; unless a thread is
	 * left, which might never end its read-side section.
	 */
	if (!module_threads_report())
		module_rcu_barrier();
	areas = vmalloc_areas(&bytes);
	take(&now);
	report_aliases();
	for (size_t i = 0; i < now.nr_caches; i++)
		report_cache(now.caches[i].cache, now.caches[i].objects);
	if (areas)
		fprintf(stderr, "usermm module: leak: %zu vmalloc areas of %lu bytes\n", areas,
			bytes);
	if (now.percpu_bytes > before.percpu_bytes)
		fprintf(stderr, "usermm module: leak: %zu bytes of each CPU's memory\n",
			now.percpu_bytes - before.percpu_bytes);
	if (now.pages > before.pages)
		fprintf(stderr, "usermm module: leak: %lu pages%s\n", now.pages - before.pages,
			areas ? " (those of vmalloc areas among them)" : "");
}
