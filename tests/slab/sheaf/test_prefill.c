/* SPDX-License-Identifier: MIT */
/* Prefilled sheaves, and kmalloc_nolock(). */
#include <errno.h>

#include "slab/cache.h"
#include "slab/small_slab.h"
#include "support/child.h"
#include "support/kernel.h"
#include "support/pages.h"
#include "support/shadow.h"
#include "usermm/fault.h"

#define ALL_DEBUG (SLAB_CONSISTENCY_CHECKS | SLAB_RED_ZONE | SLAB_POISON | SLAB_STORE_USER)
#define GFP_QUIET (GFP_KERNEL | __GFP_NOWARN)

static const slab_flags_t kinds[] = { 0, ALL_DEBUG };

static void describe_kind(const slab_flags_t *flags, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s", *flags ? "debug" : "plain");
}

KUNIT_ARRAY_PARAM(kind, kinds, describe_kind);

static struct kmem_cache *cache_for(struct kunit *test, unsigned int size)
{
	const slab_flags_t *flags = test->param_value;
	struct kmem_cache *cache = kmem_cache_create("prefill", size, 0, flags ? *flags : 0, NULL);

	KUNIT_ASSERT_NOT_NULL(test, cache);
	return cache;
}

static void finish(struct kunit *test, struct kmem_cache *cache)
{
	KUNIT_EXPECT_EQ(test, kmem_cache_shrink(cache), 0);
	kmem_cache_destroy(cache);
}

/* The sheaf gives as many objects as were asked for, all different, and then none. */
static void test_prefill_gives_what_it_has(struct kunit *test)
{
	static void *objects[3000];

	for (unsigned int size = 0; size <= 3000; size += 1 + 2 * size) {
		struct kmem_cache *cache = cache_for(test, 80);
		struct slab_sheaf *sheaf = kmem_cache_prefill_sheaf(cache, GFP_KERNEL, size);
		struct shadow shadow;
		unsigned int nr = 0;

		KUNIT_ASSERT_NOT_NULL(test, sheaf);
		KUNIT_ASSERT_TRUE(test, shadow_init(&shadow, SHADOW_GRANULE_SHIFT, 6000));
		KUNIT_EXPECT_EQ(test, kmem_cache_sheaf_size(sheaf), size);
		while (nr < size) {
			objects[nr] = kmem_cache_alloc_from_sheaf(cache, GFP_NOWAIT, sheaf);
			KUNIT_ASSERT_NOT_NULL(test, objects[nr]);
			KUNIT_ASSERT_EQ(test, shadow_claim(&shadow, objects[nr], 80), 0);
			memset(objects[nr++], 0x31, 80);
			KUNIT_EXPECT_EQ(test, kmem_cache_sheaf_size(sheaf), size - nr);
		}
		KUNIT_EXPECT_NULL(test, kmem_cache_alloc_from_sheaf(cache, GFP_KERNEL, sheaf));
		kmem_cache_free_bulk(cache, nr, objects);
		kmem_cache_return_sheaf(cache, GFP_KERNEL, sheaf);
		finish(test, cache);
		shadow_destroy(&shadow);
	}
}

/* The remaining objects go back with the sheaf. */
static void test_prefill_returned_full(struct kunit *test)
{
	struct kmem_cache *cache = cache_for(test, 200);
	struct slab_sheaf *sheaf = kmem_cache_prefill_sheaf(cache, GFP_KERNEL, 500);
	void *object;

	KUNIT_ASSERT_NOT_NULL(test, sheaf);
	object = kmem_cache_alloc_from_sheaf(cache, GFP_NOWAIT, sheaf);
	KUNIT_EXPECT_EQ(test, kmem_cache_shrink(cache), 1);
	kmem_cache_return_sheaf(cache, GFP_NOWAIT, sheaf);
	kmem_cache_free(cache, object);
	finish(test, cache);
}

static void test_prefill_zero(struct kunit *test)
{
	struct kmem_cache *cache = cache_for(test, 120);
	struct slab_sheaf *sheaf = kmem_cache_prefill_sheaf(cache, GFP_KERNEL, 60);
	void *objects[60];

	KUNIT_ASSERT_NOT_NULL(test, sheaf);
	for (unsigned int round = 0; round < 2; round++) {
		for (unsigned int i = 0; i < 60; i++) {
			gfp_t gfp = i % 2 ? GFP_NOWAIT | __GFP_ZERO : GFP_NOWAIT;

			objects[i] = kmem_cache_alloc_from_sheaf(cache, gfp, sheaf);
			KUNIT_ASSERT_NOT_NULL(test, objects[i]);
			if (i % 2)
				KUNIT_EXPECT_TRUE(test, shadow_all_bytes(objects[i], 120, 0));
			memset(objects[i], 0x77, 120);
		}
		kmem_cache_free_bulk(cache, 60, objects);
		KUNIT_EXPECT_EQ(test, kmem_cache_refill_sheaf(cache, GFP_KERNEL, &sheaf, 60), 0);
	}
	kmem_cache_return_sheaf(cache, GFP_KERNEL, sheaf);
	finish(test, cache);
}

static void test_prefill_refill(struct kunit *test)
{
	struct kmem_cache *cache = cache_for(test, 64);
	struct slab_sheaf *sheaf = kmem_cache_prefill_sheaf(cache, GFP_KERNEL, 10), *none = NULL;
	struct slab_sheaf *before = sheaf;
	void *objects[7];

	KUNIT_ASSERT_NOT_NULL(test, sheaf);
	KUNIT_EXPECT_EQ(test, kmem_cache_refill_sheaf(cache, GFP_KERNEL, NULL, 3), -EINVAL);
	KUNIT_EXPECT_EQ(test, kmem_cache_refill_sheaf(cache, GFP_KERNEL, &none, 3), -EINVAL);
	for (unsigned int i = 0; i < 7; i++)
		objects[i] = kmem_cache_alloc_from_sheaf(cache, GFP_NOWAIT, sheaf);
	/* The sheaf has enough; then it has not; then it is too small. */
	KUNIT_EXPECT_EQ(test, kmem_cache_refill_sheaf(cache, GFP_KERNEL, &sheaf, 3), 0);
	KUNIT_EXPECT_EQ(test, kmem_cache_sheaf_size(sheaf), 3);
	KUNIT_EXPECT_EQ(test, kmem_cache_refill_sheaf(cache, GFP_KERNEL, &sheaf, 8), 0);
	KUNIT_EXPECT_EQ(test, kmem_cache_sheaf_size(sheaf), 8);
	KUNIT_EXPECT_PTR_EQ(test, sheaf, before);
	KUNIT_EXPECT_EQ(test, kmem_cache_refill_sheaf(cache, GFP_KERNEL, &sheaf, 400), 0);
	KUNIT_EXPECT_EQ(test, kmem_cache_sheaf_size(sheaf), 400);
	kmem_cache_return_sheaf(cache, GFP_KERNEL, sheaf);
	kmem_cache_free_bulk(cache, 7, objects);
	finish(test, cache);
}

/* A cache that was made for sheaves of some capacity has them filled to it. */
static void test_prefill_capacity(struct kunit *test)
{
	const struct slab_cache_request request = {
		.name = "capacity", .size = 64, .sheaf_capacity = 24,
	};
	struct kmem_cache *cache = slab_cache_create(&request);
	struct slab_sheaf *sheaf, *larger;

	KUNIT_ASSERT_NOT_NULL(test, cache);
	sheaf = kmem_cache_prefill_sheaf(cache, GFP_KERNEL, 5);
	KUNIT_ASSERT_NOT_NULL(test, sheaf);
	KUNIT_EXPECT_EQ(test, kmem_cache_sheaf_size(sheaf), 24);
	larger = kmem_cache_prefill_sheaf(cache, GFP_KERNEL, 25);
	KUNIT_ASSERT_NOT_NULL(test, larger);
	KUNIT_EXPECT_EQ(test, kmem_cache_sheaf_size(larger), 25);
	for (unsigned int i = 0; i < 20; i++)
		kmem_cache_free(cache, kmem_cache_alloc_from_sheaf(cache, GFP_NOWAIT, sheaf));
	KUNIT_EXPECT_EQ(test, kmem_cache_refill_sheaf(cache, GFP_KERNEL, &sheaf, 5), 0);
	KUNIT_EXPECT_EQ(test, kmem_cache_sheaf_size(sheaf), 24);
	kmem_cache_return_sheaf(cache, GFP_KERNEL, sheaf);
	kmem_cache_return_sheaf(cache, GFP_KERNEL, larger);
	finish(test, cache);
}

/*
 * Without memory there is no new sheaf and no refill, but a sheaf gives the objects that it has,
 * also with fault injection.
 */
static void test_prefill_without_memory(struct kunit *test)
{
	struct kmem_cache *cache = cache_for(test, 700);
	struct slab_sheaf *sheaf = kmem_cache_prefill_sheaf(cache, GFP_KERNEL, 50);
	struct slab_sheaf *before = sheaf;
	void *objects[50];

	KUNIT_ASSERT_NOT_NULL(test, sheaf);
	KUNIT_EXPECT_NULL(test, kmem_cache_prefill_sheaf(cache, GFP_QUIET, 40000));
	KUNIT_EXPECT_EQ(test, kmem_cache_refill_sheaf(cache, GFP_QUIET, &sheaf, 40000), -ENOMEM);
	KUNIT_EXPECT_PTR_EQ(test, sheaf, before);
	KUNIT_EXPECT_EQ(test, kmem_cache_sheaf_size(sheaf), 50);
	for (unsigned int i = 0; i < 50; i++) {
		usermm_fail_nth(1);
		objects[i] = kmem_cache_alloc_from_sheaf(cache, GFP_NOWAIT, sheaf);
		KUNIT_EXPECT_NOT_NULL(test, objects[i]);
		KUNIT_EXPECT_EQ(test, usermm_fail_nth(0), 1);
	}
	kmem_cache_free_bulk(cache, 50, objects);
	kmem_cache_return_sheaf(cache, GFP_KERNEL, sheaf);
	finish(test, cache);
}

/* --- Mistakes --------------------------------------------------------------------------- */

static void free_object(struct kunit *test, void *arg)
{
	(void)test;
	kfree(arg);
}

static void use_with_other_cache(struct kunit *test, void *arg)
{
	kmem_cache_return_sheaf(cache_for(test, 64), GFP_KERNEL, arg);
}

/* An object that is still in the sheaf is free: freeing it is a second free. */
static void test_prefill_mistakes(struct kunit *test)
{
	struct kmem_cache *cache = kmem_cache_create("prefill", 64, 0, 0, NULL);
	struct slab_sheaf *sheaf;
	char *slab;

	KUNIT_ASSERT_NOT_NULL(test, cache);
	sheaf = kmem_cache_prefill_sheaf(cache, GFP_KERNEL, cache->objects);
	KUNIT_ASSERT_NOT_NULL(test, sheaf);
	slab = kmem_cache_alloc_from_sheaf(cache, GFP_NOWAIT, sheaf);
	kmem_cache_free(cache, slab);
	slab = page_address(slab_of(cache, slab));
	for (unsigned int i = 0; i < cache->objects; i += 9)
		CHILD_EXPECT_DEATH(test, free_object, slab + i * cache->size, "usermm: ",
				   child_hex(slab + i * cache->size));
	CHILD_EXPECT_DEATH(test, use_with_other_cache, sheaf, "usermm: kmem_cache_return_sheaf",
			   "prefill");
	kmem_cache_return_sheaf(cache, GFP_KERNEL, sheaf);
	finish(test, cache);
}

/* --- kmalloc_nolock() ---------------------------------------------------------------------- */

static void test_nolock(struct kunit *test)
{
	KUNIT_EXPECT_PTR_EQ(test, kmalloc_nolock(0, 0, -1), ZERO_SIZE_PTR);
	KUNIT_EXPECT_NULL(test, kmalloc_nolock(KMALLOC_MAX_CACHE_SIZE + 1, 0, -1));
	KUNIT_EXPECT_NULL(test, kmalloc_nolock(KMALLOC_MAX_SIZE, 0, -1));
	for (size_t size = 1; size <= KMALLOC_MAX_CACHE_SIZE; size += 1 + size / 3) {
		void *object = kmalloc_nolock(size, __GFP_ZERO, -1);

		KUNIT_ASSERT_NOT_NULL(test, object);
		KUNIT_EXPECT_EQ(test, ksize(object), kmalloc_size_roundup(size));
		KUNIT_EXPECT_TRUE(test, shadow_all_bytes(object, size, 0));
		memset(object, 0x44, size);
		kfree_nolock(object);
	}
	kfree_nolock(NULL);
	kfree_nolock(ZERO_SIZE_PTR);
}

static struct kunit_case prefill_cases[] = {
	KUNIT_CASE_PARAM(test_prefill_gives_what_it_has, kind_gen_params),
	KUNIT_CASE_PARAM(test_prefill_returned_full, kind_gen_params),
	KUNIT_CASE_PARAM(test_prefill_zero, kind_gen_params),
	KUNIT_CASE_PARAM(test_prefill_refill, kind_gen_params),
	KUNIT_CASE(test_prefill_capacity),
	KUNIT_CASE_PARAM(test_prefill_without_memory, kind_gen_params),
	KUNIT_CASE(test_prefill_mistakes),
	KUNIT_CASE(test_nolock),
	{ 0 },
};

static struct kunit_suite prefill_suite = {
	.name = "slab_prefill",
	.suite_init = test_set_small_budget,
	.test_cases = prefill_cases,
};

kunit_test_suite(prefill_suite);
