/* SPDX-License-Identifier: MIT */
/*
 * malloc's calls take objects of a program's own caches. If two caches were merged, the objects
 * have the larger size of the two.
 */
#include <string.h>

#include "base/options.h"
#include "malloc_core/tested.h"
#include "os/load_options.h"
#include "support/kernel.h"
#include "usermm/kmem_cache.h"

/* Both take 24 bytes of a slab; and large ones, which have their marks elsewhere. */
static const struct {
	unsigned int size, larger;
} rows[] = { { 20, 24 }, { 17, 23 }, { 1729, 1736 }, { 1730, 1731 } };

__attribute__((__constructor__)) static void switch_on(void)
{
	load_options();
	options.slab_merge = OPTION_SLAB_MERGE_ON;
}

static unsigned char *take(struct kunit *test, struct kmem_cache *cache, unsigned int size)
{
	unsigned char *object = kmem_cache_alloc(cache, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, object);
	for (unsigned int i = 0; i < size; i++)
		object[i] = (unsigned char)(i + 1);
	return object;
}

static void expect_content(struct kunit *test, const unsigned char *block, unsigned int size)
{
	KUNIT_ASSERT_NOT_NULL(test, block);
	for (unsigned int i = 0; i < size; i++)
		KUNIT_EXPECT_EQ_MSG(test, block[i], (unsigned char)(i + 1), "byte %u of %u", i,
				    size);
}

static void *resize(void *object, size_t size)
{
	return tested_realloc(object, size);
}

static void *resize_array(void *object, size_t size)
{
	return tested_reallocarray(object, 1, size);
}

static void resize_merged(struct kunit *test, void *(*fn)(void *object, size_t size),
			  unsigned int row)
{
	unsigned int size = rows[row].size, larger = rows[row].larger;
	struct kmem_cache *first, *second;
	unsigned char *object;

	first = kmem_cache_create("merged-first", size, 0, 0, NULL);
	KUNIT_ASSERT_NOT_NULL(test, first);
	object = take(test, first, size);
	KUNIT_EXPECT_EQ(test, tested_malloc_usable_size(object), size);
	kmem_cache_free(first, object);
	second = kmem_cache_create("merged-second", larger, 0, 0, NULL);
	KUNIT_ASSERT_PTR_EQ(test, first, second);
	object = take(test, second, larger);
	KUNIT_EXPECT_EQ(test, tested_malloc_usable_size(object), larger);
	object = fn(object, larger);
	expect_content(test, object, larger);
	object = fn(object, 4 * larger);
	expect_content(test, object, larger);
	tested_free(object);
	kmem_cache_destroy(second);
	kmem_cache_destroy(first);
}

static void test_merged_objects_keep_their_bytes(struct kunit *test)
{
	for (unsigned int row = 0; row < ARRAY_SIZE(rows); row++) {
		resize_merged(test, resize, row);
		resize_merged(test, resize_array, row);
	}
}

static struct kunit_case cases[] = {
	KUNIT_CASE(test_merged_objects_keep_their_bytes),
	{ 0 },
};

static struct kunit_suite suite = { .name = "malloc-merged", .test_cases = cases };

kunit_test_suite(suite);
