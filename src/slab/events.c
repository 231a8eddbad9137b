/* SPDX-License-Identifier: MIT */
#include "slab/events.h"
#include "slab/partial.h"

/* Sync: slab_caches_lock */
static struct slab_events gone;

void slab_events_add(struct slab_events *events, const struct kmem_cache *cache)
{
	unsigned long created, freed;

	slab_read_turnover(cache, &created, &freed);
	events->refills += atomic_load_relaxed(&cache->refills);
	events->flushes += atomic_load_relaxed(&cache->flushes);
	events->objects += atomic_load_relaxed(&cache->objects_up);
	events->slabs_created += created;
	events->slabs_freed += freed;
}

struct slab_events slab_events_of_gone_locked(void)
{
	return gone;
}

void slab_events_keep_locked(const struct kmem_cache *cache, struct slab_events *counted)
{
	struct slab_events now = { 0 };

	slab_events_add(&now, cache);
	gone.refills += now.refills - counted->refills;
	gone.flushes += now.flushes - counted->flushes;
	gone.objects += now.objects - counted->objects;
	gone.slabs_created += now.slabs_created - counted->slabs_created;
	gone.slabs_freed += now.slabs_freed - counted->slabs_freed;
	*counted = now;
}
