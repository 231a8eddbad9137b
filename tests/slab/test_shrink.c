/* SPDX-License-Identifier: MIT */
/*
 * kmem_cache_shrink(): objects on CPUs go back, empty slabs are freed, and the fullest slabs serve
 * first.
 */
#include "percpu/remote.h"
#include "slab/cpu_cache.h"
#include "slab/small_slab.h"
#include "support/child.h"
#include "support/kernel.h"
#include "support/pages.h"
#include "support/threads.h"
#include "usermm/reclaim.h"

enum { NR = 2000 };

static void *objects[NR];

static struct kmem_cache *cache_of(struct kunit *test, slab_flags_t flags)
{
	struct kmem_cache *cache = kmem_cache_create("shrunk", 200, 0, flags, NULL);

	KUNIT_ASSERT_NOT_NULL(test, cache);
	for (unsigned int i = 0; i < NR; i++) {
		objects[i] = kmem_cache_alloc(cache, GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, objects[i]);
	}
	return cache;
}

static void test_shrink_says_whether_any_is_left(struct kunit *test)
{
	static const slab_flags_t flags[] = { 0, SLAB_RED_ZONE | SLAB_STORE_USER };

	for (unsigned int k = 0; k < ARRAY_SIZE(flags); k++) {
		struct kmem_cache *cache = cache_of(test, flags[k]);

		KUNIT_EXPECT_EQ(test, kmem_cache_shrink(cache), 1);
		for (unsigned int i = 1; i < NR; i++)
			kmem_cache_free(cache, objects[i]);
		KUNIT_EXPECT_EQ(test, kmem_cache_shrink(cache), 1);
		/* The object's slab is the only one. */
		KUNIT_EXPECT_EQ(test, validate_slab_cache(cache), 1);
		kmem_cache_free(cache, objects[0]);
		KUNIT_EXPECT_EQ(test, kmem_cache_shrink(cache), 0);
		KUNIT_EXPECT_EQ(test, kmem_cache_shrink(cache), 0);
		kmem_cache_destroy(cache);
	}
}

static unsigned int nr_free(const struct page *slab)
{
	return (unsigned int)(slab->objects - slab->inuse);
}

/*
 * Each slab has one free object less than the one before, so objects would come from the
 * emptiest. After shrinking they come from the fullest.
 */
static void test_shrink_fullest_first(struct kunit *test)
{
	struct kmem_cache *cache = cache_of(test, SLAB_CONSISTENCY_CHECKS);
	struct page *fullest = NULL, *emptiest = NULL;
	unsigned int most;

	/* Objects of a fresh cache come slab by slab. */
	for (unsigned int slab = 0; slab + 1 < cache->objects; slab++)
		for (unsigned int k = 0; k < cache->objects - 1u - slab; k++) {
			unsigned int i = slab * cache->objects + k;

			if (i >= NR)
				break;
			kmem_cache_free(cache, objects[i]);
			objects[i] = NULL;
		}
	KUNIT_EXPECT_EQ(test, kmem_cache_shrink(cache), 1);
	for (unsigned int i = 0; i < NR; i++) {
		struct page *slab = objects[i] ? slab_of(cache, objects[i]) : NULL;

		if (!slab || !nr_free(slab))
			continue;
		if (!fullest || nr_free(slab) < nr_free(fullest))
			fullest = slab;
		if (!emptiest || nr_free(slab) > nr_free(emptiest))
			emptiest = slab;
	}
	KUNIT_ASSERT_NOT_NULL(test, fullest);
	most = nr_free(emptiest);
	KUNIT_ASSERT_LT(test, nr_free(fullest), most);
	for (unsigned int i = 0; i < NR && nr_free(fullest); i++) {
		if (objects[i])
			continue;
		objects[i] = kmem_cache_alloc(cache, GFP_KERNEL);
		KUNIT_EXPECT_PTR_EQ(test, slab_of(cache, objects[i]), fullest);
	}
	KUNIT_EXPECT_EQ(test, nr_free(emptiest), most);
	for (unsigned int i = 0; i < NR; i++)
		if (objects[i])
			kmem_cache_free(cache, objects[i]);
	KUNIT_EXPECT_EQ(test, kmem_cache_shrink(cache), 0);
	kmem_cache_destroy(cache);
}

static void churn(struct test_thread *thread)
{
	struct kmem_cache *cache = thread->arg;
	void *mine[60];

	for (unsigned int round = 0; round < TEST_STEPS(1500u); round++) {
		if (thread->index == 0 && round % 16 == 0)
			kmem_cache_shrink(cache);
		if (kmem_cache_alloc_bulk(cache, GFP_KERNEL, 60, mine) == 60)
			kmem_cache_free_bulk(cache, 60, mine);
	}
}

/* While other threads allocate and free; the objects on their CPUs are found. */
static void test_shrink_under_use(struct kunit *test)
{
	struct kmem_cache *cache = kmem_cache_create("shrunk", 200, 0, 0, NULL);

	KUNIT_ASSERT_NOT_NULL(test, cache);
	test_threads_run(test, 4, churn, cache);
	if (percpu_can_stop()) {
		KUNIT_EXPECT_EQ(test, kmem_cache_shrink(cache), 0);
		KUNIT_EXPECT_EQ(test, slab_cached_objects(cache), 0);
	}
	kmem_cache_destroy(cache);
}

static bool trimming_ends;

static void create_and_trim(struct test_thread *thread)
{
	void *mine[200];

	while (thread->index == 0 && !atomic_load_relaxed(&trimming_ends))
		usermm_trim(0);
	for (unsigned int round = 0; thread->index && round < TEST_STEPS(4000u); round++) {
		struct kmem_cache *cache = kmem_cache_create("short", 64, 0, 0, NULL);

		KUNIT_ASSERT_NOT_NULL(thread->test, cache);
		for (unsigned int i = 0; i < ARRAY_SIZE(mine); i++)
			mine[i] = kmem_cache_alloc(cache, GFP_KERNEL);
		for (unsigned int i = 0; i < ARRAY_SIZE(mine); i++)
			kmem_cache_free(cache, mine[i]);
		kmem_cache_destroy(cache);
	}
	atomic_store_relaxed(&trimming_ends, true);
}

static void run_create_and_trim(struct kunit *test, void *unused)
{
	(void)unused;
	test_threads_run(test, 2, create_and_trim, NULL);
}

/* All caches' sheaves are emptied while one of them is destroyed: nothing is found left. */
static void test_shrink_all_beside_destroy(struct kunit *test)
{
	struct child_result *result = calloc(1, sizeof(*result));

	KUNIT_ASSERT_NOT_NULL(test, result);
	child_run(test, run_create_and_trim, NULL, result);
	KUNIT_EXPECT_EQ(test, result->status, 0);
	KUNIT_EXPECT_STREQ(test, result->err, "");
	free(result);
}

static struct kunit_case shrink_cases[] = {
	KUNIT_CASE(test_shrink_says_whether_any_is_left),
	KUNIT_CASE(test_shrink_fullest_first),
	KUNIT_CASE(test_shrink_under_use),
	KUNIT_CASE(test_shrink_all_beside_destroy),
	{ 0 },
};

static struct kunit_suite shrink_suite = { .name = "slab_shrink", .test_cases = shrink_cases };

kunit_test_suite(shrink_suite);
