/* SPDX-License-Identifier: MIT */
/* A slab leaves its cache and becomes a mixed one. */
#ifndef SLAB_MIXED_MIXED_MAKE_H
#define SLAB_MIXED_MIXED_MAKE_H

#include "slab/slab.h"

/* The cache is about to be used: may its slabs become mixed ones? Sets may_mix. */
void slab_mixed_setup(struct kmem_cache *cache);

enum mixed_made { MIXED_MADE, MIXED_DENSE, MIXED_NO_SLAB, MIXED_NO_MEMORY };
/*
 * Looks at the slab of the node that was on the partial list longest. If it is sparse (at most one
 * in MIXED_SPARSE objects in use), and its free runs have half of `run` bytes on average, it
 * becomes a mixed slab: if objects go at random, half of its free bytes then lie in runs of `run`
 * bytes or more. If not, it moves to the front of the list, so that new objects fill it.
 */
#define MIXED_SPARSE 3
enum mixed_made slab_mixed_make(struct kmem_cache *cache, struct kmem_cache_node *node, size_t run);

#endif
