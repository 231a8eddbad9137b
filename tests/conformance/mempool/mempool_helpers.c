// SPDX-License-Identifier: MIT
/* mempools over a slab cache, kmalloc(), kvmalloc() and pages. */
#include <linux/gfp.h>
#include <linux/mempool.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

#include "../conformance.h"

enum { TAKEN = 12, RESERVED = 5 };

/* More than the reserve: each element is size bytes of its own. */
static void expect_elements(struct kunit *test, mempool_t *pool, size_t size)
{
	u8 *elements[TAKEN];

	KUNIT_ASSERT_NOT_NULL(test, pool);
	KUNIT_EXPECT_EQ(test, pool->curr_nr, RESERVED);
	for (unsigned int i = 0; i < TAKEN; i++) {
		elements[i] = i % 2 ? mempool_alloc(pool, GFP_KERNEL)
				    : mempool_alloc_preallocated(pool);
		if (!elements[i])
			elements[i] = mempool_alloc(pool, GFP_NOIO);
		KUNIT_ASSERT_NOT_NULL(test, elements[i]);
		memset(elements[i], (int)i + 1, size);
	}
	for (unsigned int i = 0; i < TAKEN; i++)
		KUNIT_EXPECT_NULL(test, memchr_inv(elements[i], (int)i + 1, size));
	for (unsigned int i = 0; i < TAKEN; i++)
		mempool_free(elements[i], pool);
	KUNIT_EXPECT_EQ(test, pool->curr_nr, RESERVED);
}

/* mempool_create_slab_pool(), mempool_init_slab_pool(). */
static void of_a_slab_cache(struct kunit *test)
{
	struct kmem_cache *cache = kmem_cache_create("conformance_pool", 200, 0, SLAB_NO_MERGE,
						     NULL);
	mempool_t *pool, embedded = { 0 };

	KUNIT_ASSERT_NOT_NULL(test, cache);
	pool = mempool_create_slab_pool(RESERVED, cache);
	expect_elements(test, pool, 200);
	KUNIT_EXPECT_NE(test, kmem_cache_shrink(cache), 0);
	mempool_destroy(pool);
	KUNIT_EXPECT_EQ(test, kmem_cache_shrink(cache), 0);
	KUNIT_ASSERT_EQ(test, mempool_init_slab_pool(&embedded, RESERVED, cache), 0);
	expect_elements(test, &embedded, 200);
	mempool_exit(&embedded);
	KUNIT_EXPECT_EQ(test, kmem_cache_shrink(cache), 0);
	kmem_cache_destroy(cache);
}

/* mempool_create_kmalloc_pool(), mempool_init_kmalloc_pool(). */
static void of_kmalloc(struct kunit *test)
{
	for (size_t size = 1; size <= 5 * PAGE_SIZE; size = size * 3 + 5) {
		mempool_t *pool = mempool_create_kmalloc_pool(RESERVED, size), embedded = { 0 };
		void *element;

		expect_elements(test, pool, size);
		element = mempool_alloc(pool, GFP_KERNEL);
		KUNIT_EXPECT_EQ(test, ksize(element), kmalloc_size_roundup(size));
		mempool_free(element, pool);
		mempool_destroy(pool);
		KUNIT_ASSERT_EQ(test, mempool_init_kmalloc_pool(&embedded, RESERVED, size), 0);
		expect_elements(test, &embedded, size);
		mempool_exit(&embedded);
	}
}

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 19, 0)
/* mempool_create_kvmalloc_pool(), mempool_init_kvmalloc_pool(). */
static void of_kvmalloc(struct kunit *test)
{
	static const size_t sizes[] = { 100, PAGE_SIZE, 7 * PAGE_SIZE, 256 * PAGE_SIZE };
	mempool_t large = { 0 };
	void *element;

	for (unsigned int i = 0; i < ARRAY_SIZE(sizes); i++) {
		mempool_t *pool = mempool_create_kvmalloc_pool(RESERVED, sizes[i]);

		expect_elements(test, pool, sizes[i]);
		mempool_destroy(pool);
	}
	/* Larger than any block: the first try may not block, the second one may. */
	KUNIT_ASSERT_EQ(test, mempool_init_kvmalloc_pool(&large, 1, KMALLOC_MAX_SIZE + 1), 0);
	element = mempool_alloc(&large, GFP_KERNEL);
	KUNIT_EXPECT_NOT_NULL(test, element);
	KUNIT_EXPECT_TRUE(test, is_vmalloc_addr(element));
	KUNIT_EXPECT_EQ(test, large.curr_nr, 0);
	mempool_free(element, &large);
	mempool_exit(&large);
	element = mempool_kvmalloc(GFP_KERNEL, (void *)(2 * KMALLOC_MAX_SIZE));
	KUNIT_EXPECT_TRUE(test, is_vmalloc_addr(element));
	mempool_kvfree(element, (void *)(2 * KMALLOC_MAX_SIZE));
}
#else
/* They are gone: kvmalloc() needs no reserve of contiguous memory. */
static void of_kvmalloc(struct kunit *test)
{
	kunit_skip(test, "up to Linux 6.18");
}
#endif

/* mempool_create_page_pool(), mempool_init_page_pool(): elements are struct page. */
static void of_pages(struct kunit *test)
{
	for (int order = 0; order <= 5; order++) {
		mempool_t *pool = mempool_create_page_pool(RESERVED, order), embedded = { 0 };
		struct page *pages[TAKEN];

		KUNIT_ASSERT_NOT_NULL(test, pool);
		for (unsigned int i = 0; i < TAKEN; i++) {
			pages[i] = mempool_alloc(pool, GFP_KERNEL);
			KUNIT_ASSERT_NOT_NULL(test, pages[i]);
			KUNIT_EXPECT_EQ(test, page_count(pages[i]), 1);
			KUNIT_EXPECT_EQ(test, page_to_pfn(pages[i]) % (1UL << order), 0UL);
			memset(page_address(pages[i]), (int)i, PAGE_SIZE << order);
		}
		for (unsigned int i = 0; i < TAKEN; i++) {
			KUNIT_EXPECT_NULL(test, memchr_inv(page_address(pages[i]), (int)i,
							   PAGE_SIZE << order));
			mempool_free(pages[i], pool);
		}
		mempool_destroy(pool);
		KUNIT_ASSERT_EQ(test, mempool_init_page_pool(&embedded, 1, order), 0);
		pages[0] = mempool_alloc_preallocated(&embedded);
		KUNIT_EXPECT_NOT_NULL(test, pages[0]);
		mempool_free(pages[0], &embedded);
		mempool_exit(&embedded);
	}
}

/* The functions by themselves, as others build pools on them. */
static void functions_alone(struct kunit *test)
{
	struct kmem_cache *cache = kmem_cache_create("conformance_alone", 72, 0, SLAB_NO_MERGE,
						     NULL);
	struct page *page = mempool_alloc_pages(GFP_KERNEL, (void *)2L);
	void *small = mempool_kmalloc(GFP_KERNEL, (void *)100L);
	void *object;

	KUNIT_ASSERT_NOT_NULL(test, cache);
	object = mempool_alloc_slab(GFP_KERNEL, cache);
	KUNIT_EXPECT_NOT_NULL(test, object);
	KUNIT_EXPECT_NOT_NULL(test, page);
	KUNIT_EXPECT_EQ(test, ksize(small), (size_t)128);
	mempool_free_slab(object, cache);
	mempool_free_pages(page, (void *)2L);
	mempool_kfree(small, (void *)100L);
	KUNIT_EXPECT_EQ(test, kmem_cache_shrink(cache), 0);
	kmem_cache_destroy(cache);
}

/* A pool's elements may be resized in number, whatever they are. */
static void resized(struct kunit *test)
{
	mempool_t *pool = mempool_create_kmalloc_pool(RESERVED, 64);

	KUNIT_ASSERT_NOT_NULL(test, pool);
	for (int nr = 1; nr < 2000; nr *= 3) {
		KUNIT_EXPECT_EQ(test, mempool_resize(pool, nr), 0);
		KUNIT_EXPECT_EQ(test, pool->curr_nr, nr);
	}
	KUNIT_EXPECT_EQ(test, mempool_resize(pool, RESERVED), 0);
	expect_elements(test, pool, 64);
	mempool_destroy(pool);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(of_a_slab_cache),
	KUNIT_CASE(of_kmalloc),
	KUNIT_CASE(of_kvmalloc),
	KUNIT_CASE(of_pages),
	KUNIT_CASE(functions_alone),
	KUNIT_CASE(resized),
	{}
};

static struct kunit_suite suite = { .name = "conformance_mempool_helpers", .test_cases = cases };
kunit_test_suite(suite);
MODULE_LICENSE("Dual MIT/GPL");
