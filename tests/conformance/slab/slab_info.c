// SPDX-License-Identifier: MIT
/* What the pages of slabs look like from outside: PageSlab(), heads, zones, kmem_dump_obj(). */
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/mmzone.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "../conformance.h"

enum { OBJECTS = 50 };

static void *objects[OBJECTS];

static struct kmem_cache *filled_cache(struct kunit *test, unsigned int size)
{
	struct kmem_cache *cache = kmem_cache_create("conformance_info", size, 0, SLAB_NO_MERGE,
						     NULL);

	KUNIT_ASSERT_NOT_NULL(test, cache);
	KUNIT_ASSERT_TRUE(test, kmem_cache_alloc_bulk(cache, GFP_KERNEL, OBJECTS, objects));
	return cache;
}

static void empty_cache(struct kmem_cache *cache)
{
	kmem_cache_free_bulk(cache, OBJECTS, objects);
	kmem_cache_destroy(cache);
}

/* virt_to_head_page() of any byte of an object is a page with PageSlab(). */
static void objects_are_in_slabs(struct kunit *test)
{
	for (unsigned int size = 8; size <= 4 * PAGE_SIZE; size *= 2) {
		struct kmem_cache *cache = filled_cache(test, size);
		unsigned int nr_not = 0;

		for (unsigned int i = 0; i < OBJECTS; i++)
			for (unsigned int offset = 0; offset < size; offset += size / 4) {
				char *byte = (char *)objects[i] + offset;

				nr_not += !PageSlab(virt_to_head_page(byte)) ||
					  !folio_test_slab(virt_to_folio(byte)) ||
					  !virt_addr_valid(byte);
			}
		KUNIT_EXPECT_EQ_MSG(test, nr_not, 0U, "size %u", size);
		empty_cache(cache);
	}
}

/* An object lies in one slab: its first and its last byte have the same head page. */
static void objects_lie_in_one_slab(struct kunit *test)
{
	for (unsigned int size = 8; size <= 4 * PAGE_SIZE; size += size / 3 + 1) {
		struct kmem_cache *cache = filled_cache(test, size);
		unsigned int nr_not = 0;

		for (unsigned int i = 0; i < OBJECTS; i++)
			nr_not += virt_to_head_page(objects[i]) !=
				  virt_to_head_page((char *)objects[i] + size - 1);
		KUNIT_EXPECT_EQ_MSG(test, nr_not, 0U, "size %u", size);
		empty_cache(cache);
	}
}

/* allocflags: a slab of several pages is a compound page, which holds whole objects. */
static void slabs_are_compound(struct kunit *test)
{
	for (unsigned int size = 2 * PAGE_SIZE; size <= 16 * PAGE_SIZE; size *= 2) {
		struct kmem_cache *cache = filled_cache(test, size);
		unsigned int nr_not = 0;

		for (unsigned int i = 0; i < OBJECTS; i++) {
			struct page *head = virt_to_head_page(objects[i]);

			nr_not += !PageHead(head) || page_size(head) < size;
		}
		KUNIT_EXPECT_EQ_MSG(test, nr_not, 0U, "size %u", size);
		empty_cache(cache);
	}
}

/* A page that is not part of a slab has no PageSlab(). */
static void others_are_not_slabs(struct kunit *test)
{
	void *block = kmalloc(3 * PAGE_SIZE, GFP_KERNEL), *area = vmalloc(2 * PAGE_SIZE);
	struct page *page = alloc_pages(GFP_KERNEL, 2);

	KUNIT_ASSERT_NOT_NULL(test, block);
	KUNIT_ASSERT_NOT_NULL(test, area);
	KUNIT_ASSERT_NOT_NULL(test, page);
	KUNIT_EXPECT_FALSE(test, PageSlab(virt_to_head_page(block)));
	KUNIT_EXPECT_FALSE(test, PageSlab(vmalloc_to_page(area)));
	KUNIT_EXPECT_FALSE(test, PageSlab(page));
	kfree(block);
	vfree(area);
	__free_pages(page, 2);
}

/* A page that a slab gave back is a page as others are: no flag is left behind. */
static void pages_come_back_clean(struct kunit *test)
{
	struct kmem_cache *cache = filled_cache(test, PAGE_SIZE);
	static struct page *pages[256];

	empty_cache(cache);
	for (unsigned int i = 0; i < ARRAY_SIZE(pages); i++) {
		pages[i] = alloc_pages(GFP_KERNEL, i % 4);
		KUNIT_ASSERT_NOT_NULL(test, pages[i]);
		KUNIT_EXPECT_FALSE(test, PageSlab(pages[i]));
		KUNIT_EXPECT_FALSE(test, PageCompound(pages[i]));
		KUNIT_EXPECT_EQ(test, page_count(pages[i]), 1);
	}
	for (unsigned int i = 0; i < ARRAY_SIZE(pages); i++)
		__free_pages(pages[i], i % 4);
}

/* kmalloc's objects are in slabs up to KMALLOC_MAX_CACHE_SIZE and no further. */
static void kmalloc_is_in_slabs(struct kunit *test)
{
	for (size_t size = 1; size <= 4 * KMALLOC_MAX_CACHE_SIZE; size *= 2) {
		void *object = kmalloc(size, GFP_KERNEL);

		KUNIT_ASSERT_NOT_NULL(test, object);
		KUNIT_EXPECT_EQ(test, !!PageSlab(virt_to_head_page(object)),
				size <= KMALLOC_MAX_CACHE_SIZE);
		kfree(object);
	}
}

/* Linux makes slabs of order 3 at most, unless one object needs more. */
static void slabs_have_an_order(struct kunit *test)
{
	static const unsigned int sizes[] = {
		8, 100, 700, 1500, 3000, 5000, 2 * PAGE_SIZE, 9000, 20000, 10 * PAGE_SIZE,
	};
	unsigned int nr_above = 0;

	for (unsigned int i = 0; i < ARRAY_SIZE(sizes); i++) {
		unsigned int least = get_order(sizes[i]);
		struct kmem_cache *cache = filled_cache(test, sizes[i]);
		unsigned int most = max(least, (unsigned int)PAGE_ALLOC_COSTLY_ORDER);

		for (unsigned int j = 0; j < OBJECTS; j++) {
			unsigned int order = compound_order(virt_to_head_page(objects[j]));

			KUNIT_EXPECT_GE(test, order, least);
			if (order <= most)
				continue;
			nr_above++;
			KUNIT_EXPECT_GT(test, sizes[i], 2 * PAGE_SIZE);
			KUNIT_EXPECT_LE(test, order, 5);
		}
		empty_cache(cache);
	}
	if (ON_USERMM) {
		KUNIT_EXPECT_GT(test, nr_above, 0);
		DIFFERS(test, "Slabs of large objects are larger");
	} else {
		KUNIT_EXPECT_EQ(test, nr_above, 0);
	}
}

/* What can be reclaimed lies in slabs of its own, away from what cannot. */
static void reclaimable_lies_apart(struct kunit *test)
{
	unsigned int nr_shared = 0;

	for (size_t size = 8; size <= 2048; size *= 2)
		for (unsigned int i = 0; i < OBJECTS; i++) {
			void *plain = kmalloc(size, GFP_KERNEL);
			void *reclaimable = kmalloc(size, GFP_KERNEL | __GFP_RECLAIMABLE);

			KUNIT_EXPECT_NOT_NULL(test, plain);
			KUNIT_EXPECT_NOT_NULL(test, reclaimable);
			if (plain && reclaimable)
				nr_shared += virt_to_head_page(plain) ==
					     virt_to_head_page(reclaimable);
			kfree(plain);
			kfree(reclaimable);
		}
	KUNIT_EXPECT_EQ(test, nr_shared, 0U);
}

/* kmem_dump_obj() knows objects of slabs from everything else. */
static void dumping(struct kunit *test)
{
	struct kmem_cache *cache = filled_cache(test, 300);
	void *block = kmalloc(3 * PAGE_SIZE, GFP_KERNEL);

	KUNIT_EXPECT_TRUE(test, kmem_dump_obj(objects[0]));
	KUNIT_EXPECT_TRUE(test, kmem_dump_obj((char *)objects[1] + 17));
	KUNIT_EXPECT_FALSE(test, kmem_dump_obj(block));
	KUNIT_EXPECT_FALSE(test, kmem_dump_obj(NULL));
	KUNIT_EXPECT_FALSE(test, kmem_dump_obj(ZERO_SIZE_PTR));
	/* Any address does no harm. */
	mem_dump_obj(objects[2]);
	mem_dump_obj(block);
	mem_dump_obj(&test);
	mem_dump_obj(NULL);
	mem_dump_obj(ZERO_SIZE_PTR);
	kfree(block);
	empty_cache(cache);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(objects_are_in_slabs),
	KUNIT_CASE(objects_lie_in_one_slab),
	KUNIT_CASE(slabs_are_compound),
	KUNIT_CASE(others_are_not_slabs),
	KUNIT_CASE(pages_come_back_clean),
	KUNIT_CASE(kmalloc_is_in_slabs),
	KUNIT_CASE(slabs_have_an_order),
	KUNIT_CASE(reclaimable_lies_apart),
	KUNIT_CASE(dumping),
	{}
};

static struct kunit_suite suite = { .name = "conformance_slab_info", .test_cases = cases };
kunit_test_suite(suite);
MODULE_LICENSE("Dual MIT/GPL");
