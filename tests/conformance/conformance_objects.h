/* SPDX-License-Identifier: MIT */
/* Objects of one cache, enough for several slabs. */
#ifndef CONFORMANCE_OBJECTS_H
#define CONFORMANCE_OBJECTS_H

#include <linux/slab.h>

#include "conformance.h"

enum { OBJECTS = 96 };

static void *objects[OBJECTS];

/* All of them, or the case ends. */
static void take(struct kunit *test, struct kmem_cache *cache, gfp_t gfp)
{
	for (unsigned int i = 0; i < OBJECTS; i++) {
		objects[i] = kmem_cache_alloc(cache, gfp);
		KUNIT_ASSERT_NOT_NULL(test, objects[i]);
	}
}

static void give_back(struct kmem_cache *cache)
{
	for (unsigned int i = 0; i < OBJECTS; i++)
		kmem_cache_free(cache, objects[i]);
}

#endif
