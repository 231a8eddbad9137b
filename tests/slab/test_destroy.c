/* SPDX-License-Identifier: MIT */
/* Caches that are destroyed with all of their objects. */
#include <errno.h>

#include "support/child.h"
#include "support/kernel.h"

/* Small objects, objects with marks in the table, and objects of several pages. */
static const unsigned int sizes[] = { 16, 100, 1024, 2048, 5000, 20000 };

#define OBJECTS_BYTES (4UL << 20)

static void describe_size(const unsigned int *size, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "size %u", *size);
}

KUNIT_ARRAY_PARAM(size, sizes, describe_size);

static size_t slab_bytes_now(void)
{
	struct usermm_stats stats;

	usermm_stats_read(&stats);
	return stats.slab_bytes;
}

/* Takes objects of 4 MiB, and frees every third one. */
static void use(struct kunit *test, struct kmem_cache *cache, unsigned int size)
{
	unsigned long nr = OBJECTS_BYTES / size;
	void *last = NULL;

	for (unsigned long i = 0; i < nr; i++) {
		void *object = kmem_cache_alloc(cache, GFP_KERNEL);

		KUNIT_ASSERT_NOT_NULL(test, object);
		memset(object, 0xa5, size);
		if (i % 3 == 2)
			kmem_cache_free(cache, last);
		last = object;
	}
}

static void test_destroy_frees_objects(struct kunit *test)
{
	unsigned int size = *(const unsigned int *)test->param_value;
	struct kmem_cache *cache = kmem_cache_create("destroy", size, 0, SLAB_NO_MERGE, NULL);
	struct kmem_cache *other = kmem_cache_create("other", size, 0, SLAB_NO_MERGE, NULL);
	unsigned char *kept;
	size_t before;

	KUNIT_ASSERT_NOT_NULL(test, cache);
	KUNIT_ASSERT_NOT_NULL(test, other);
	kept = kmem_cache_alloc(other, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, kept);
	kept[size - 1] = 7;
	before = slab_bytes_now();
	use(test, cache, size);
	KUNIT_EXPECT_GT(test, slab_bytes_now(), before + OBJECTS_BYTES / 2);
	KUNIT_EXPECT_EQ(test, usermm_kmem_cache_destroy_all(cache), 0);
	/* Only the cache of caches and per-CPU memory may differ. */
	KUNIT_EXPECT_LT(test, slab_bytes_now(), before + (256UL << 10));
	KUNIT_EXPECT_EQ(test, kept[size - 1], 7);
	kmem_cache_free(other, kept);
	kmem_cache_destroy(other);
}

static void test_destroy_of_nothing(struct kunit *test)
{
	struct kmem_cache *cache = kmem_cache_create("destroy", 64, 0, 0, NULL);

	KUNIT_ASSERT_NOT_NULL(test, cache);
	KUNIT_EXPECT_EQ(test, usermm_kmem_cache_destroy_all(NULL), 0);
	KUNIT_EXPECT_EQ(test, usermm_kmem_cache_destroy_all(cache), 0);
}

/* A cache with a prefilled sheaf, full or empty, cannot be destroyed. */
static void test_destroy_with_a_prefilled_sheaf(struct kunit *test)
{
	for (unsigned int size = 0; size <= 30; size += 30) {
		struct kmem_cache *cache =
			kmem_cache_create("destroy", 64, 0, SLAB_NO_MERGE, NULL);
		struct slab_sheaf *sheaf = kmem_cache_prefill_sheaf(cache, GFP_KERNEL, size);
		void *object = kmem_cache_alloc(cache, GFP_KERNEL);

		KUNIT_ASSERT_NOT_NULL(test, sheaf);
		KUNIT_ASSERT_NOT_NULL(test, object);
		KUNIT_EXPECT_EQ(test, usermm_kmem_cache_destroy_all(cache), -EBUSY);
		/* A larger sheaf takes the first one's place. */
		KUNIT_EXPECT_EQ(test, kmem_cache_refill_sheaf(cache, GFP_KERNEL, &sheaf, 60), 0);
		KUNIT_EXPECT_EQ(test, usermm_kmem_cache_destroy_all(cache), -EBUSY);
		kmem_cache_free(cache, object);
		kmem_cache_return_sheaf(cache, GFP_KERNEL, sheaf);
		KUNIT_EXPECT_EQ(test, usermm_kmem_cache_destroy_all(cache), 0);
	}
}

static void destroy_below_a_sheaf(struct kunit *test, void *arg)
{
	struct kmem_cache *cache = kmem_cache_create("destroy", 64, 0, SLAB_NO_MERGE, NULL);
	struct slab_sheaf *sheaf = kmem_cache_prefill_sheaf(cache, GFP_KERNEL, 0);

	(void)arg;
	KUNIT_ASSERT_NOT_NULL(test, sheaf);
	kmem_cache_destroy(cache);
	/* The cache is still there for the sheaf. */
	kmem_cache_return_sheaf(cache, GFP_KERNEL, sheaf);
}

static void test_destroy_reports_a_prefilled_sheaf(struct kunit *test)
{
	CHILD_EXPECT_SUCCESS(test, destroy_below_a_sheaf, NULL,
			     "kmem_cache_destroy destroy: Slab cache still has objects");
}

/* In a child, where the options can be set. */
static void destroy_with(struct kunit *test, void *options)
{
	struct kmem_cache *cache;
	const char *error = NULL;

	KUNIT_ASSERT_EQ(test, usermm_set_options(options, &error), 0);
	cache = kmem_cache_create("destroy", 100, 0, SLAB_NO_MERGE, NULL);
	KUNIT_ASSERT_NOT_NULL(test, cache);
	use(test, cache, 100);
	KUNIT_EXPECT_EQ(test, usermm_kmem_cache_destroy_all(cache), 0);
	KUNIT_EXPECT_LT(test, slab_bytes_now(), 1UL << 20);
}

static void test_destroy_with_options(struct kunit *test)
{
	CHILD_EXPECT_SUCCESS(test, destroy_with, "slab_debug=FZPU");
	CHILD_EXPECT_SUCCESS(test, destroy_with, "slab_debug=P");
	CHILD_EXPECT_SUCCESS(test, destroy_with, "kfence_sample=50");
	CHILD_EXPECT_SUCCESS(test, destroy_with, "init_on_free=1:slab_freelist_random=on");
	CHILD_EXPECT_SUCCESS(test, destroy_with, "slab_cpu_cache=slab");
}

static void destroy_merged(struct kunit *test, void *arg)
{
	struct kmem_cache *first, *second;
	const char *error = NULL;

	KUNIT_ASSERT_EQ(test, usermm_set_options("slab_merge=on", &error), 0);
	first = kmem_cache_create("first", 100, 0, 0, arg);
	second = kmem_cache_create("second", 100, 0, 0, NULL);
	KUNIT_ASSERT_PTR_EQ(test, first, second);
	use(test, first, 100);
	KUNIT_EXPECT_EQ(test, usermm_kmem_cache_destroy_all(first), -EBUSY);
	kmem_cache_destroy(second);
	KUNIT_EXPECT_EQ(test, usermm_kmem_cache_destroy_all(first), 0);
}

static void test_destroy_of_a_shared_cache(struct kunit *test)
{
	CHILD_EXPECT_SUCCESS(test, destroy_merged, NULL);
}

/* The cases with children come first: they need a library that is not up yet. */
static struct kunit_case cases[] = {
	KUNIT_CASE(test_destroy_with_options),
	KUNIT_CASE(test_destroy_of_a_shared_cache),
	KUNIT_CASE(test_destroy_reports_a_prefilled_sheaf),
	KUNIT_CASE(test_destroy_with_a_prefilled_sheaf),
	KUNIT_CASE_PARAM(test_destroy_frees_objects, size_gen_params),
	KUNIT_CASE(test_destroy_of_nothing),
	{ 0 },
};

static struct kunit_suite suite = { .name = "slab-destroy", .test_cases = cases };

kunit_test_suite(suite);
