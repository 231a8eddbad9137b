/* SPDX-License-Identifier: MIT */
#include "malloc/class_lending.h"

#include "base/options.h"
#include "os/clock.h"
#include "page/reclaim/decay.h"
#include "slab/partial.h"

/* Free bytes from which on it is worth while. */
#define LEND_BYTES_MIN (256 * KIB)
/* A class looks for a lender at every so many of its new slabs. */
#define LOOK_SLABS 4

/* Sync: atomic; NULL: the class serves itself. */
static struct kmem_cache *lenders[CLASS_COUNT];
static unsigned int looks[CLASS_COUNT];

static void show_sheaf(unsigned int index, struct kmem_cache *cache)
{
	class_show(index, cache);
}

/* A class's refills when somebody looked last, at least QUIET_MS ago. Sync: atomic relaxed */
static unsigned long refills_seen[CLASS_COUNT];
static uint64_t seen_ms;
#define QUIET_MS 100

static void look_at_refills(void)
{
	if (!decay_turn(&seen_ms, os_time_ms(), QUIET_MS))
		return;
	for (unsigned int i = 0; i < CLASS_COUNT; i++) {
		const struct kmem_cache *cache = class_of(class_bytes(i));

		if (cache)
			atomic_store_relaxed(&refills_seen[i],
					     atomic_load_relaxed(&cache->refills));
	}
}

static struct kmem_cache *find_lender(unsigned int index)
{
	size_t bytes = class_bytes(index);
	const struct kmem_cache *own = class_of(bytes);

	look_at_refills();
	for (unsigned int i = index + 1; i < CLASS_COUNT && class_bytes(i) <= 2 * bytes; i++) {
		struct kmem_cache *cache = class_of(class_bytes(i));
		unsigned long objects, free;

		if (!cache || cache->byte_marks != own->byte_marks || cache->align % own->align ||
		    atomic_load_relaxed(&cache->refills) != refills_seen[i])
			continue;
		free = slab_estimate_free(cache, &objects);
		if (free * class_bytes(i) >= LEND_BYTES_MIN && free >= objects / 2)
			return cache;
	}
	return NULL;
}

struct kmem_cache *class_serving(size_t size, struct kmem_cache *own)
{
	unsigned int index = class_index(size);
	struct kmem_cache *lender = atomic_load_relaxed(&lenders[index]);

	if (!percpu_has_sequences() || options.profile || options.kfence_sample)
		return own;
	if (lender) {
		if (slab_has_free(lender))
			return lender;
		atomic_store_relaxed(&lenders[index], NULL);
		show_sheaf(index, own);
	}
	if (slab_has_free(own) || atomic_add_relaxed(&looks[index], 1) % LOOK_SLABS)
		return own;
	lender = find_lender(index);
	if (!lender)
		return own;
	atomic_store_relaxed(&lenders[index], lender);
	show_sheaf(index, lender);
	return lender;
}
