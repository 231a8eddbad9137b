/* SPDX-License-Identifier: MIT */
/*
 * What CPUs keep of a cache, behind one table of operations.
 *
 * A cache has one of two tables for its life (option slab_cpu_cache=):
 *
 *	sheaf_ops	an array of any slab's objects, and barns behind it (sheaf/)
 *	cpu_slab_ops	one slab's own list (cpu_slab/)
 *
 * Nothing outside of these two folders asks which table it is. A cache with debugging flags has
 * sheaf_ops without a sheaf. So has a cache that got no per-CPU memory: its CPUs keep nothing, and
 * every object comes from the slabs and goes there.
 *
 * A "marked" object has its free mark (free_mark.h) before and after the operation.
 */
#ifndef SLAB_CPU_CACHE_H
#define SLAB_CPU_CACHE_H

#include "slab/slab.h"

struct cpu_cache_ops {
	/* Makes the CPUs' memory, hidden from the fast paths. The caller holds slab_caches_lock. */
	void (*set_up)(struct kmem_cache *cache);
	/*
	 * Frees the CPUs' memory, which must be empty. Also called for a cache that stays since
	 * objects leaked.
	 */
	void (*destroy)(struct kmem_cache *cache);
	/* Shows the CPUs' memory to the fast paths, or hides it. */
	void (*show)(struct kmem_cache *cache, bool shown);

	/* Takes a marked object from the CPU, or from slabs, which then refill the CPU; or NULL. */
	void *(*alloc)(struct kmem_cache *cache, gfp_t gfp);
	/* Takes a marked object back, to the CPU or to the slabs. */
	void (*free)(struct kmem_cache *cache, void *object);
	/*
	 * pop: a marked object that this CPU has, or NULL. push: puts one back; false if there is
	 * no room. Neither counts.
	 */
	void *(*pop)(struct kmem_cache *cache);
	bool (*push)(struct kmem_cache *cache, void *object);
	/* alloc and free for n objects: slab_take_marked(), slab_put_marked() in bulk.h. */
	size_t (*take)(struct kmem_cache *cache, gfp_t gfp, void **objects, size_t n);
	void (*put)(struct kmem_cache *cache, void **objects, size_t n);

	/*
	 * Moves what all CPUs have into the slabs, as far as the CPUs can be stopped. Others may
	 * use the cache meanwhile. objects[] has room for SHEAF_OBJECTS_MAX.
	 */
	void (*empty)(struct kmem_cache *cache, void **objects);
	/* Moves what CPUs and barns have into the slabs; nobody uses the cache. */
	void (*drain)(struct kmem_cache *cache);

	/* Objects in CPUs, barns, quarantines; approximate. A stopped sheaf counts as empty. */
	unsigned long (*nr_objects)(const struct kmem_cache *cache);
	/* Slabs that CPUs have for themselves. */
	unsigned int (*nr_slabs)(const struct kmem_cache *cache);
};
extern const struct cpu_cache_ops sheaf_ops __hidden, cpu_slab_ops __hidden;

/*
 * Per-CPU memory for set_up(). NULL when the slots are used up. The memory is placed so that a
 * store there does not delay a load of the fields that fast paths read: see percpu_alloc_apart().
 */
static inline void *cpu_cache_alloc(struct kmem_cache *cache, size_t bytes, size_t align)
{
	size_t read_bytes = offsetof(struct kmem_cache, own_sheaf) -
			    offsetof(struct kmem_cache, sheaf_and_mask);

	return percpu_alloc_apart(bytes, align, &cache->sheaf_and_mask, read_bytes);
}

/* Moves the objects of all CPUs and barns into the slabs. Nobody may be using the cache. */
static inline void slab_drain_all(struct kmem_cache *cache)
{
	cache->cpu_ops->drain(cache);
}

/* Slabs that CPUs have for themselves. */
static inline unsigned int slab_nr_cpu_slabs(const struct kmem_cache *cache)
{
	return cache->cpu_ops->nr_slabs(cache);
}

/* Objects that CPUs, barns and quarantines keep; approximate. */
static inline unsigned long slab_cached_objects(const struct kmem_cache *cache)
{
	return cache->cpu_ops->nr_objects(cache);
}

#endif
