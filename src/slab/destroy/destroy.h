/* SPDX-License-Identifier: MIT */
/* The end of caches. See destroy.c. */
#ifndef SLAB_DESTROY_DESTROY_H
#define SLAB_DESTROY_DESTROY_H

#include "slab/slab.h"

/* The most caches that one call destroys: malloc has this many size classes. */
#define SLAB_DESTROY_MAX 72

/*
 * Destroys nr caches with all objects that are in use. Nobody uses the caches or their objects.
 * Returns 0; or -EBUSY, and nothing has changed, if one of them is shared (slab/merge.h). caller
 * is for reports.
 */
int slab_destroy_with_objects(struct kmem_cache *const *caches, unsigned int nr,
			      const void *caller);

#endif
