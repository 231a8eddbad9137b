/* SPDX-License-Identifier: MIT */
/* A CPU's own slab (cpu_slab.c), for caches with own_freelist. */
#ifndef SLAB_CPU_SLAB_CPU_SLAB_H
#define SLAB_CPU_SLAB_CPU_SLAB_H

#include "slab/slab.h"

/* An object, and more of its slab for the CPU; not unmarked. NULL without memory. */
void *slab_freelist_alloc(struct kmem_cache *cache, gfp_t gfp);
/* False unless the object is of this CPU's slab. */
bool slab_freelist_push(struct kmem_cache *cache, void *object);
/*
 * Takes one CPU's slab from it: its list, to be returned with no lock held; NULL if it has
 * none, or CPUs cannot be stopped. One thread at a time.
 */
void *slab_freelist_detach(struct kmem_cache *cache, unsigned int slot);
void slab_freelist_return(struct kmem_cache *cache, void *list);
/* Both, where nobody uses the cache. */
void slab_freelist_drain(struct kmem_cache *cache, unsigned int slot);
/* Free objects of one CPU's slab, wherever they are in it; approximate. */
unsigned long slab_freelist_cached(const struct kmem_cache *cache, unsigned int slot);

/* cpu_slab_option.c */
/* Reads the option; says what is wrong with it. */
void slab_cpu_cache_init(void);
/* Does the option slab_cpu_cache= give the CPUs a slab of that cache instead of a sheaf? */
bool slab_cpu_cache_is_slab(const char *name);

#endif
