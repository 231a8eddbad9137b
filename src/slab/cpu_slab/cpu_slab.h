/* SPDX-License-Identifier: MIT */
/*
 * A CPU's own slab (cpu_slab.c): cpu_slab_ops, for caches with slab_cpu_cache=slab, and what
 * slowpath.c inlines.
 */
#ifndef SLAB_CPU_SLAB_CPU_SLAB_H
#define SLAB_CPU_SLAB_CPU_SLAB_H

#include "percpu/tagged_list.h"
#include "slab/slab.h"
#include "slab/small_slab.h"

/*
 * One try: takes an object of this CPU's slab, which stays marked free. NULL also if the cache does
 * not show its CPUs' slabs.
 */
static __always_inline void *cpu_slab_pop_fast(const struct kmem_cache *cache)
{
	/* pairs with cpu_slab_show(): the rest of the cache */
	struct percpu_tagged_list *list = atomic_load_acquire(&cache->cpu_slab);

	return list ? percpu_tagged_pop_fast(list, cache->link_offset) : NULL;
}

/*
 * One try: puts the object on this CPU's list. False if the object is of another slab, or if the
 * cache does not show its CPUs' slabs.
 */
static __always_inline bool cpu_slab_push_fast(const struct kmem_cache *cache, void *object)
{
	struct percpu_tagged_list *list = atomic_load_relaxed(&cache->cpu_slab);

	return list && percpu_tagged_push_fast(list, object, cache->link_offset,
					       slab_list_mask(cache));
}

/*
 * cpu_slab_detach() takes a slab off a CPU and returns the CPU's list. NULL if the CPU has no slab,
 * or if CPUs cannot be stopped. The caller holds slab_sheaves_lock, and hands the list to
 * cpu_slab_return() after it has released that lock.
 */
void *cpu_slab_detach(struct kmem_cache *cache, unsigned int slot);
void cpu_slab_return(struct kmem_cache *cache, void *list);
/* Does both, for a cache that nobody uses. */
void cpu_slab_drain_slot(struct kmem_cache *cache, unsigned int slot);

/* cpu_slab_option.c */
/* Reads the option slab_cpu_cache=, and warns if it does not go with another option. */
void slab_cpu_cache_init(void);
/* Does the option give the CPUs a slab of the named cache instead of a sheaf? */
bool slab_cpu_cache_is_slab(const char *name);

#endif
