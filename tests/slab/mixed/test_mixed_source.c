/* SPDX-License-Identifier: MIT */
/* Which slabs become mixed ones, and when. */
#include "mixed_caches.h"
#include "slab/mixed/mixed_churn.h"
#include "usermm/reclaim.h"

#define OBJECTS 80000
#define STAY_ONE_IN 10

static void *objects[OBJECTS];
static void *blocks[OBJECTS];

static unsigned long slabs_mixed(void)
{
	struct slab_mixed_usage usage;

	slab_mixed_read_usage(&usage);
	return usage.slabs;
}

/* 9 MB of objects of 112 bytes; one in ten stays. */
static struct kmem_cache *leave_sparse(struct kunit *test)
{
	struct kmem_cache *cache = &mixed_caches[2];

	for (unsigned int i = 0; i < OBJECTS; i++) {
		objects[i] = kmem_cache_alloc(cache, GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, objects[i]);
	}
	for (unsigned int i = 0; i < OBJECTS; i++)
		if (i % STAY_ONE_IN)
			kfree(objects[i]);
	/* The barns' batches too, but no empty slab goes: they are all in use. */
	kmem_cache_shrink(cache);
	return cache;
}

static void end_sparse(struct kunit *test)
{
	for (unsigned int i = 0; i < OBJECTS; i += STAY_ONE_IN)
		kfree(objects[i]);
	mixed_expect_nothing(test);
}

/*
 * A class that takes no objects, while others need memory, gives its slabs up: not at once, but
 * when the others have needed MIXED_LEFT_BYTES of new slabs. From then on they need no new slab.
 */
static void test_mixed_source_left(struct kunit *test)
{
	unsigned int nr = 0, calls = 0;
	struct kmem_cache *cache;

	if (!mixed_caches_make(test))
		return;
	cache = leave_sparse(test);
	KUNIT_EXPECT_TRUE(test, slab_mixed_may_serve(&mixed_caches[3]));
	KUNIT_EXPECT_FALSE(test, slab_mixed_may_serve(cache));
	for (; !blocks[0] && calls < 2000; calls++)
		blocks[0] = slab_mixed_alloc(208, 16);
	KUNIT_EXPECT_GE(test, calls, MIXED_LEFT_BYTES / (32 * KIB));
	KUNIT_ASSERT_LT(test, calls, 2000);
	KUNIT_EXPECT_LE(test, slabs_mixed(), MIXED_AT_ONCE);
	for (nr = 1; nr < OBJECTS; nr++) {
		blocks[nr] = slab_mixed_alloc(208, 16);
		if (!blocks[nr])
			break;
	}
	/* At least half of the free memory is used. */
	KUNIT_EXPECT_GT(test, nr * 208u, OBJECTS * 112u / 2);
	for (unsigned int i = 0; i < nr; i++)
		KUNIT_ASSERT_TRUE(test, slab_mixed_free(blocks[i]));
	blocks[0] = NULL;
	end_sparse(test);
}

/* A class from which objects are taken all the time keeps its slabs. */
static void test_mixed_source_in_use(struct kunit *test)
{
	struct kmem_cache *cache;
	void *taken;

	if (!mixed_caches_make(test))
		return;
	cache = leave_sparse(test);
	for (unsigned int i = 0; i < 500; i++) {
		KUNIT_ASSERT_EQ(test, slab_take_partial(cache, &taken, 1), 1);
		KUNIT_EXPECT_NULL(test, slab_mixed_alloc(208, 16));
		slab_mark_in_use(cache, taken);
		kfree(taken);
	}
	KUNIT_EXPECT_EQ(test, slabs_mixed(), 0);
	end_sparse(test);
}

/* Decay: from the second round on, a part of a class's slabs at a time. */
static void test_mixed_source_decay(struct kunit *test)
{
	unsigned long before, due;
	struct kmem_cache *cache;

	if (!mixed_caches_make(test))
		return;
	cache = leave_sparse(test);
	slab_mixed_decay();
	before = slabs_mixed();
	due = max(cache->first_node.nr_partial / 4, MIXED_AT_DECAY + 0UL);
	slab_mixed_decay();
	KUNIT_EXPECT_EQ(test, slabs_mixed(), before + due);
	end_sparse(test);
}

/* Under pressure, and with usermm_trim(): all sparse slabs, at once. */
static void test_mixed_source_trim(struct kunit *test)
{
	struct slab_mixed_usage usage;
	struct kmem_cache *cache;
	unsigned long slabs, released;
	size_t trimmed;

	if (!mixed_caches_make(test))
		return;
	usermm_trim(0);
	cache = leave_sparse(test);
	slabs = slab_nr_slabs(cache);
	/* So that some pages are free. */
	for (unsigned int i = 0; i < OBJECTS / 2; i += STAY_ONE_IN)
		if (i / STAY_ONE_IN % 8)
			kfree(objects[i]);
	slab_mixed_read_usage(&usage);
	released = usage.released;
	trimmed = usermm_trim(0);
	slab_mixed_read_usage(&usage);
	KUNIT_EXPECT_GE(test, usage.slabs, slabs / 10 * 9);
	KUNIT_EXPECT_GT(test, usage.released, usage.pages / 8);
	KUNIT_EXPECT_GE(test, trimmed, (usage.released - released) * PAGE_SIZE);
	for (unsigned int i = 0; i < OBJECTS / 2; i += STAY_ONE_IN)
		if (i / STAY_ONE_IN % 8)
			objects[i] = NULL;
	end_sparse(test);
}

/* Blocks that come and go all the time are not for mixed slabs; others of the same size are. */
static void test_mixed_source_churn(struct kunit *test)
{
	unsigned int served = 0, calls;

	if (!mixed_caches_make(test))
		return;
	leave_sparse(test);
	for (calls = 0; !blocks[0] && calls < 2000; calls++)
		blocks[0] = slab_mixed_alloc(208, 16);
	KUNIT_ASSERT_NOT_NULL(test, blocks[0]);
	for (; served < 1000; served++) {
		void *block = slab_mixed_alloc(208, 16);

		if (!block)
			break;
		KUNIT_EXPECT_TRUE(test, slab_mixed_free(block));
	}
	KUNIT_EXPECT_LE(test, served, 2 * MIXED_CHURN_LOOK);
	/* Other blocks are allocated, and stay. */
	for (calls = 1; calls < 1000; calls++) {
		blocks[calls] = slab_mixed_alloc(208, 16);
		KUNIT_EXPECT_NOT_NULL(test, blocks[calls]);
	}
	for (unsigned int i = 0; i < calls; i++)
		KUNIT_EXPECT_TRUE(test, slab_mixed_free(blocks[i]));
	blocks[0] = NULL;
	end_sparse(test);
}

static struct kunit_case mixed_source_cases[] = {
	KUNIT_CASE(test_mixed_source_left),
	KUNIT_CASE(test_mixed_source_in_use),
	KUNIT_CASE(test_mixed_source_churn),
	KUNIT_CASE(test_mixed_source_decay),
	KUNIT_CASE(test_mixed_source_trim),
	{ 0 },
};

static struct kunit_suite mixed_source_suite = {
	.name = "slab-mixed-source",
	.test_cases = mixed_source_cases,
};

kunit_test_suite(mixed_source_suite);
