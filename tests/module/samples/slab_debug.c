// SPDX-License-Identifier: MIT
/*
 * Slab debugging as kernel sources see it: the fields of a cache, merging, and errors
 * counted in "slab_errors". With mistake=1 the module makes a mistake instead, for its
 * report to be read.
 */
#include <kunit/test.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/poison.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include "../mm/slab.h"

static bool mistake;
module_param(mistake, bool, 0);

static struct kunit_resource resource;
static int slab_errors;

static void fields_of_cache(struct kunit *test)
{
	struct kmem_cache *cache = kmem_cache_create("fields", 60, 0, SLAB_RED_ZONE | SLAB_POISON |
						     SLAB_NO_USER_FLAGS, NULL);

	KUNIT_ASSERT_NOT_NULL(test, cache);
	cache->flags |= SLAB_SKIP_KFENCE;
	KUNIT_EXPECT_EQ(test, cache->object_size, 60);
	KUNIT_EXPECT_EQ(test, cache->inuse, 64);
	KUNIT_EXPECT_EQ(test, cache->offset, 64);
	KUNIT_EXPECT_EQ(test, cache->red_left_pad, 8);
	KUNIT_EXPECT_EQ(test, cache->align, 8);
	KUNIT_EXPECT_EQ(test, cache->size, 64 + 8 + 8 + 8);
	KUNIT_EXPECT_EQ(test, cache->refcount, 1);
	KUNIT_EXPECT_NULL(test, cache->ctor);
	KUNIT_EXPECT_STREQ(test, cache->name, "fields");
	KUNIT_EXPECT_TRUE(test, kmem_cache_debug_flags(cache, SLAB_POISON));
	kmem_cache_destroy(cache);
}

struct copied {
	char own[24], users[16];
};

/* Bytes for user space: in every form of creation; a window that does not fit is none. */
static void windows_for_users(struct kunit *test)
{
	struct kmem_cache_args args = { .useroffset = 24, .usersize = 16 };
	struct kmem_cache *caches[] = {
		kmem_cache_create("window", 40, &args, SLAB_NO_USER_FLAGS),
		kmem_cache_create_usercopy("window", 40, 0, SLAB_NO_USER_FLAGS, 24, 16, NULL),
		KMEM_CACHE_USERCOPY(copied, SLAB_NO_USER_FLAGS, users),
		kmem_cache_create_usercopy("beyond", 40, 0, SLAB_NO_MERGE, 25, 16, NULL),
		kmem_cache_create_usercopy("large", 40, 0, SLAB_NO_MERGE, 0, 41, NULL),
		kmem_cache_create_usercopy("none", 40, 0, SLAB_NO_MERGE, 8, 0, NULL),
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(caches); i++) {
		bool fits = i < 3;

		KUNIT_ASSERT_NOT_NULL(test, caches[i]);
		KUNIT_EXPECT_EQ(test, caches[i]->useroffset, fits ? 24 : 0);
		KUNIT_EXPECT_EQ(test, caches[i]->usersize, fits ? 16 : 0);
		KUNIT_EXPECT_EQ(test, caches[i]->refcount, 1);
		kmem_cache_destroy(caches[i]);
	}
}

static void equal_caches_are_one(struct kunit *test)
{
	struct kmem_cache *first = kmem_cache_create("first", 1112, 0, SLAB_NO_USER_FLAGS,
						      NULL);
	struct kmem_cache *second = kmem_cache_create("second", 1112, 0, SLAB_NO_USER_FLAGS,
						       NULL);
	struct kmem_cache *own = kmem_cache_create("own", 1112, 0, SLAB_NO_MERGE, NULL);

	KUNIT_EXPECT_PTR_EQ(test, first, second);
	KUNIT_EXPECT_PTR_NE(test, first, own);
	KUNIT_EXPECT_EQ(test, first->refcount, 2);
	kmem_cache_destroy(first);
	kmem_cache_free(second, kmem_cache_alloc(second, GFP_KERNEL));
	kmem_cache_destroy(second);
	kmem_cache_destroy(own);
}

static void small_objects(struct kunit *test)
{
	struct kmem_cache *cache = kmem_cache_create("small", 3, 0, SLAB_RED_ZONE |
						     SLAB_NO_USER_FLAGS, NULL);
	u8 *object = kmem_cache_zalloc(cache, GFP_KERNEL);

	KUNIT_EXPECT_EQ(test, kmem_cache_size(cache), 3);
	OPTIMIZER_HIDE_VAR(object);
	KUNIT_EXPECT_EQ(test, object[2], 0);
	KUNIT_EXPECT_EQ(test, object[3], SLUB_RED_ACTIVE);
	object[3] = 1;
	validate_slab_cache(cache);
	KUNIT_EXPECT_EQ(test, slab_errors, 2);
	kmem_cache_free(cache, object);
	kmem_cache_destroy(cache);
}

/* Bulk calls, RCU, shrinking, sensitive frees: none of these is an error. */
static void everything_in_order(struct kunit *test)
{
	struct kmem_cache *cache = kmem_cache_create("ordered", 100, 0, SLAB_CONSISTENCY_CHECKS |
						     SLAB_RED_ZONE | SLAB_POISON |
						     SLAB_STORE_USER | SLAB_KMALLOC, NULL);
	struct freed {
		struct rcu_head rcu;
	} *freed;
	void *objects[50];

	KUNIT_EXPECT_TRUE(test, kmem_cache_alloc_bulk(cache, GFP_KERNEL, 50, objects));
	kmem_cache_free_bulk(cache, 49, objects);
	kfree_sensitive(objects[49]);
	KUNIT_EXPECT_EQ(test, kmem_cache_shrink(cache), 0);
	freed = kmem_cache_alloc(cache, GFP_KERNEL);
	kfree_rcu(freed, rcu);
	objects[0] = __kmalloc_cache_noprof(cache, GFP_KERNEL, 20);
	objects[0] = krealloc(objects[0], 30, GFP_KERNEL);
	kvfree(objects[0]);
	validate_slab_cache(cache);
	kmem_cache_destroy(cache);
	KUNIT_EXPECT_EQ(test, slab_errors, 0);
}

static void content_stays_under_rcu(struct kunit *test)
{
	struct kmem_cache *cache = kmem_cache_create("typesafe", 64, 0, SLAB_TYPESAFE_BY_RCU |
						     SLAB_POISON | SLAB_RED_ZONE |
						     SLAB_CONSISTENCY_CHECKS, NULL);
	u8 *object = kmem_cache_alloc(cache, GFP_KERNEL);

	memset(object, 0x21, 64);
	kmem_cache_free(cache, object);
	OPTIMIZER_HIDE_VAR(object);
	for (int i = 0; i < 64; i++)
		KUNIT_EXPECT_EQ(test, object[i], 0x21);
	kmem_cache_shrink(cache);
	KUNIT_EXPECT_EQ(test, object[1], 0x21);
	kmem_cache_destroy(cache);
	KUNIT_EXPECT_EQ(test, slab_errors, 0);
}

static void link_where_it_is_wanted(struct kunit *test)
{
	struct kmem_cache_args args = { .freeptr_offset = 24, .use_freeptr_offset = true };
	struct kmem_cache *cache = kmem_cache_create("placed", 64, &args, SLAB_TYPESAFE_BY_RCU |
						     SLAB_NO_USER_FLAGS);

	KUNIT_ASSERT_NOT_NULL(test, cache);
	KUNIT_EXPECT_EQ(test, cache->offset, 24);
	kmem_cache_destroy(cache);
	KUNIT_EXPECT_NULL(test, kmem_cache_create("placed", 64, &args, SLAB_NO_MERGE));
	args.freeptr_offset = 64;
	KUNIT_EXPECT_NULL(test, kmem_cache_create("placed", 64, &args, SLAB_TYPESAFE_BY_RCU));
	args.freeptr_offset = 20;
	KUNIT_EXPECT_NULL(test, kmem_cache_create("placed", 64, &args, SLAB_TYPESAFE_BY_RCU));
}

static int count_errors(struct kunit *test)
{
	slab_errors = 0;
	return kunit_add_named_resource(test, NULL, NULL, &resource, "slab_errors", &slab_errors);
}

static struct kunit_case slab_debug_cases[] = {
	KUNIT_CASE(fields_of_cache),
	KUNIT_CASE(windows_for_users),
	KUNIT_CASE(equal_caches_are_one),
	KUNIT_CASE(small_objects),
	KUNIT_CASE(everything_in_order),
	KUNIT_CASE(content_stays_under_rcu),
	KUNIT_CASE(link_where_it_is_wanted),
	{}
};

static struct kunit_suite slab_debug_suite = {
	.name = "slab-debug-module",
	.init = count_errors,
	.test_cases = slab_debug_cases,
};

kunit_test_suite(slab_debug_suite);

static noinline u8 *allocates(void)
{
	return kmalloc(18, GFP_KERNEL);
}

static int __init slab_debug_init(void)
{
	u8 *object;

	if (!mistake)
		return 0;
	object = allocates();
	OPTIMIZER_HIDE_VAR(object);
	pr_info("at 5 of %px:", object);
	kmem_dump_obj(object + 5);
	object[18] = 5;
	kfree(object);
	return 0;
}

module_init(slab_debug_init);
MODULE_LICENSE("GPL");
