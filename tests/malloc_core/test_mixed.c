/* SPDX-License-Identifier: MIT */
/*
 * hardened=1: malloc's calls take kmalloc()'s objects, and the other way round. This is not
 * promised, but a correct call must not be reported as a mistake, and a mistake must be reported as
 * what it is.
 */
#include <string.h>

#include "base/options.h"
#include "malloc_core/tested.h"
#include "os/load_options.h"
#include "slab/free_mark.h"
#include "support/child.h"
#include "support/kernel.h"
#include "usermm/slab.h"

__attribute__((__constructor__)) static void switch_on(void)
{
	load_options();
	options.hardened = true;
}

#define OBJECT_BYTES 64u

static void construct(void *object)
{
	memset(object, 1, OBJECT_BYTES);
}

/*
 * Objects that free_sized() has to check: with a mark behind them, or with bytes that look like
 * one.
 */
static void *take(struct kunit *test, bool constructed)
{
	unsigned long *object;

	if (constructed) {
		static struct kmem_cache *cache;

		if (!cache)
			cache = kmem_cache_create("constructed", OBJECT_BYTES, 0, 0, construct);
		KUNIT_ASSERT_NOT_NULL(test, cache);
		object = kmem_cache_alloc(cache, GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, object);
		return object;
	}
	object = kmalloc(OBJECT_BYTES, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, object);
	*object_mark(object, SLAB_MARK_OFFSET) = (uint32_t)free_mark(object);
	return object;
}

static const bool kinds[] = { true, false };

static void test_mixed_sized_frees(struct kunit *test)
{
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		tested_free_sized(take(test, kinds[i]), OBJECT_BYTES);
		tested_free_sized(take(test, kinds[i]), OBJECT_BYTES - 8);
		tested_free_aligned_sized(take(test, kinds[i]), 8, OBJECT_BYTES);
	}
}

static void free_as_larger(struct kunit *test, void *arg)
{
	tested_free_sized(take(test, *(const bool *)arg), OBJECT_BYTES + 1);
}

static void free_as_aligned(struct kunit *test, void *arg)
{
	char *object = take(test, *(const bool *)arg);

	tested_free_aligned_sized(object, 2 * ((unsigned long)object & -(unsigned long)object),
				  OBJECT_BYTES);
}

static void free_twice(struct kunit *test, void *arg)
{
	void *object = take(test, *(const bool *)arg);

	tested_free_sized(object, OBJECT_BYTES);
	tested_free_sized(object, OBJECT_BYTES);
}

static void free_inside(struct kunit *test, void *arg)
{
	tested_free_sized((char *)take(test, *(const bool *)arg) + 16, OBJECT_BYTES - 16);
}

static void test_mixed_wrong_sized_frees(struct kunit *test)
{
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		void *kind = (void *)&kinds[i];

		CHILD_EXPECT_DEATH(test, free_as_larger, kind,
				   "wrong size: the block has only 64 bytes");
		CHILD_EXPECT_DEATH(test, free_as_aligned, kind, "wrong alignment");
		CHILD_EXPECT_DEATH(test, free_twice, kind, "already free: double free");
		CHILD_EXPECT_DEATH(test, free_inside, kind, "16 bytes inside object");
	}
}

/* Moves a block of malloc's there and back; its contents stay. */
static void resize(struct kunit *test, size_t from, size_t to)
{
	char *block = tested_malloc(from), *moved;

	KUNIT_ASSERT_NOT_NULL(test, block);
	memset(block, 1, from);
	KUNIT_EXPECT_EQ(test, ksize(block), from);
	moved = krealloc(block, to, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, moved);
	for (size_t i = 0; i < min(from, to); i++)
		KUNIT_ASSERT_EQ(test, moved[i], 1);
	KUNIT_EXPECT_GE(test, ksize(moved), to);
	kfree(moved);
}

static void test_mixed_krealloc(struct kunit *test)
{
	resize(test, 100, 3000);
	resize(test, 3000, 100);
	resize(test, 1, 100);
	resize(test, 64, 64);
}

static void krealloc_freed(struct kunit *test, void *arg)
{
	void *block = tested_malloc(100);

	(void)arg;
	KUNIT_ASSERT_NOT_NULL(test, block);
	tested_free(block);
	kfree(krealloc(block, 200, GFP_KERNEL));
}

static void krealloc_overflown(struct kunit *test, void *arg)
{
	char *block = tested_malloc(100);

	(void)arg;
	KUNIT_ASSERT_NOT_NULL(test, block);
	*(volatile char *)(block + 100) = 0;
	kfree(krealloc(block, 200, GFP_KERNEL));
}

static void test_mixed_wrong_krealloc(struct kunit *test)
{
	CHILD_EXPECT_DEATH(test, krealloc_freed, NULL, "krealloc(", "already free: double free");
	CHILD_EXPECT_DEATH(test, krealloc_overflown, NULL, "krealloc(", "heap overflow");
}

static struct kunit_case cases[] = {
	KUNIT_CASE(test_mixed_sized_frees),
	KUNIT_CASE(test_mixed_wrong_sized_frees),
	KUNIT_CASE(test_mixed_krealloc),
	KUNIT_CASE(test_mixed_wrong_krealloc),
	{ 0 },
};

static struct kunit_suite suite = { .name = "malloc-mixed", .test_cases = cases };

kunit_test_suite(suite);
