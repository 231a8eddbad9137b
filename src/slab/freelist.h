/* SPDX-License-Identifier: MIT */
/* A CPU's own slab (freelist.c), for caches with own_freelist. */
#ifndef SLAB_FREELIST_H
#define SLAB_FREELIST_H

#include "slab/slab.h"

/* An object, and more of its slab for the CPU; not unmarked. NULL without memory. */
void *slab_freelist_alloc(struct kmem_cache *cache, gfp_t gfp);
/* False unless the object is of this CPU's slab. */
bool slab_freelist_push(struct kmem_cache *cache, void *object);
/* Makes one CPU's slab nobody's, if CPUs can be stopped; one thread at a time. */
void slab_freelist_flush(struct kmem_cache *cache, unsigned int slot);
/* The same where nobody uses the cache. */
void slab_freelist_drain(struct kmem_cache *cache, unsigned int slot);
/* Free objects of one CPU's slab, wherever they are in it; approximate. */
unsigned long slab_freelist_cached(const struct kmem_cache *cache, unsigned int slot);

/* path.c */
/* Reads the option; says what is wrong with it. */
void slab_path_init(void);
/* Does the option slab_path give caches of that name a freelist instead of a sheaf? */
bool slab_path_is_freelist(const char *name);

#endif
