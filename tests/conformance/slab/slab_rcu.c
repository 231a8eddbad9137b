// SPDX-License-Identifier: MIT
/* kfree_rcu() and its relatives: objects that go after a grace period. */
#include <linux/delay.h>
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

#include "../conformance.h"

#if LINUX_VERSION_CODE >= KERNEL_VERSION(7, 0, 0)
/* Modules cannot call it there. */
#define wait_for_kfree_rcu() LINUX_SYMBOL(kvfree_rcu_barrier)()
#else
#define wait_for_kfree_rcu() kvfree_rcu_barrier()
#endif

struct head_first {
	struct rcu_head rcu;
	u8 fill[104];
};

struct head_inside {
	u8 fill[56];
	struct rcu_head rcu;
	u8 more[48];
};

/* The furthest that kfree_rcu() takes: the offset is below 4096. */
struct head_far {
	u8 fill[4088];
	struct rcu_head rcu;
};

static struct kmem_cache *cache_of(struct kunit *test, unsigned int size)
{
	struct kmem_cache *cache = kmem_cache_create("conformance_later", size, 0, SLAB_NO_MERGE,
						     NULL);

	KUNIT_ASSERT_NOT_NULL(test, cache);
	return cache;
}

/* Every object has gone after the barrier: then the cache can be shrunk to nothing. */
static void expect_all_gone(struct kunit *test, struct kmem_cache *cache)
{
	wait_for_kfree_rcu();
	KUNIT_EXPECT_EQ(test, kmem_cache_shrink(cache), 0);
	kmem_cache_destroy(cache);
}

/* kfree_rcu(object, field), wherever the field is. */
static void after_a_grace_period(struct kunit *test)
{
	struct kmem_cache *first = cache_of(test, sizeof(struct head_first));
	struct kmem_cache *inside = kmem_cache_create("conformance_inside",
			sizeof(struct head_inside), 0, SLAB_NO_MERGE, NULL);
	struct kmem_cache *far = kmem_cache_create("conformance_far", sizeof(struct head_far), 0,
						   SLAB_NO_MERGE, NULL);

	for (unsigned int i = 0; i < 300; i++) {
		struct head_first *a = kmem_cache_alloc(first, GFP_KERNEL);
		struct head_inside *b = kmem_cache_alloc(inside, GFP_KERNEL);
		struct head_far *c = kmem_cache_alloc(far, GFP_KERNEL);

		KUNIT_ASSERT_NOT_NULL(test, a);
		KUNIT_ASSERT_NOT_NULL(test, b);
		KUNIT_ASSERT_NOT_NULL(test, c);
		kfree_rcu(a, rcu);
		kvfree_rcu(b, rcu);
		kfree_rcu(c, rcu);
	}
	expect_all_gone(test, first);
	expect_all_gone(test, inside);
	expect_all_gone(test, far);
}

/* Until the reader has finished, nobody else gets the object, and its content stays. */
static void not_before_the_reader_is_through(struct kunit *test)
{
	struct kmem_cache *cache = cache_of(test, sizeof(struct head_inside));
	struct head_inside *object = kmem_cache_alloc(cache, GFP_KERNEL);
	void *others[200];

	KUNIT_ASSERT_NOT_NULL(test, object);
	memset(object->fill, 0x3a, sizeof(object->fill));
	memset(object->more, 0x3b, sizeof(object->more));
	rcu_read_lock();
	kfree_rcu(object, rcu);
	for (unsigned int i = 0; i < ARRAY_SIZE(others); i++) {
		others[i] = kmem_cache_alloc(cache, GFP_ATOMIC);
		OPTIMIZER_HIDE_VAR(others[i]);	/* else it is known to be another */
		KUNIT_EXPECT_PTR_NE(test, others[i], (void *)object);
		if (others[i])
			memset(others[i], 0xee, sizeof(*object));
	}
	mdelay(20);
	KUNIT_EXPECT_NULL(test, memchr_inv(object->fill, 0x3a, sizeof(object->fill)));
	KUNIT_EXPECT_NULL(test, memchr_inv(object->more, 0x3b, sizeof(object->more)));
	rcu_read_unlock();
	for (unsigned int i = 0; i < ARRAY_SIZE(others); i++)
		kmem_cache_free(cache, others[i]);
	expect_all_gone(test, cache);
}

/* To a reader it is an object like any other. */
static void its_size_is_known(struct kunit *test)
{
	struct head_first *first = kmalloc(sizeof(*first), GFP_KERNEL);
	struct head_inside *inside = kmalloc(sizeof(*inside), GFP_KERNEL);
	struct head_far *far = kmalloc(sizeof(*far), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, first);
	KUNIT_ASSERT_NOT_NULL(test, inside);
	KUNIT_ASSERT_NOT_NULL(test, far);
	rcu_read_lock();
	kfree_rcu(first, rcu);
	kfree_rcu(inside, rcu);
	kfree_rcu(far, rcu);
	KUNIT_EXPECT_GE(test, ksize(first), sizeof(*first));
	KUNIT_EXPECT_GE(test, ksize(inside), sizeof(*inside));
	KUNIT_EXPECT_GE(test, ksize(far), sizeof(*far));
	rcu_read_unlock();
	wait_for_kfree_rcu();
}

/* kfree_rcu_mightsleep(), kvfree_rcu_mightsleep(): no field is needed. */
static void without_a_field(struct kunit *test)
{
	struct kmem_cache *cache = cache_of(test, 24);

	for (unsigned int i = 0; i < 5; i++) {
		u64 *object = kmem_cache_alloc(cache, GFP_KERNEL);
		u64 *other = kmem_cache_alloc(cache, GFP_KERNEL);

		KUNIT_ASSERT_NOT_NULL(test, object);
		KUNIT_ASSERT_NOT_NULL(test, other);
		kfree_rcu_mightsleep(object);
		kvfree_rcu_mightsleep(other);
	}
	expect_all_gone(test, cache);
}

/* NULL is nothing to free. */
static void of_null(struct kunit *test)
{
	struct head_inside *none = NULL;
	struct kmem_cache *cache = cache_of(test, 64);

	OPTIMIZER_HIDE_VAR(none);
	kfree_rcu(none, rcu);
	kvfree_rcu(none, rcu);
	kfree_rcu_mightsleep(none);
	kvfree_rcu_mightsleep(none);
	expect_all_gone(test, cache);
}

/* kvfree_rcu() takes what vmalloc() and large kmalloc() made. */
static void of_large_memory(struct kunit *test)
{
	struct head_inside *area = vmalloc(5 * PAGE_SIZE);
	struct head_inside *block = kmalloc(4 * PAGE_SIZE, GFP_KERNEL);
	struct page *page;

	KUNIT_ASSERT_NOT_NULL(test, area);
	KUNIT_ASSERT_NOT_NULL(test, block);
	page = virt_to_page(block);
	if (LARGE_HAS_REFERENCES)
		get_page(page);
	kvfree_rcu(area, rcu);
	kvfree_rcu(block, rcu);
	wait_for_kfree_rcu();
	KUNIT_EXPECT_FALSE(test, is_vmalloc_addr(area) && vmalloc_to_page(area));
	KUNIT_EXPECT_EQ(test, page_count(page), LARGE_HAS_REFERENCES ? 1 : 0);
	if (LARGE_HAS_REFERENCES)
		put_page(page);
}

struct counted {
	struct rcu_head rcu;
	struct kmem_cache *cache;
};

static unsigned int nr_called;

static void free_counted(struct rcu_head *head)
{
	struct counted *object = container_of(head, struct counted, rcu);

	nr_called++;
	kmem_cache_free(object->cache, object);
}

/* call_rcu() with a function that frees; rcu_barrier() waits for all of them. */
static void by_a_callback(struct kunit *test)
{
	struct kmem_cache *cache = cache_of(test, sizeof(struct counted));

	nr_called = 0;
	for (unsigned int i = 0; i < 500; i++) {
		struct counted *object = kmem_cache_alloc(cache, GFP_KERNEL);

		KUNIT_ASSERT_NOT_NULL(test, object);
		object->cache = cache;
		call_rcu(&object->rcu, free_counted);
	}
	rcu_barrier();
	KUNIT_EXPECT_EQ(test, nr_called, 500U);
	expect_all_gone(test, cache);
}

/* A callback does not run while the reader that it was queued in is inside. */
static void callback_waits_for_readers(struct kunit *test)
{
	struct kmem_cache *cache = cache_of(test, sizeof(struct counted));
	struct counted *object = kmem_cache_alloc(cache, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, object);
	nr_called = 0;
	object->cache = cache;
	rcu_read_lock();
	call_rcu(&object->rcu, free_counted);
	mdelay(20);
	KUNIT_EXPECT_EQ(test, READ_ONCE(nr_called), 0U);
	rcu_read_unlock();
	rcu_barrier();
	KUNIT_EXPECT_EQ(test, READ_ONCE(nr_called), 1U);
	expect_all_gone(test, cache);
}

/* synchronize_rcu(), then free at once. */
static void after_waiting(struct kunit *test)
{
	struct kmem_cache *cache = cache_of(test, 200);
	void *objects[50];

	KUNIT_ASSERT_TRUE(test, kmem_cache_alloc_bulk(cache, GFP_KERNEL, 50, objects));
	synchronize_rcu();
	kfree_bulk(50, objects);
	expect_all_gone(test, cache);
}

/* A type-stable cache: objects by kfree_rcu(), slabs by the cache, both in order. */
static void of_type_stable_memory(struct kunit *test)
{
	struct kmem_cache *cache = kmem_cache_create("conformance_stable",
			sizeof(struct head_inside), 0, SLAB_TYPESAFE_BY_RCU, NULL);

	KUNIT_ASSERT_NOT_NULL(test, cache);
	for (unsigned int i = 0; i < 200; i++) {
		struct head_inside *object = kmem_cache_alloc(cache, GFP_KERNEL);

		KUNIT_ASSERT_NOT_NULL(test, object);
		kfree_rcu(object, rcu);
	}
	expect_all_gone(test, cache);
}

/* Slabs that nobody can read any more go back to the page allocator. */
static void type_stable_slabs_go_back(struct kunit *test)
{
	enum { OBJECTS = 1000 };
	struct kmem_cache *cache = kmem_cache_create("conformance_stable2", 1000, 0,
						     SLAB_TYPESAFE_BY_RCU, NULL);
	void **objects = kvcalloc(OBJECTS, sizeof(*objects), GFP_KERNEL);
	unsigned int nr_slab = 0;

	KUNIT_ASSERT_NOT_NULL(test, cache);
	KUNIT_ASSERT_NOT_NULL(test, objects);
	KUNIT_ASSERT_TRUE(test, kmem_cache_alloc_bulk(cache, GFP_KERNEL, OBJECTS, objects));
	kmem_cache_free_bulk(cache, OBJECTS, objects);
	kmem_cache_shrink(cache);
	rcu_barrier();
	for (unsigned int i = 0; i < OBJECTS; i++)
		nr_slab += PageSlab(virt_to_head_page(objects[i]));
	/* Some pages may be a slab again, of another cache. */
	KUNIT_EXPECT_LT(test, nr_slab, (unsigned int)OBJECTS / 4);
	kvfree(objects);
	kmem_cache_destroy(cache);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(after_a_grace_period),
	KUNIT_CASE(not_before_the_reader_is_through),
	KUNIT_CASE(its_size_is_known),
	KUNIT_CASE(without_a_field),
	KUNIT_CASE(of_null),
	KUNIT_CASE(of_large_memory),
	KUNIT_CASE(by_a_callback),
	KUNIT_CASE(callback_waits_for_readers),
	KUNIT_CASE(after_waiting),
	KUNIT_CASE(of_type_stable_memory),
	KUNIT_CASE(type_stable_slabs_go_back),
	{}
};

static struct kunit_suite suite = { .name = "conformance_slab_rcu", .test_cases = cases };
kunit_test_suite(suite);
MODULE_LICENSE("Dual MIT/GPL");
