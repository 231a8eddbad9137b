/* SPDX-License-Identifier: MIT */
/* Many objects at once, which stay marked free (unless the cache has debugging flags). */
#ifndef SLAB_BULK_H
#define SLAB_BULK_H

#include "slab/slab.h"

/* One call asks the slabs for at most this many objects, since its numbers have 32 bits. */
#define SLAB_AT_ONCE_MAX (1UL << 20)

/* Takes up to n objects from the CPU, barns and slabs; fewer without memory. Returns how many. */
size_t slab_take_marked(struct kmem_cache *cache, gfp_t gfp, void **objects, size_t n);
/* Gives n objects back: to the CPU as far as there is room, the others to their slabs. */
void slab_put_marked(struct kmem_cache *cache, void **objects, size_t n);

/* With debugging flags: allocates n objects one by one. Returns n, or 0 and none is allocated. */
size_t slab_debug_alloc_bulk(struct kmem_cache *cache, gfp_t gfp, void **objects, size_t n,
			     const void *caller);

#endif
