/* SPDX-License-Identifier: MIT */
#include "stats/caches.h"

#include "base/fmt.h"
#include "slab/cache.h"
#include "slab/partial.h"

/* This many caches at a time are copied under the lock; then they are written without it. */
#define CACHES_AT_A_TIME 16

static void copy_name(char name[CACHE_NAME_BYTES], const struct kmem_cache *cache)
{
	fmt_format(name, CACHE_NAME_BYTES, "%s", cache->name);
}

/*
 * Counts older caches whose names look the same: equal names, or long names that differ only after
 * the place where they are cut off.
 */
static unsigned long count_namesakes_locked(const struct kmem_cache *cache, const char *name,
					    cache_names_same_fn are_same)
{
	char other_name[CACHE_NAME_BYTES];
	const struct kmem_cache *other;
	unsigned long nr = 0;

	list_for_each_entry(other, &slab_caches, caches) {
		if (other == cache)
			break;
		/* A quick look at the first byte. Bytes that are not UTF-8 all look the same. */
		if (*other->name != *name && (unsigned char)(*other->name | *name) < 0x80)
			continue;
		copy_name(other_name, other);
		nr += are_same(other_name, name);
	}
	return nr;
}

/* The caller holds slab_caches_lock. */
static void read_cache_locked(struct cache_line *line, struct kmem_cache *cache,
			      cache_names_same_fn are_same)
{
	struct slab_usage usage;

	line->active_objects = slab_objects_in_use(cache, &usage);
	copy_name(line->name, cache);
	line->namesakes = are_same && usage.slabs ?
				  count_namesakes_locked(cache, line->name, are_same) : 0;
	line->slabs = usage.slabs;
	line->active_slabs = usage.slabs - usage.empty;
	line->objects = usage.objects;
	line->size = cache->size;
	line->objects_per_slab = cache->objects;
	line->pages_per_slab = 1UL << cache->order;
}

/* Copies up to max caches from number first on; returns how many. */
static unsigned int read_caches(struct cache_line *lines, unsigned int first, unsigned int max,
				cache_names_same_fn are_same)
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
		read_cache_locked(&lines[n++], cache, are_same);
	}
	lock_release(&slab_caches_lock);
	return n;
}

void cache_lines_walk(void (*fn)(const struct cache_line *line, void *arg), void *arg,
		      cache_names_same_fn are_same)
{
	struct cache_line lines[CACHES_AT_A_TIME];
	unsigned int n;

	for (unsigned int first = 0;
	     (n = read_caches(lines, first, ARRAY_SIZE(lines), are_same)); first += n)
		for (unsigned int i = 0; i < n; i++)
			if (lines[i].slabs)
				fn(&lines[i], arg);
}
