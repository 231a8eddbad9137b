/* SPDX-License-Identifier: MIT */
/* Many objects of a cache without debugging flags, marked free all the while. */
#ifndef SLAB_BULK_H
#define SLAB_BULK_H

#include "slab/slab.h"

/* Objects that one call of the layers below is asked for, at most. */
#define SLAB_AT_ONCE_MAX (1UL << 20)

/* Up to n objects, from the sheaf, the partial slabs and new ones; fewer without memory. */
size_t slab_take_marked(struct kmem_cache *cache, gfp_t gfp, void **objects, size_t n);
/* Takes them back, into the sheaf as far as it has room. */
void slab_put_marked(struct kmem_cache *cache, void **objects, size_t n);

/* With debugging flags: n objects, one by one, or none and 0. */
size_t slab_debug_alloc_bulk(struct kmem_cache *cache, gfp_t gfp, void **objects, size_t n,
			     const void *caller);

#endif
