// SPDX-License-Identifier: MIT
/* A KUnit suite in a module; one case fails if the parameter says so. */
#include <kunit/test.h>
#include <linux/mempool.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/shrinker.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

static bool fail;
module_param(fail, bool, 0);

static void may_fail(struct kunit *test)
{
	KUNIT_EXPECT_FALSE(test, fail);
}

static void cache_both_forms(struct kunit *test)
{
	struct kmem_cache_args args = { .align = 64 };
	struct kmem_cache *old = kmem_cache_create("old", 40, 64, SLAB_RED_ZONE, NULL);
	struct kmem_cache *new = kmem_cache_create("new", 40, &args, SLAB_ACCOUNT);
	void *objects[20];

	KUNIT_ASSERT_NOT_NULL(test, old);
	KUNIT_ASSERT_NOT_NULL(test, new);
	KUNIT_EXPECT_TRUE(test, kmem_cache_alloc_bulk(new, GFP_KERNEL, 20, objects));
	for (int i = 0; i < 20; i++)
		KUNIT_EXPECT_EQ(test, (unsigned long)objects[i] % 64, 0);
	kmem_cache_free_bulk(new, 20, objects);
	KUNIT_EXPECT_EQ(test, kmem_cache_shrink(new), 0);
	kmem_cache_destroy(old);
	kmem_cache_destroy(new);
	KUNIT_EXPECT_NULL(test, kmem_cache_create("bad", 40, 0, 0x80000000u, NULL));
}

static void content_survives_free(struct kunit *test)
{
	struct kmem_cache *cache = kmem_cache_create("rcu", 64, 0, SLAB_TYPESAFE_BY_RCU, NULL);
	u8 *object = kmem_cache_alloc(cache, GFP_KERNEL), copy[64];

	memset(object, 0x5e, 64);
	memset(copy, 0x5e, 64);
	rcu_read_lock();
	kmem_cache_free(cache, object);
	KUNIT_EXPECT_MEMEQ(test, object, copy, 64);
	rcu_read_unlock();
	kmem_cache_destroy(cache);
}

static void bulk_in_all_forms(struct kunit *test)
{
	struct page *array[8] = { NULL }, *page;
	LIST_HEAD(list);
	int nr = 0;

	KUNIT_EXPECT_EQ(test, alloc_pages_bulk(GFP_KERNEL, 8, array), 8);
	for (int i = 0; i < 8; i++)
		KUNIT_EXPECT_EQ(test, page_ref_count(array[i]), 1);
	free_pages_bulk(array, 8);
	KUNIT_EXPECT_EQ(test, alloc_pages_bulk(GFP_KERNEL, 0, 5, &list), 5);
	list_for_each_entry(page, &list, lru)
		nr++;
	KUNIT_EXPECT_EQ(test, nr, 5);
	free_pages_bulk(&list);
	KUNIT_EXPECT_TRUE(test, list_empty(&list));
	memset(array, 0, sizeof(array));
	KUNIT_EXPECT_EQ(test, __alloc_pages_bulk(GFP_KERNEL, 0, NULL, 4, array), 4);
	for (int i = 0; i < 4; i++)
		__free_page(array[i]);
}

static void pages_convert(struct kunit *test)
{
	struct page *page = alloc_pages(GFP_KERNEL | __GFP_COMP, 2);
	void *exact;

	KUNIT_ASSERT_NOT_NULL(test, page);
	KUNIT_EXPECT_TRUE(test, PageHead(page));
	KUNIT_EXPECT_TRUE(test, PageTail(page + 3));
	KUNIT_EXPECT_EQ(test, compound_order(page), 2);
	KUNIT_EXPECT_PTR_EQ(test, &page_folio(page + 1)->page, page);
	KUNIT_EXPECT_PTR_EQ(test, __va(page_to_phys(page)), page_address(page));
	KUNIT_EXPECT_TRUE(test, zone_spans_pfn(page_zone(page), page_to_pfn(page)));
	get_page(page + 2);
	KUNIT_EXPECT_EQ(test, page_count(page), 2);
	put_page(page);
	put_page(page + 1);
	exact = alloc_pages_exact(3 * PAGE_SIZE, GFP_KERNEL);
	KUNIT_EXPECT_EQ(test, page_ref_count(virt_to_page(exact + 2 * PAGE_SIZE)), 1);
	free_pages_exact(exact, 3 * PAGE_SIZE);
}

static void fragments(struct kunit *test)
{
	struct page_frag_cache cache = { NULL };
	void *pieces[100];

	for (int i = 0; i < 100; i++) {
		pieces[i] = page_frag_alloc(&cache, 1000, GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, pieces[i]);
		memset(pieces[i], i, 1000);
	}
	page_frag_cache_drain(&cache);
	for (int i = 0; i < 100; i++) {
		KUNIT_EXPECT_EQ(test, *(u8 *)pieces[i], i);
		page_frag_free(pieces[i]);
	}
}

static void pool_keeps_reserve(struct kunit *test)
{
	mempool_t *pool = mempool_create_kmalloc_pool(4, 128);
	void *element;

	KUNIT_ASSERT_NOT_NULL(test, pool);
	KUNIT_EXPECT_EQ(test, pool->curr_nr, 4);
	element = mempool_alloc(pool, GFP_KERNEL);
	KUNIT_EXPECT_EQ(test, pool->curr_nr, 4);
	mempool_free(mempool_alloc_preallocated(pool), pool);
	KUNIT_EXPECT_EQ(test, mempool_resize(pool, 9), 0);
	KUNIT_EXPECT_EQ(test, pool->curr_nr, 9);
	KUNIT_EXPECT_EQ(test, mempool_resize(pool, 2), 0);
	KUNIT_EXPECT_EQ(test, pool->curr_nr, 2);
	mempool_free(element, pool);
	mempool_destroy(pool);
}

static mempool_t *resized;

/* Several threads make the pool smaller and larger at the same time. */
static void free_and_resize(void *element, void *unused)
{
	mempool_t *pool = resized;

	resized = NULL;
	kfree(element);
	if (!pool)
		return;
	mempool_resize(pool, 2);
	mempool_resize(pool, 5);
}

static void *alloc_element(gfp_t gfp, void *unused)
{
	return kmalloc(40, gfp);
}

/* There is always room for as many elements as the reserve may have. */
static void pool_resized_meanwhile(struct kunit *test)
{
	for (int size = 1; size < 60; size += 3) {
		mempool_t *pool = mempool_create(60, alloc_element, free_and_resize, NULL);

		KUNIT_ASSERT_NOT_NULL(test, pool);
		resized = pool;
		KUNIT_EXPECT_EQ(test, mempool_resize(pool, size), 0);
		resized = NULL;
		KUNIT_EXPECT_EQ(test, pool->min_nr, size);
		KUNIT_EXPECT_EQ(test, pool->curr_nr, size);
		KUNIT_EXPECT_GE(test, ksize(pool->elements), size * sizeof(void *));
		mempool_destroy(pool);
	}
}

static void areas(struct kunit *test)
{
	u8 *small = vzalloc(3 * PAGE_SIZE), *large = vmalloc(9UL << 20), *kv;

	KUNIT_ASSERT_NOT_NULL(test, small);
	KUNIT_ASSERT_NOT_NULL(test, large);
	KUNIT_EXPECT_TRUE(test, is_vmalloc_addr(small + 5000));
	KUNIT_EXPECT_TRUE(test, is_vmalloc_addr(large + (9UL << 20) - 1));
	KUNIT_EXPECT_FALSE(test, is_vmalloc_addr(test));
	KUNIT_EXPECT_EQ(test, page_ref_count(vmalloc_to_page(small + PAGE_SIZE)), 1);
	large[(9UL << 20) - 1] = 1;
	vfree(small);
	vfree(large);
	kv = kvmalloc(6UL << 20, GFP_KERNEL);
	KUNIT_EXPECT_TRUE(test, is_vmalloc_addr(kv));
	kvfree(kv);
	kv = kvmalloc(100, GFP_KERNEL);
	KUNIT_EXPECT_FALSE(test, is_vmalloc_addr(kv));
	kvfree(kv);
}

static unsigned long things = 1000;

static unsigned long count_things(struct shrinker *shrinker, struct shrink_control *control)
{
	return things ? things : SHRINK_EMPTY;
}

static unsigned long scan_things(struct shrinker *shrinker, struct shrink_control *control)
{
	unsigned long nr = min(things, control->nr_to_scan);

	things -= nr;
	return nr;
}

static void shrinkers(struct kunit *test)
{
	struct shrinker *shrinker = shrinker_alloc(0, "things");

	KUNIT_ASSERT_NOT_NULL(test, shrinker);
	shrinker->count_objects = count_things;
	shrinker->scan_objects = scan_things;
	shrinker_register(shrinker);
	/* 1000 >> 12 is nothing; 1000 * 4 / 2 is everything. */
	KUNIT_EXPECT_EQ(test, shrink_slab(GFP_KERNEL, 0, NULL, 12), 0);
	KUNIT_EXPECT_EQ(test, shrink_slab(GFP_KERNEL, 0, NULL, 0), 1000);
	shrinker_free(shrinker);
	KUNIT_EXPECT_EQ(test, shrink_slab(GFP_KERNEL, 0, NULL, 0), 0);
}

static struct kunit_case suite_cases[] = {
	KUNIT_CASE(may_fail),
	KUNIT_CASE(cache_both_forms),
	KUNIT_CASE(content_survives_free),
	KUNIT_CASE(bulk_in_all_forms),
	KUNIT_CASE(pages_convert),
	KUNIT_CASE(fragments),
	KUNIT_CASE(pool_keeps_reserve),
	KUNIT_CASE(pool_resized_meanwhile),
	KUNIT_CASE(areas),
	KUNIT_CASE(shrinkers),
	{}
};

static struct kunit_suite suite = { .name = "module_suite", .test_cases = suite_cases };
kunit_test_suite(suite);
MODULE_LICENSE("GPL");
