// SPDX-License-Identifier: MIT
/* Caches that are equal become one (mm/slab_common.c: find_mergeable()). */
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../conformance.h"

/* A size that no cache of the kernel's own has. */
enum { SIZE = 1160 };

static void construct(void *object)
{
	memset(object, 0x11, 16);
}

static struct kmem_cache *cache_of(struct kunit *test, const char *name, unsigned int size,
				   unsigned int align, slab_flags_t flags)
{
	struct kmem_cache *cache = kmem_cache_create(name, size, align, flags, NULL);

	KUNIT_ASSERT_NOT_NULL(test, cache);
	return cache;
}

/* Is the new cache merged with a plain cache of SIZE bytes? */
static bool merges(struct kunit *test, unsigned int size, unsigned int align, slab_flags_t flags)
{
	struct kmem_cache *plain = cache_of(test, "conformance_plain", SIZE, 0, 0);
	struct kmem_cache *other = cache_of(test, "conformance_other", size, align, flags);
	bool same = plain == other;

	kmem_cache_destroy(other);
	kmem_cache_destroy(plain);
	return same;
}

/* The same size and flags: the second call returns the first one's cache. */
static void equal_ones(struct kunit *test)
{
	KUNIT_EXPECT_TRUE(test, merges(test, SIZE, 0, 0));
	KUNIT_EXPECT_TRUE(test, merges(test, SIZE, 8, 0));
	KUNIT_EXPECT_TRUE(test, merges(test, SIZE, 0, SLAB_PANIC));
}

/* Smaller by less than a word, or more: aligned to a word it has to be the same. */
static void sizes(struct kunit *test)
{
	for (unsigned int less = 0; less < 24; less++)
		KUNIT_EXPECT_EQ_MSG(test, merges(test, SIZE - less, 0, 0), less < 8,
				    "%u bytes less", less);
	for (unsigned int more = 1; more < 24; more++)
		KUNIT_EXPECT_FALSE(test, merges(test, SIZE + more, 0, 0));
}

/* The distance of objects has to be a multiple of the alignment that is asked for. */
static void alignments(struct kunit *test)
{
	for (unsigned int align = 8; align <= 1024; align *= 2)
		KUNIT_EXPECT_EQ_MSG(test, merges(test, SIZE, align, 0), SIZE % align == 0,
				    "align %u", align);
	KUNIT_EXPECT_FALSE(test, merges(test, SIZE, 0, SLAB_HWCACHE_ALIGN));
}

/* Accounting and placement have to be the same; some flags forbid it. */
static void flags(struct kunit *test)
{
	static const slab_flags_t apart[] = {
		SLAB_NO_MERGE, SLAB_TYPESAFE_BY_RCU, SLAB_NOLEAKTRACE, SLAB_RECLAIM_ACCOUNT,
		SLAB_CACHE_DMA, SLAB_CACHE_DMA32,
	};
	struct kmem_cache *one, *two;

	for (unsigned int i = 0; i < ARRAY_SIZE(apart); i++)
		KUNIT_EXPECT_FALSE_MSG(test, merges(test, SIZE, 0, apart[i]), "flag %u", i);
	one = cache_of(test, "conformance_recl1", SIZE, 0, SLAB_RECLAIM_ACCOUNT);
	two = cache_of(test, "conformance_recl2", SIZE, 0, SLAB_RECLAIM_ACCOUNT);
	KUNIT_EXPECT_PTR_EQ(test, one, two);
	kmem_cache_destroy(one);
	kmem_cache_destroy(two);
}

/* A cache with a constructor is nobody else's, and does not take another's place. */
static void constructors(struct kunit *test)
{
	struct kmem_cache *built = kmem_cache_create("conformance_built", SIZE, 0, 0, construct);
	struct kmem_cache *again = kmem_cache_create("conformance_again", SIZE, 0, 0, construct);
	struct kmem_cache *plain = cache_of(test, "conformance_plain", SIZE, 0, 0);

	KUNIT_ASSERT_NOT_NULL(test, built);
	KUNIT_ASSERT_NOT_NULL(test, again);
	KUNIT_EXPECT_PTR_NE(test, built, again);
	KUNIT_EXPECT_PTR_NE(test, built, plain);
	kmem_cache_destroy(built);
	kmem_cache_destroy(again);
	kmem_cache_destroy(plain);
}

/* kmem_cache_size() is the largest one's, and so much is cleared. */
static void size_of_the_largest(struct kunit *test)
{
	struct kmem_cache *small = cache_of(test, "conformance_small", SIZE - 5, 0, 0);
	struct kmem_cache *large = cache_of(test, "conformance_large", SIZE, 0, 0);
	u8 *object;

	KUNIT_EXPECT_PTR_EQ(test, small, large);
	KUNIT_EXPECT_EQ(test, kmem_cache_size(small), (unsigned int)SIZE);
	object = kmem_cache_alloc(large, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, object);
	memset(object, 0xff, SIZE);
	kmem_cache_free(large, object);
	object = kmem_cache_zalloc(small, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, object);
	OPTIMIZER_HIDE_VAR(object);
	KUNIT_EXPECT_NULL(test, memchr_inv(object, 0, SIZE - 5));
	kmem_cache_free(small, object);
	kmem_cache_destroy(small);
	kmem_cache_destroy(large);
}

/* kmem_cache_destroy() of one: the others, and their objects, live on. */
static void destroying_one(struct kunit *test)
{
	struct kmem_cache *caches[4];
	u8 *object;

	for (unsigned int i = 0; i < ARRAY_SIZE(caches); i++)
		caches[i] = cache_of(test, "conformance_many", SIZE, 0, 0);
	object = kmem_cache_alloc(caches[3], GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, object);
	memset(object, 0x35, SIZE);
	for (unsigned int i = 0; i < ARRAY_SIZE(caches) - 1; i++) {
		void *other = kmem_cache_alloc(caches[i], GFP_KERNEL);

		KUNIT_EXPECT_NOT_NULL(test, other);
		kmem_cache_free(caches[i], other);
		kmem_cache_destroy(caches[i]);
	}
	OPTIMIZER_HIDE_VAR(object);
	KUNIT_EXPECT_NULL(test, memchr_inv(object, 0x35, SIZE));
	kmem_cache_free(caches[3], object);
	KUNIT_EXPECT_EQ(test, kmem_cache_shrink(caches[3]), 0);
	kmem_cache_destroy(caches[3]);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(equal_ones),
	KUNIT_CASE(sizes),
	KUNIT_CASE(alignments),
	KUNIT_CASE(flags),
	KUNIT_CASE(constructors),
	KUNIT_CASE(size_of_the_largest),
	KUNIT_CASE(destroying_one),
	{}
};

static struct kunit_suite suite = { .name = "conformance_slab_merge", .test_cases = cases };
kunit_test_suite(suite);
MODULE_LICENSE("Dual MIT/GPL");
