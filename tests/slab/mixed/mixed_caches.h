/* SPDX-License-Identifier: MIT */
/* Caches like malloc's classes, whose slabs may become mixed ones, and blocks with a stamp. */
#ifndef TESTS_SLAB_MIXED_CACHES_H
#define TESTS_SLAB_MIXED_CACHES_H

#include "slab/cache.h"
#include "slab/mixed/mixed_make.h"
#include "slab/mixed/mixed_release.h"
#include "slab/mixed/mixed_source.h"
#include "slab/partial.h"
#include "support/kernel.h"
#include "support/prng.h"
#include "support/shadow.h"
#include "support/slabs.h"
#include "support/threads.h"

/* Both kinds of marks, and a class that may have small slabs. */
static const unsigned int mixed_sizes[] = { 16, 48, 112, 208, 640, 1024, 1280, 2048 };
#define MIXED_CACHES ARRAY_SIZE(mixed_sizes)

static struct kmem_cache mixed_caches[MIXED_CACHES];

/* Makes the caches, once. False in a mode in which no slab becomes a mixed one: skip the case. */
static inline bool mixed_caches_make(struct kunit *test)
{
	KUNIT_ASSERT_EQ(test, slab_init(), 0);
	if (!mixed_caches[0].name) {
		lock_acquire(&slab_caches_lock);
		for (unsigned int i = 0; i < MIXED_CACHES; i++)
			slab_cache_setup_requested(&mixed_caches[i], &(struct slab_cache_request){
				.name = "malloc-like", .size = mixed_sizes[i], .align = 16,
				.flags = SLAB_KMALLOC, .large_slabs = true, .may_mix = true,
			});
		lock_release(&slab_caches_lock);
	}
	if (mixed_caches[0].may_mix)
		return true;
	KUNIT_EXPECT_TRUE(test, nr_online_nodes > 1 || !mixed_caches[0].own_sheaf);
	kunit_skip(test, "in this mode no slab becomes a mixed one");
	return false;
}

/* Objects that CPUs and barns keep go back to the slabs. */
static inline void mixed_flush(void)
{
	for (unsigned int i = 0; i < MIXED_CACHES; i++)
		kmem_cache_shrink(&mixed_caches[i]);
}

/* Makes all sparse slabs of the cache mixed ones; returns how many. */
static inline unsigned long mixed_make_all(struct kmem_cache *cache)
{
	struct kmem_cache_node *node = &cache->first_node;
	unsigned long made = 0;

	for (unsigned long i = node->nr_partial; i; i--)
		made += slab_mixed_make(cache, node, 0) == MIXED_MADE;
	return made;
}

/* No cache has an object in use, and there is no mixed slab. */
static inline void mixed_expect_nothing(struct kunit *test)
{
	struct slab_mixed_usage usage;

	mixed_flush();
	slab_mixed_read_usage(&usage);
	KUNIT_EXPECT_EQ(test, usage.slabs, 0);
	KUNIT_EXPECT_EQ(test, usage.pages, 0);
	KUNIT_EXPECT_EQ(test, usage.released, 0);
	KUNIT_EXPECT_EQ(test, usage.blocks, 0);
	KUNIT_EXPECT_EQ(test, usage.used_bytes, 0);
	KUNIT_EXPECT_LE(test, usage.record_pages, 1);
	for (unsigned int i = 0; i < MIXED_CACHES; i++)
		KUNIT_EXPECT_EQ(test, test_slab_inuse(&mixed_caches[i]), 0);
}

#endif
