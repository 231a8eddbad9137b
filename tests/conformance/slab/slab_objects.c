// SPDX-License-Identifier: MIT
/* A cache's objects: zeroed ones, nodes, who may free them, shrinking and destroying. */
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../conformance_objects.h"

static void fill_and_give_back(struct kunit *test, struct kmem_cache *cache, size_t size)
{
	take(test, cache, GFP_KERNEL);
	for (unsigned int i = 0; i < OBJECTS; i++)
		memset(objects[i], 0xff, size);
	give_back(cache);
}

/* kmem_cache_zalloc(), __GFP_ZERO: each object is zero, whoever had it before. */
static void zeroed_objects(struct kunit *test)
{
	for (unsigned int size = 1; size <= 2 * PAGE_SIZE; size += 1 + size / 3) {
		struct kmem_cache *cache = kmem_cache_create("conformance_zero", size, 0,
							     SLAB_NO_MERGE, NULL);

		KUNIT_ASSERT_NOT_NULL(test, cache);
		fill_and_give_back(test, cache, size);
		take(test, cache, GFP_KERNEL | __GFP_ZERO);
		for (unsigned int i = 0; i < OBJECTS; i++)
			KUNIT_EXPECT_NULL(test, memchr_inv(objects[i], 0, size));
		give_back(cache);
		objects[0] = kmem_cache_zalloc(cache, GFP_ATOMIC);
		KUNIT_ASSERT_NOT_NULL(test, objects[0]);
		KUNIT_EXPECT_NULL(test, memchr_inv(objects[0], 0, size));
		kmem_cache_free(cache, objects[0]);
		kmem_cache_destroy(cache);
	}
}

/* kmem_cache_alloc_node(), kmem_cache_alloc_lru(): one node, no list. */
static void nodes_and_lists(struct kunit *test)
{
	struct kmem_cache *cache = kmem_cache_create("conformance_node", 88, 0, SLAB_NO_MERGE,
						     NULL);
	void *one, *two, *three;

	KUNIT_ASSERT_NOT_NULL(test, cache);
	one = kmem_cache_alloc_node(cache, GFP_KERNEL, 0);
	two = kmem_cache_alloc_node(cache, GFP_KERNEL | __GFP_ZERO, NUMA_NO_NODE);
	three = kmem_cache_alloc_lru(cache, NULL, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, one);
	KUNIT_ASSERT_NOT_NULL(test, two);
	KUNIT_ASSERT_NOT_NULL(test, three);
	KUNIT_EXPECT_NULL(test, memchr_inv(two, 0, 88));
	/* Else the compiler knows that new objects are different ones. */
	OPTIMIZER_HIDE_VAR(one);
	OPTIMIZER_HIDE_VAR(two);
	OPTIMIZER_HIDE_VAR(three);
	KUNIT_EXPECT_PTR_NE(test, one, two);
	KUNIT_EXPECT_PTR_NE(test, two, three);
	kmem_cache_free(cache, one);
	kmem_cache_free(cache, two);
	kmem_cache_free(cache, three);
	kmem_cache_destroy(cache);
}

/* kfree() finds the cache of any object. */
static void kfree_takes_any_object(struct kunit *test)
{
	struct kmem_cache *cache = kmem_cache_create("conformance_kfree", 40, 0, SLAB_NO_MERGE,
						     NULL);

	KUNIT_ASSERT_NOT_NULL(test, cache);
	take(test, cache, GFP_KERNEL);
	for (unsigned int i = 0; i < OBJECTS; i++)
		kfree(objects[i]);
	KUNIT_EXPECT_EQ(test, kmem_cache_shrink(cache), 0);
	kmem_cache_destroy(cache);
}

/* kmem_cache_shrink(): 0 if and only if no slab is left. */
static void shrinking(struct kunit *test)
{
	for (unsigned int size = 8; size <= 4 * PAGE_SIZE; size *= 4) {
		struct kmem_cache *cache = kmem_cache_create("conformance_shrink", size, 0,
							     SLAB_NO_MERGE, NULL);

		KUNIT_ASSERT_NOT_NULL(test, cache);
		KUNIT_EXPECT_EQ(test, kmem_cache_shrink(cache), 0);
		take(test, cache, GFP_KERNEL);
		for (unsigned int i = 0; i < OBJECTS; i++) {
			KUNIT_EXPECT_NE(test, kmem_cache_shrink(cache), 0);
			kmem_cache_free(cache, objects[i]);
		}
		KUNIT_EXPECT_EQ(test, kmem_cache_shrink(cache), 0);
		objects[0] = kmem_cache_alloc(cache, GFP_KERNEL);
		KUNIT_EXPECT_NOT_NULL(test, objects[0]);
		kmem_cache_free(cache, objects[0]);
		kmem_cache_destroy(cache);
	}
}

/* kmem_cache_destroy(NULL) does nothing; a name is free again after destroying. */
static void destroying(struct kunit *test)
{
	kmem_cache_destroy(NULL);
	for (unsigned int i = 0; i < 50; i++) {
		struct kmem_cache *cache = kmem_cache_create("conformance_again", 64 + i, 0,
							     SLAB_NO_MERGE, NULL);

		KUNIT_ASSERT_NOT_NULL(test, cache);
		fill_and_give_back(test, cache, 64 + i);
		kmem_cache_destroy(cache);
	}
}

/* DEFINE_FREE(kfree), DEFINE_FREE(kvfree): __free() at the end of a scope. */
static void freed_by_scope(struct kunit *test)
{
	struct kmem_cache *cache = kmem_cache_create("conformance_scope", 48, 0, SLAB_NO_MERGE,
						     NULL);

	KUNIT_ASSERT_NOT_NULL(test, cache);
	{
		void *object __free(kfree) = kmem_cache_alloc(cache, GFP_KERNEL);
		void *other __free(kvfree) = kmem_cache_alloc(cache, GFP_KERNEL);
		void *none __free(kfree) = NULL;

		KUNIT_EXPECT_NOT_NULL(test, object);
		KUNIT_EXPECT_NOT_NULL(test, other);
		KUNIT_EXPECT_NULL(test, none);
		KUNIT_EXPECT_NE(test, kmem_cache_shrink(cache), 0);
	}
	KUNIT_EXPECT_EQ(test, kmem_cache_shrink(cache), 0);
	kmem_cache_destroy(cache);
}

/* The slabs that are empty go back to the page allocator. */
static void shrinking_frees_slabs(struct kunit *test)
{
	enum { MANY = 1000 };
	struct kmem_cache *cache = kmem_cache_create("conformance_shrunk", 1000, 0,
						     SLAB_NO_MERGE, NULL);
	void **many = kvcalloc(MANY, sizeof(*many), GFP_KERNEL);
	unsigned int nr_slab = 0;

	KUNIT_ASSERT_NOT_NULL(test, cache);
	KUNIT_ASSERT_NOT_NULL(test, many);
	KUNIT_ASSERT_TRUE(test, kmem_cache_alloc_bulk(cache, GFP_KERNEL, MANY, many));
	kmem_cache_free_bulk(cache, MANY, many);
	KUNIT_EXPECT_EQ(test, kmem_cache_shrink(cache), 0);
	for (unsigned int i = 0; i < MANY; i++)
		nr_slab += PageSlab(virt_to_head_page(many[i]));
	/* Some pages may be a slab again, of another cache. */
	KUNIT_EXPECT_LT(test, nr_slab, (unsigned int)MANY / 4);
	kvfree(many);
	kmem_cache_destroy(cache);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(zeroed_objects),
	KUNIT_CASE(nodes_and_lists),
	KUNIT_CASE(kfree_takes_any_object),
	KUNIT_CASE(shrinking),
	KUNIT_CASE(shrinking_frees_slabs),
	KUNIT_CASE(destroying),
	KUNIT_CASE(freed_by_scope),
	{}
};

static struct kunit_suite suite = { .name = "conformance_slab_objects", .test_cases = cases };
kunit_test_suite(suite);
MODULE_LICENSE("Dual MIT/GPL");
