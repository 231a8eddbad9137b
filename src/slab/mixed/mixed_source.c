/* SPDX-License-Identifier: MIT */
#include "slab/mixed/mixed_source.h"

#include <limits.h>

#include "base/options.h"
#include "os/lock.h"
#include "page/reclaim/limits.h"
#include "slab/debug/debug.h"
#include "slab/mixed/mixed_churn.h"
#include "slab/mixed/mixed_make.h"
#include "slab/mixed/mixed_release.h"

#define SOURCES_MAX 96
/* How many sources a request looks at. */
#define LOOKS_MAX 8
/* What a request that finds no block is going to take: about the bytes of a slab. */
#define NEEDED_BYTES (32 * KIB)

struct source {
	struct kmem_cache *cache;	/* Sync: constant once it counts in nr_sources */
	/* The cache's objects_up, and needed_bytes when that last changed. Sync: atomic relaxed */
	unsigned long objects_up, since;
	unsigned long decay_objects_up;	/* the same at the last decay. Sync: atomic relaxed */
};
static struct source sources[SOURCES_MAX] __large_bss;
static unsigned int nr_sources;		/* Sync: written under slab_caches_lock, with release */
static unsigned int next_source;	/* Sync: atomic relaxed */
/* How many bytes of new slabs classes have needed: the clock. Sync: atomic relaxed */
static unsigned long needed_bytes;

void mixed_source_join(struct kmem_cache *cache)
{
	unsigned int nr = nr_sources;

	slab_mixed_setup(cache);
	if (!cache->may_mix || nr == SOURCES_MAX) {
		cache->may_mix = false;
		return;
	}
	sources[nr].cache = cache;
	/* pairs with nr_to_look_at(): the cache */
	atomic_store_release(&nr_sources, nr + 1);
}

static unsigned int nr_to_look_at(void)
{
	/* pairs with mixed_source_join() */
	return atomic_load_acquire(&nr_sources);
}

/*
 * Has nobody taken objects from the source's slabs while other classes needed MIXED_LEFT_BYTES of
 * new slabs? `now` is needed_bytes.
 */
static bool was_left(struct source *source, unsigned long now)
{
	unsigned long objects_up = atomic_load_relaxed(&source->cache->objects_up);

	if (objects_up == atomic_load_relaxed(&source->objects_up))
		return now - atomic_load_relaxed(&source->since) >= MIXED_LEFT_BYTES;
	atomic_store_relaxed(&source->objects_up, objects_up);
	atomic_store_relaxed(&source->since, now);
	return false;
}

/* Has nobody taken objects from the source's slabs since the last decay? */
static bool was_left_since_decay(struct source *source)
{
	unsigned long objects_up = atomic_load_relaxed(&source->cache->objects_up);
	bool was_left = objects_up == atomic_load_relaxed(&source->decay_objects_up);

	atomic_store_relaxed(&source->decay_objects_up, objects_up);
	return was_left;
}

/* Makes at most `most` slabs of the cache mixed ones; looks at each slab at most once. */
static unsigned long make_some(struct kmem_cache *cache, size_t run, unsigned long most)
{
	struct kmem_cache_node *node = &cache->first_node;
	unsigned long nr = min(atomic_load_relaxed(&node->nr_partial), 2 * most), made = 0;

	for (; nr && made < most; nr--) {
		enum mixed_made what = slab_mixed_make(cache, node, run);

		if (what == MIXED_NO_SLAB || what == MIXED_NO_MEMORY)
			break;
		made += what == MIXED_MADE;
	}
	return made;
}

/* True if some slabs have become mixed ones. */
static bool gather(size_t size)
{
	unsigned long now = atomic_add_relaxed(&needed_bytes, NEEDED_BYTES);
	unsigned int nr = nr_to_look_at(), made = 0;

	for (unsigned int i = 0; i < min(nr, LOOKS_MAX + 0u) && !made; i++) {
		struct source *source = &sources[atomic_add_relaxed(&next_source, 1) % nr];

		if (!was_left(source, now))
			continue;
		made = (unsigned int)make_some(source->cache, size, MIXED_AT_ONCE);
		/* Nothing was sparse: it waits until new slabs have taken MIXED_LEFT_BYTES. */
		if (!made)
			atomic_store_relaxed(&source->since, now);
	}
	return made;
}

void *slab_mixed_alloc(size_t size, size_t align)
{
	void *block;

	if (slab_failslab_is_armed() || options.kfence_sample || mixed_churns(size))
		return NULL;
	/* Pages that went back come again here, past the page allocator. */
	if (limits_are_due())
		limits_look(size);
	block = slab_mixed_take(size, align);
	if (!block && lock_none_held() && gather(size))
		block = slab_mixed_take(size, align);
	return block;
}

/* How many slabs one round looks at. A quarter: so a few rounds look at all, however many. */
static unsigned long nr_at_decay(const struct kmem_cache *cache)
{
	return max(atomic_load_relaxed(&cache->first_node.nr_partial) / 4, MIXED_AT_DECAY + 0UL);
}

unsigned long slab_mixed_decay(void)
{
	for (unsigned int i = 0, nr = nr_to_look_at(); i < nr; i++)
		if (was_left_since_decay(&sources[i]) &&
		    barn_budget_slab_bytes() >= MIXED_FROM_BYTES)
			make_some(sources[i].cache, 0, nr_at_decay(sources[i].cache));
	return slab_mixed_release(ULONG_MAX) + slab_mixed_release_table();
}

unsigned long slab_mixed_give_back(void)
{
	for (unsigned int i = 0, nr = nr_to_look_at(); i < nr; i++)
		make_some(sources[i].cache, 0, ULONG_MAX / 2);
	return slab_mixed_release(ULONG_MAX);
}
