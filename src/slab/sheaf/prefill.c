/* SPDX-License-Identifier: MIT */
/*
 * Prefilled sheaves: objects set aside for a caller that cannot fail later.
 *
 * A prefilled sheaf is a block of kmalloc() that belongs to its user. The cache does not know the
 * sheaf, but counts how many there are: destroy.c does not free the cache below one. The sheaf's
 * objects count as in use. Without debugging flags they stay marked free until they are handed out.
 * So if the program frees one that was never handed out, that is found. With debugging flags they
 * are allocated objects from the start.
 *
 * cf. Linux 6.18 mm/slub.c: kmem_cache_prefill_sheaf() and the functions behind it. If the cache
 * was created with a sheaf_capacity, its sheaves are filled up to that; else to what the caller
 * asks.
 */
#include <errno.h>
#include <string.h>

#include "base/check.h"
#include "slab/bulk.h"
#include "slab/clearing.h"
#include "slab/debug/debug.h"
#include "slab/slab_fast.h"

struct slab_sheaf {
	struct kmem_cache *cache;
	unsigned int capacity;
	unsigned int size;
	void *objects[];	/* the first `size` */
};

static void check_cache(const struct kmem_cache *cache, const struct slab_sheaf *sheaf,
			const char *function)
{
	CHECK(sheaf->cache == cache, "%s: a sheaf of cache %s was given for one of %s", function,
	      sheaf->cache->name, cache->name);
}

/* Fills the sheaf up to `target` objects. False without memory, and nothing has changed. */
static bool fill(struct slab_sheaf *sheaf, gfp_t gfp, unsigned int target, const void *caller)
{
	struct kmem_cache *cache = sheaf->cache;
	void **objects = sheaf->objects + sheaf->size;
	size_t missing = target - sheaf->size, got;

	gfp &= ~__GFP_ZERO;	/* objects are cleared when they are handed out */
	if (cache_is_debugged(cache)) {
		got = slab_debug_alloc_bulk(cache, gfp, objects, missing, caller);
	} else {
		got = slab_take_marked(cache, gfp, objects, missing);
		if (got < missing) {
			slab_put_marked(cache, objects, got);
			got = 0;
		}
	}
	sheaf->size += (unsigned int)got;
	return got == missing;
}

/* How many objects a sheaf is filled with if the caller asks for `size`. */
static unsigned int target_of(const struct slab_sheaf *sheaf, unsigned int size)
{
	return sheaf->capacity == sheaf->cache->sheaf_capacity ? sheaf->capacity : size;
}

static struct slab_sheaf *prefill(struct kmem_cache *cache, gfp_t gfp, unsigned int size,
				  const void *caller)
{
	unsigned int capacity = max(size, cache->sheaf_capacity);
	struct slab_sheaf *sheaf = usermm_kmalloc_size(sizeof(*sheaf) + capacity * sizeof(void *),
						       gfp & ~__GFP_ZERO);

	if (!sheaf)
		return NULL;
	sheaf->cache = cache;
	sheaf->capacity = capacity;
	sheaf->size = 0;
	if (size && !fill(sheaf, gfp, target_of(sheaf, size), caller)) {
		kfree(sheaf);
		return NULL;
	}
	/* Relaxed: the thread that destroys the cache has waited for all of its users. */
	atomic_add_relaxed(&cache->prefilled_sheaves, 1);
	return sheaf;
}

static void give_back(struct slab_sheaf *sheaf)
{
	if (cache_is_debugged(sheaf->cache))
		kmem_cache_free_bulk(sheaf->cache, sheaf->size, sheaf->objects);
	else
		slab_put_marked(sheaf->cache, sheaf->objects, sheaf->size);
	atomic_add_relaxed(&sheaf->cache->prefilled_sheaves, -1);
	kfree(sheaf);
}

struct slab_sheaf *kmem_cache_prefill_sheaf(struct kmem_cache *cache, gfp_t gfp,
					    unsigned int size)
{
	return prefill(cache, gfp, size, __builtin_return_address(0));
}

int kmem_cache_refill_sheaf(struct kmem_cache *cache, gfp_t gfp, struct slab_sheaf **sheaf,
			    unsigned int size)
{
	const void *caller = __builtin_return_address(0);
	struct slab_sheaf *larger;

	if (!sheaf || !*sheaf)
		return -EINVAL;
	check_cache(cache, *sheaf, "kmem_cache_refill_sheaf");
	if ((*sheaf)->size >= size)
		return 0;
	if ((*sheaf)->capacity >= size)
		return fill(*sheaf, gfp, target_of(*sheaf, size), caller) ? 0 : -ENOMEM;
	larger = prefill(cache, gfp, size, caller);
	if (!larger)
		return -ENOMEM;
	give_back(*sheaf);
	*sheaf = larger;
	return 0;
}

void *kmem_cache_alloc_from_sheaf(struct kmem_cache *cache, gfp_t gfp, struct slab_sheaf *sheaf)
{
	void *object;

	check_cache(cache, sheaf, "kmem_cache_alloc_from_sheaf");
	if (!sheaf->size)
		return NULL;
	object = sheaf->objects[--sheaf->size];
	if (cache_is_debugged(cache)) {
		gfp = slab_clearing_gfp(cache, gfp);
	} else {
		if (slab_clears(cache))
			slab_clear_allocated(cache, object);
		slab_mark_in_use(cache, object);
	}
	if (gfp & __GFP_ZERO)
		memset(object, 0, slab_debug_size(cache, object));
	return object;
}

void kmem_cache_return_sheaf(struct kmem_cache *cache, gfp_t gfp, struct slab_sheaf *sheaf)
{
	(void)gfp;
	check_cache(cache, sheaf, "kmem_cache_return_sheaf");
	give_back(sheaf);
}

unsigned int kmem_cache_sheaf_size(const struct slab_sheaf *sheaf)
{
	return sheaf->size;
}
