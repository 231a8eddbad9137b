// SPDX-License-Identifier: MIT
/* kmem_cache_alloc_bulk(), kmem_cache_free_bulk(), kfree_bulk(). */
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../conformance.h"

enum { MANY = 1500, SIZE = 72 };

static void *objects[MANY];

static struct kmem_cache *cache_of(struct kunit *test, unsigned int size)
{
	struct kmem_cache *cache = kmem_cache_create("conformance_bulk", size, 0, SLAB_NO_MERGE,
						     NULL);

	KUNIT_ASSERT_NOT_NULL(test, cache);
	return cache;
}

/* All are different, and each is the owner's: what is written to one stays. */
static void expect_apart(struct kunit *test, size_t n, size_t size)
{
	for (size_t i = 0; i < n; i++) {
		KUNIT_ASSERT_NOT_NULL(test, objects[i]);
		memset(objects[i], (int)(u8)(i * 13 + 1), size);
	}
	for (size_t i = 0; i < n; i++)
		KUNIT_EXPECT_NULL(test, memchr_inv(objects[i], (int)(u8)(i * 13 + 1), size));
}

/* n objects for n asked for, from none to several slabs. */
static void every_number(struct kunit *test)
{
	struct kmem_cache *cache = cache_of(test, SIZE);

	for (size_t n = 0; n <= MANY; n += 1 + n / 6) {
		KUNIT_EXPECT_EQ(test, kmem_cache_alloc_bulk(cache, GFP_KERNEL, n, objects),
				BULK_RESULT(n));
		expect_apart(test, n, SIZE);
		kmem_cache_free_bulk(cache, n, objects);
		KUNIT_EXPECT_EQ(test, kmem_cache_shrink(cache), 0);
	}
	kmem_cache_destroy(cache);
}

/* Sizes whose slabs hold many objects, few, or one. */
static void every_size(struct kunit *test)
{
	for (unsigned int size = 8; size <= 4 * PAGE_SIZE; size += size) {
		struct kmem_cache *cache = cache_of(test, size);

		KUNIT_EXPECT_EQ(test, kmem_cache_alloc_bulk(cache, GFP_KERNEL, 100, objects),
				BULK_RESULT(100));
		expect_apart(test, 100, size);
		kmem_cache_free_bulk(cache, 100, objects);
		KUNIT_EXPECT_EQ(test, kmem_cache_shrink(cache), 0);
		kmem_cache_destroy(cache);
	}
}

/* None asked for: nothing is allocated, and nothing is written to the array. */
static void none(struct kunit *test)
{
	struct kmem_cache *cache = cache_of(test, SIZE);

	objects[0] = &objects[0];
	KUNIT_EXPECT_EQ(test, kmem_cache_alloc_bulk(cache, GFP_KERNEL, 0, objects), BULK_RESULT(0));
	KUNIT_EXPECT_PTR_EQ(test, objects[0], (void *)&objects[0]);
	kmem_cache_free_bulk(cache, 0, objects);
	kmem_cache_free_bulk(NULL, 0, NULL);
	KUNIT_EXPECT_EQ(test, kmem_cache_shrink(cache), 0);
	kmem_cache_destroy(cache);
}

/* __GFP_ZERO clears each of them, whoever had them before. */
static void zeroed(struct kunit *test)
{
	struct kmem_cache *cache = cache_of(test, SIZE);

	for (size_t n = 1; n <= MANY; n *= 3) {
		KUNIT_ASSERT_EQ(test, kmem_cache_alloc_bulk(cache, GFP_KERNEL, n, objects),
				BULK_RESULT(n));
		expect_apart(test, n, SIZE);
		kmem_cache_free_bulk(cache, n, objects);
		KUNIT_ASSERT_EQ(test, kmem_cache_alloc_bulk(cache, GFP_KERNEL | __GFP_ZERO, n,
							    objects), BULK_RESULT(n));
		for (size_t i = 0; i < n; i++)
			KUNIT_EXPECT_NULL(test, memchr_inv(objects[i], 0, SIZE));
		kmem_cache_free_bulk(cache, n, objects);
	}
	kmem_cache_destroy(cache);
}

/* What the array held before does not matter. */
static void array_is_only_written(struct kunit *test)
{
	struct kmem_cache *cache = cache_of(test, SIZE);

	for (size_t i = 0; i < 300; i++)
		objects[i] = (void *)(i * 0x1001);
	KUNIT_EXPECT_EQ(test, kmem_cache_alloc_bulk(cache, GFP_ATOMIC, 300, objects),
			BULK_RESULT(300));
	expect_apart(test, 300, SIZE);
	kmem_cache_free_bulk(cache, 300, objects);
	kmem_cache_destroy(cache);
}

/* Bulk and single calls are of one cache: each takes what the other gave. */
static void with_single_calls(struct kunit *test)
{
	struct kmem_cache *cache = cache_of(test, SIZE);

	KUNIT_ASSERT_EQ(test, kmem_cache_alloc_bulk(cache, GFP_KERNEL, 400, objects),
			BULK_RESULT(400));
	for (size_t i = 0; i < 400; i++)
		kmem_cache_free(cache, objects[i]);
	for (size_t i = 0; i < 400; i++)
		objects[i] = kmem_cache_alloc(cache, GFP_KERNEL);
	expect_apart(test, 400, SIZE);
	kmem_cache_free_bulk(cache, 400, objects);
	KUNIT_EXPECT_EQ(test, kmem_cache_shrink(cache), 0);
	kmem_cache_destroy(cache);
}

/*
 * A request for more than there is memory for returns 0, and every object that it had already taken
 * goes back. The call does not touch objects of the largest size, so no memory is used.
 */
static void all_or_nothing(struct kunit *test)
{
	struct kmem_cache *cache = cache_of(test, KMALLOC_MAX_SIZE);
	size_t n = totalram_pages() / (KMALLOC_MAX_SIZE / PAGE_SIZE) + 2;
	void **large = kvcalloc(n, sizeof(*large), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, large);
	KUNIT_EXPECT_EQ(test, kmem_cache_alloc_bulk(cache, GFP_NOWAIT | __GFP_NOWARN, n, large),
			BULK_RESULT(0));
	KUNIT_EXPECT_EQ(test, kmem_cache_shrink(cache), 0);
	KUNIT_EXPECT_EQ(test, kmem_cache_alloc_bulk(cache, GFP_KERNEL, 2, large), BULK_RESULT(2));
	kmem_cache_free_bulk(cache, 2, large);
	kvfree(large);
	kmem_cache_destroy(cache);
}

/* Without a cache: objects of several, and large blocks, in one array. */
static void mixed_without_a_cache(struct kunit *test)
{
	struct kmem_cache *one = cache_of(test, SIZE);
	struct kmem_cache *two = kmem_cache_create("conformance_bulk2", 300, 0, SLAB_NO_MERGE,
						   NULL);
	size_t n = 0;

	KUNIT_ASSERT_NOT_NULL(test, two);
	while (n + 4 <= 400) {
		objects[n++] = kmem_cache_alloc(one, GFP_KERNEL);
		objects[n++] = kmem_cache_alloc(two, GFP_KERNEL);
		objects[n++] = kmalloc(n % 500 + 1, GFP_KERNEL);
		objects[n++] = kmalloc(3 * PAGE_SIZE, GFP_KERNEL);
	}
	for (size_t i = 0; i < n; i++)
		KUNIT_ASSERT_NOT_NULL(test, objects[i]);
	kfree_bulk(n, objects);
	KUNIT_EXPECT_EQ(test, kmem_cache_shrink(one), 0);
	KUNIT_EXPECT_EQ(test, kmem_cache_shrink(two), 0);
	kmem_cache_destroy(one);
	kmem_cache_destroy(two);
}

/* kfree_bulk() of large blocks alone drops the reference of each. */
static void large_blocks(struct kunit *test)
{
	struct page *pages[20];

	for (size_t i = 0; i < ARRAY_SIZE(pages); i++) {
		objects[i] = kmalloc(4 * PAGE_SIZE, GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, objects[i]);
		pages[i] = virt_to_page(objects[i]);
		if (LARGE_HAS_REFERENCES)
			get_page(pages[i]);
	}
	kfree_bulk(ARRAY_SIZE(pages), objects);
	for (size_t i = 0; i < ARRAY_SIZE(pages); i++) {
		KUNIT_EXPECT_EQ(test, page_count(pages[i]), LARGE_HAS_REFERENCES ? 1 : 0);
		if (LARGE_HAS_REFERENCES)
			put_page(pages[i]);
	}
}

/* In any order: objects of many slabs, shuffled. */
static void shuffled(struct kunit *test)
{
	struct kmem_cache *cache = cache_of(test, SIZE);
	u32 seed = 3;

	KUNIT_ASSERT_EQ(test, kmem_cache_alloc_bulk(cache, GFP_KERNEL, MANY, objects),
			BULK_RESULT(MANY));
	for (size_t i = MANY - 1; i; i--) {
		seed = seed * 1664525 + 1013904223;
		swap(objects[i], objects[(seed >> 8) % (i + 1)]);
	}
	kmem_cache_free_bulk(cache, MANY / 2, objects);
	for (size_t i = MANY / 2; i < MANY; i++)
		memset(objects[i], 0x6f, SIZE);
	KUNIT_ASSERT_EQ(test, kmem_cache_alloc_bulk(cache, GFP_KERNEL, MANY / 2, objects),
			BULK_RESULT(MANY / 2));
	expect_apart(test, MANY / 2, SIZE);
	for (size_t i = MANY / 2; i < MANY; i++)
		KUNIT_EXPECT_NULL(test, memchr_inv(objects[i], 0x6f, SIZE));
	kmem_cache_free_bulk(NULL, MANY, objects);
	KUNIT_EXPECT_EQ(test, kmem_cache_shrink(cache), 0);
	kmem_cache_destroy(cache);
}

static void construct(void *object)
{
	memset(object, 0x2b, SIZE);
}

/* Constructed objects come in that state, and go back in it. */
static void constructed(struct kunit *test)
{
	struct kmem_cache *cache = kmem_cache_create("conformance_bulkctor", SIZE, 0, 0, construct);

	KUNIT_ASSERT_NOT_NULL(test, cache);
	for (unsigned int round = 0; round < 3; round++) {
		KUNIT_ASSERT_EQ(test, kmem_cache_alloc_bulk(cache, GFP_KERNEL, 333, objects),
				BULK_RESULT(333));
		for (size_t i = 0; i < 333; i++)
			KUNIT_EXPECT_NULL(test, memchr_inv(objects[i], 0x2b, SIZE));
		kmem_cache_free_bulk(cache, 333, objects);
	}
	KUNIT_EXPECT_EQ(test, kmem_cache_shrink(cache), 0);
	kmem_cache_destroy(cache);
}

/* Debugging makes them one by one, and changes nothing that the caller sees. */
static void with_debugging(struct kunit *test)
{
	struct kmem_cache *cache = kmem_cache_create("conformance_bulkdebug", SIZE, 0,
						     SLAB_CONSISTENCY_CHECKS | SLAB_RED_ZONE |
						     SLAB_POISON | SLAB_STORE_USER, NULL);

	KUNIT_ASSERT_NOT_NULL(test, cache);
	for (size_t n = 1; n <= 800; n *= 3) {
		KUNIT_ASSERT_EQ(test, kmem_cache_alloc_bulk(cache, GFP_KERNEL | __GFP_ZERO, n,
							    objects), BULK_RESULT(n));
		for (size_t i = 0; i < n; i++)
			KUNIT_EXPECT_NULL(test, memchr_inv(objects[i], 0, SIZE));
		expect_apart(test, n, SIZE);
		if (n % 2)
			kmem_cache_free_bulk(cache, n, objects);
		else
			kfree_bulk(n, objects);
		KUNIT_EXPECT_EQ(test, kmem_cache_shrink(cache), 0);
	}
	kmem_cache_destroy(cache);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(every_number),
	KUNIT_CASE(every_size),
	KUNIT_CASE(none),
	KUNIT_CASE(zeroed),
	KUNIT_CASE(array_is_only_written),
	KUNIT_CASE(with_single_calls),
	KUNIT_CASE(all_or_nothing),
	KUNIT_CASE(mixed_without_a_cache),
	KUNIT_CASE(large_blocks),
	KUNIT_CASE(shuffled),
	KUNIT_CASE(constructed),
	KUNIT_CASE(with_debugging),
	{}
};

static struct kunit_suite suite = { .name = "conformance_slab_bulk", .test_cases = cases };
kunit_test_suite(suite);
MODULE_LICENSE("Dual MIT/GPL");
