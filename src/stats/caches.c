/* SPDX-License-Identifier: MIT */
#include "stats/caches.h"

#include <string.h>

#include "base/fmt.h"

/* Caches are copied in steps, so that nothing is written under a lock. */
#define CACHES_AT_A_TIME 16

/* Nobody forbids two caches of one name, and long ones differ where they are cut. */
static unsigned long count_namesakes_locked(const struct kmem_cache *cache)
{
	unsigned long nr = 0;
	const struct kmem_cache *other;

	list_for_each_entry(other, &slab_caches, caches) {
		if (other == cache)
			break;
		nr += !strncmp(other->name, cache->name, CACHE_NAME_BYTES - 1);
	}
	return nr;
}

/* Needs slab_caches_lock. */
static void read_cache_locked(struct cache_line *line, struct kmem_cache *cache)
{
	unsigned long cached = slab_cached_objects(cache);
	struct slab_usage usage;

	slab_usage_read(cache, &usage);
	fmt_format(line->name, sizeof(line->name), "%s", cache->name);
	line->namesakes = count_namesakes_locked(cache);
	line->slabs = usage.slabs;
	line->active_slabs = usage.slabs - usage.empty;
	line->objects = usage.objects;
	line->active_objects = usage.inuse - min(cached, usage.inuse);
	line->size = cache->size;
	line->objects_per_slab = cache->objects;
	line->pages_per_slab = 1UL << cache->order;
}

/* Caches number first and on; how many. */
static unsigned int read_caches(struct cache_line *lines, unsigned int first, unsigned int max)
{
	unsigned int index = 0, n = 0;
	struct kmem_cache *cache;

	if (slab_init())
		return 0;
	lock_acquire(&slab_caches_lock);
	list_for_each_entry(cache, &slab_caches, caches) {
		if (index++ < first)
			continue;
		if (n == max)
			break;
		read_cache_locked(&lines[n++], cache);
	}
	lock_release(&slab_caches_lock);
	return n;
}

void cache_lines_walk(void (*fn)(const struct cache_line *line, void *arg), void *arg)
{
	struct cache_line lines[CACHES_AT_A_TIME];
	unsigned int n;

	for (unsigned int first = 0; (n = read_caches(lines, first, ARRAY_SIZE(lines))); first += n)
		for (unsigned int i = 0; i < n; i++)
			if (lines[i].slabs)
				fn(&lines[i], arg);
}
