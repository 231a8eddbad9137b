// SPDX-License-Identifier: MIT
/*
 * Wrong calls that Linux survives: some are refused, some are reported and done all the same, some
 * are reported and not done.
 */
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../conformance_objects.h"

enum { SIZE = 72 };

static struct kmem_cache *checked_cache(struct kunit *test, const char *name)
{
	struct kmem_cache *cache = kmem_cache_create(name, SIZE, 0,
			SLAB_NO_MERGE | SLAB_CONSISTENCY_CHECKS | SLAB_STORE_USER, NULL);

	KUNIT_ASSERT_NOT_NULL(test, cache);
	return cache;
}

static void *object_of(struct kunit *test, struct kmem_cache *cache)
{
	void *object = kmem_cache_alloc(cache, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, object);
	return object;
}

/* So many objects are all different, so no object is on the list of free ones twice. */
static void expect_sound(struct kunit *test, struct kmem_cache *cache)
{
	take(test, cache, GFP_KERNEL);
	for (unsigned int i = 0; i < OBJECTS; i++)
		for (unsigned int k = 0; k < i; k++)
			KUNIT_EXPECT_PTR_NE(test, objects[i], objects[k]);
	give_back(cache);
}

/* Up to Linux 7.2 a cache needs a name that a directory can have. */
static void name_that_is_empty(struct kunit *test)
{
	struct kmem_cache *cache = kmem_cache_create("", SIZE, 0, SLAB_NO_MERGE, NULL);

	KUNIT_EXPECT_EQ(test, cache != NULL, LINUX_VERSION_CODE >= KERNEL_VERSION(7, 3, 0));
	kmem_cache_destroy(cache);
}

/* calculate_alignment(): one that is no power of two is rounded to words, and no error. */
static void odd_alignments(struct kunit *test)
{
	for (unsigned int align = 1; align <= 100; align++)
		for (unsigned int size = 8; size <= 200; size += 24) {
			struct kmem_cache *cache = kmem_cache_create("conformance_odd", size,
					align, SLAB_NO_MERGE, NULL);
			unsigned int words = max(ALIGN(align, 8), 8U);
			void *object;

			KUNIT_ASSERT_NOT_NULL_MSG(test, cache, "align %u", align);
			object = object_of(test, cache);
			KUNIT_EXPECT_EQ(test, (unsigned long)object % 8, 0UL);
			KUNIT_EXPECT_EQ_MSG(test, ksize(object),
					    (size_t)ALIGN(ALIGN(size, 8), words),
					    "size %u, align %u", size, align);
			kmem_cache_free(cache, object);
			kmem_cache_destroy(cache);
		}
}

/*
 * find_mergeable() comes first: if an equal cache serves the request, the other arguments are not
 * checked.
 */
static void served_by_an_equal_one(struct kunit *test)
{
	struct kmem_cache_args args = { .use_freeptr_offset = true, .freeptr_offset = 8 };
	struct kmem_cache *plain = kmem_cache_create("conformance_plain", 1608, 0, 0, NULL);
	struct kmem_cache *same = kmem_cache_create("conformance_same", 1608, &args, 0);

	KUNIT_ASSERT_NOT_NULL(test, plain);
	KUNIT_EXPECT_PTR_EQ(test, same, plain);
	KUNIT_EXPECT_NULL(test, kmem_cache_create("conformance_apart", 1608, &args,
						  SLAB_NO_MERGE));
	kmem_cache_destroy(same);
	kmem_cache_destroy(plain);
}

static void construct(void *object)
{
	memset(object, 0x2b, SIZE);
}

/* A constructor and __GFP_ZERO: a warning, and the object is cleared. */
static void constructed_and_cleared(struct kunit *test)
{
	struct kmem_cache *cache = kmem_cache_create("conformance_zeroed", SIZE, 0, 0, construct);

	KUNIT_ASSERT_NOT_NULL(test, cache);
	take(test, cache, GFP_KERNEL | __GFP_ZERO);
	for (unsigned int i = 0; i < OBJECTS; i++)
		KUNIT_EXPECT_NULL(test, memchr_inv(objects[i], 0, SIZE));
	give_back(cache);
	kmem_cache_destroy(cache);
}

/* free_debug_processing(): the second free is reported, and not done. */
static void freed_twice(struct kunit *test)
{
	struct kmem_cache *cache = checked_cache(test, "conformance_twice");
	void *a = object_of(test, cache), *b = object_of(test, cache);

	kmem_cache_free(cache, a);
	kmem_cache_free(cache, hidden(a));
	kmem_cache_free(cache, b);
	kmem_cache_free(cache, hidden(a));
	expect_sound(test, cache);
	kmem_cache_destroy(cache);
}

/* An address inside an object is reported; the object stays its owner's. */
static void freed_inside(struct kunit *test)
{
	struct kmem_cache *cache = checked_cache(test, "conformance_inside");
	u8 *object = object_of(test, cache);

	memset(object, 0x37, SIZE);
	for (unsigned int i = 1; i < SIZE; i += 7)
		kmem_cache_free(cache, object + i);
	expect_sound(test, cache);
	KUNIT_EXPECT_NULL(test, memchr_inv(object, 0x37, SIZE));
	kmem_cache_free(cache, object);
	kmem_cache_destroy(cache);
}

/* The object goes to the cache that it is of; since Linux 7.1 it stays in use. */
static void freed_to_another_cache(struct kunit *test)
{
	struct kmem_cache *mine = checked_cache(test, "conformance_mine");
	struct kmem_cache *other = checked_cache(test, "conformance_other");
	void *object = object_of(test, mine);

	kmem_cache_free(other, object);
	expect_sound(test, other);
	expect_sound(test, mine);
	if (LINUX_VERSION_CODE >= KERNEL_VERSION(7, 1, 0)) {
		KUNIT_EXPECT_EQ(test, kmem_cache_shrink(mine), 1);
		kmem_cache_free(mine, object);
	}
	KUNIT_EXPECT_EQ(test, kmem_cache_shrink(mine), 0);
	kmem_cache_destroy(other);
	kmem_cache_destroy(mine);
}

/* virt_to_cache(): a page that is no slab is left alone. */
static void freed_without_a_slab(struct kunit *test)
{
	struct kmem_cache *cache = checked_cache(test, "conformance_no_slab");
	void *page = (void *)__get_free_page(GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, page);
	kmem_cache_free(cache, page);
	KUNIT_EXPECT_EQ(test, page_count(virt_to_page(page)), 1);
	free_page((unsigned long)page);
	expect_sound(test, cache);
	kmem_cache_destroy(cache);
}

/*
 * free_large_kmalloc(): a single page, which kmalloc() never returns, is reported and freed; since
 * Linux 6.17 it stays.
 */
static void page_to_kfree(struct kunit *test)
{
	void *page = (void *)__get_free_page(GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, page);
	get_page(virt_to_page(page));
	kfree(hidden(page));
	if (LINUX_VERSION_CODE >= KERNEL_VERSION(6, 17, 0)) {
		KUNIT_EXPECT_EQ(test, page_count(virt_to_page(page)), 2);
		put_page(virt_to_page(page));
		free_page((unsigned long)page);
		return;
	}
	KUNIT_EXPECT_EQ(test, page_count(virt_to_page(page)), 1);
	kfree(hidden(page));
	KUNIT_EXPECT_EQ(test, page_count(virt_to_page(page)), 0);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(name_that_is_empty),
	KUNIT_CASE(odd_alignments),
	KUNIT_CASE(served_by_an_equal_one),
	KUNIT_CASE(constructed_and_cleared),
	KUNIT_CASE(freed_twice),
	KUNIT_CASE(freed_inside),
	KUNIT_CASE(freed_to_another_cache),
	KUNIT_CASE(freed_without_a_slab),
	KUNIT_CASE(page_to_kfree),
	{}
};

static struct kunit_suite suite = { .name = "conformance_slab_misuse", .test_cases = cases };
kunit_test_suite(suite);
MODULE_LICENSE("Dual MIT/GPL");
