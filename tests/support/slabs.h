/* SPDX-License-Identifier: MIT */
/* What tests ask of a cache. */
#ifndef TESTS_SUPPORT_SLABS_H
#define TESTS_SUPPORT_SLABS_H

#include "slab/slab.h"

/* Objects that are in use as slabs see it: those that CPUs keep are. */
static inline unsigned long test_slab_inuse(struct kmem_cache *cache)
{
	struct slab_usage usage;

	slab_usage_read(cache, &usage);
	return usage.inuse;
}

#endif
