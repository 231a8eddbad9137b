// SPDX-License-Identifier: MIT
/* vmalloc(): areas of pages, their sizes, alignment, and the pages behind them. */
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

#include "../conformance.h"

/* Every byte of every size is there, from a page's start on. */
static void every_size(struct kunit *test)
{
	for (unsigned long size = 1; size <= 3 << 20; size += 1 + size / 2) {
		u8 *area = hidden(vmalloc(size));

		KUNIT_ASSERT_NOT_NULL(test, area);
		KUNIT_EXPECT_EQ(test, (unsigned long)area % PAGE_SIZE, 0UL);
		KUNIT_EXPECT_TRUE(test, is_vmalloc_addr(area));
		KUNIT_EXPECT_TRUE(test, is_vmalloc_addr(area + size - 1));
		memset(area, 0x7a, PAGE_ALIGN(size));
		KUNIT_EXPECT_NULL(test, memchr_inv(area, 0x7a, PAGE_ALIGN(size)));
		vfree(area);
	}
}

/* vzalloc(), __vmalloc() with __GFP_ZERO, vmalloc_user(), vcalloc(): zero to the end. */
static void zeroed(struct kunit *test)
{
	for (unsigned long size = 100; size <= 2 << 20; size *= 5) {
		void *areas[] = {
			vzalloc(size), __vmalloc(size, GFP_KERNEL | __GFP_ZERO),
			vmalloc_user(size), vcalloc(4, size / 4), vzalloc_node(size, 0),
			vmalloc_32_user(size),
		};

		for (unsigned int i = 0; i < ARRAY_SIZE(areas); i++) {
			KUNIT_ASSERT_NOT_NULL(test, areas[i]);
			KUNIT_EXPECT_NULL(test, memchr_inv(hidden(areas[i]), 0, PAGE_ALIGN(size)));
			memset(hidden(areas[i]), 0xff, PAGE_ALIGN(size));
		}
		for (unsigned int i = 0; i < ARRAY_SIZE(areas); i++)
			vfree(areas[i]);
	}
}

/* The other names and contexts of the same. */
static void other_names(struct kunit *test)
{
	void *areas[] = {
		vmalloc_node(10 * PAGE_SIZE, 0), vmalloc_node(PAGE_SIZE, NUMA_NO_NODE),
		vmalloc_32(3 * PAGE_SIZE), vmalloc_huge(10 * PAGE_SIZE, GFP_KERNEL),
		__vmalloc(5 * PAGE_SIZE, GFP_NOFS), __vmalloc(5 * PAGE_SIZE, GFP_NOIO),
		__vmalloc(PAGE_SIZE, GFP_KERNEL | __GFP_HIGHMEM | __GFP_NOWARN),
		vmalloc_array(100, 1000),
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(areas); i++) {
		KUNIT_EXPECT_NOT_NULL_MSG(test, areas[i], "%u", i);
		KUNIT_EXPECT_TRUE(test, is_vmalloc_addr(areas[i]));
		vfree(areas[i]);
	}
}

/* Size 0, more than there is, and products that overflow are NULL. */
static void sizes_that_fail(struct kunit *test)
{
	unsigned long none = 0, many = ULONG_MAX / 2, all = (totalram_pages() + 1) << PAGE_SHIFT;

	OPTIMIZER_HIDE_VAR(none);
	OPTIMIZER_HIDE_VAR(many);
	KUNIT_EXPECT_NULL(test, vmalloc(none));
	KUNIT_EXPECT_NULL(test, vzalloc(none));
	KUNIT_EXPECT_NULL(test, __vmalloc(all, GFP_KERNEL | __GFP_NOWARN));
	KUNIT_EXPECT_NULL(test, __vmalloc(many, GFP_KERNEL | __GFP_NOWARN));
	KUNIT_EXPECT_NULL(test, __vmalloc(ULONG_MAX - none, GFP_KERNEL | __GFP_NOWARN));
	KUNIT_EXPECT_NULL(test, vmalloc_array(many, 3));
	KUNIT_EXPECT_NULL(test, vcalloc(3, many));
	vfree(NULL);
}

/* is_vmalloc_addr() says no of everything else. */
static void addresses_of_others(struct kunit *test)
{
	void *object = kmalloc(100, GFP_KERNEL), *block = kmalloc(8 * PAGE_SIZE, GFP_KERNEL);
	unsigned long page = __get_free_page(GFP_KERNEL);

	KUNIT_EXPECT_FALSE(test, is_vmalloc_addr(NULL));
	KUNIT_EXPECT_FALSE(test, is_vmalloc_addr(ZERO_SIZE_PTR));
	KUNIT_EXPECT_FALSE(test, is_vmalloc_addr(object));
	KUNIT_EXPECT_FALSE(test, is_vmalloc_addr(block));
	KUNIT_EXPECT_FALSE(test, is_vmalloc_addr((void *)page));
	kfree(object);
	kfree(block);
	free_page(page);
}

/* Pages first to last are different ones, each with a reference, and hold what is seen. */
static void expect_pages(struct kunit *test, u8 *area, unsigned int nr)
{
	struct page **pages = kvcalloc(nr, sizeof(*pages), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, pages);
	for (unsigned int i = 0; i < nr; i++) {
		pages[i] = vmalloc_to_page(area + i * PAGE_SIZE);
		KUNIT_ASSERT_NOT_NULL(test, pages[i]);
		KUNIT_EXPECT_GE(test, page_count(pages[i]), 1);
		KUNIT_EXPECT_FALSE(test, PageSlab(pages[i]));
		KUNIT_EXPECT_PTR_EQ(test, vmalloc_to_page(area + i * PAGE_SIZE + 17), pages[i]);
		KUNIT_EXPECT_EQ(test, vmalloc_to_pfn(area + i * PAGE_SIZE), page_to_pfn(pages[i]));
		memset(area + i * PAGE_SIZE, (int)(i * 3 + 1), PAGE_SIZE);
	}
	for (unsigned int i = 0; i < nr; i++) {
		u8 *direct = page_address(pages[i]);

		KUNIT_EXPECT_NULL(test, memchr_inv(hidden(direct), (u8)(i * 3 + 1), PAGE_SIZE));
		direct[5] = (u8)~i;
	}
	for (unsigned int i = 0; i < nr; i++)
		KUNIT_EXPECT_EQ(test, ((u8 *)hidden(area))[i * PAGE_SIZE + 5], (u8)~i);
	kvfree(pages);
}

/* vmalloc_to_page(), vmalloc_to_pfn(): the page behind each address of an area. */
static void pages_behind(struct kunit *test)
{
	static const unsigned int sizes[] = { 1, 2, 3, 7, 64, 100, 1000 };

	for (unsigned int i = 0; i < ARRAY_SIZE(sizes); i++) {
		u8 *area = hidden(vmalloc(sizes[i] * PAGE_SIZE));

		KUNIT_ASSERT_NOT_NULL(test, area);
		expect_pages(test, area, sizes[i]);
		vfree(area);
	}
}

/* Also where the area is larger than any block of pages. */
static void pages_behind_large_areas(struct kunit *test)
{
	unsigned int nr = (1 << MAX_PAGE_ORDER) + 3;
	u8 *area = hidden(vmalloc(nr * PAGE_SIZE));

	KUNIT_ASSERT_NOT_NULL(test, area);
	if (vmalloc_to_page(area))
		expect_pages(test, area, nr);
	else
		KUNIT_FAIL(test, "no page behind an area of %u pages", nr);
	vfree(area);
}

/* A reference on one of its pages keeps that page after vfree(). */
static void page_outlives_the_area(struct kunit *test)
{
	u8 *area = hidden(vmalloc(5 * PAGE_SIZE));
	struct page *page;

	KUNIT_ASSERT_NOT_NULL(test, area);
	memset(area, 0x27, 5 * PAGE_SIZE);
	page = vmalloc_to_page(area + 2 * PAGE_SIZE);
	get_page(page);
	vfree(area);
	KUNIT_EXPECT_EQ(test, page_count(page), 1);
	KUNIT_EXPECT_NULL(test, memchr_inv(page_address(page), 0x27, PAGE_SIZE));
	put_page(page);
}

/* __vmalloc_node(): an alignment of more than a page holds. */
static void alignment(struct kunit *test)
{
	for (unsigned long align = 1; align <= 8 << 20; align *= 4)
		for (unsigned long size = PAGE_SIZE; size <= 1 << 20; size *= 16) {
			void *area = LINUX_SYMBOL(__vmalloc_node_noprof)(size, align, GFP_KERNEL,
						NUMA_NO_NODE, __builtin_return_address(0));

			KUNIT_ASSERT_NOT_NULL(test, area);
			KUNIT_EXPECT_EQ(test, (unsigned long)area % max(align, PAGE_SIZE), 0UL);
			memset(area, 1, size);
			vfree(area);
		}
}

#if LINUX_VERSION_CODE >= KERNEL_VERSION(7, 0, 0)
#define resized(area, size) hidden(vrealloc(area, size, GFP_KERNEL))
#else
/* Modules cannot call it there. */
#define resized(area, size) hidden(LINUX_SYMBOL(vrealloc_noprof)(area, size, GFP_KERNEL))
#endif

/* vrealloc(): NULL allocates, 0 frees and is NULL, content stays. */
static void reallocation(struct kunit *test)
{
	u8 *area = resized(NULL, 100), *same;

	KUNIT_ASSERT_NOT_NULL(test, area);
	KUNIT_EXPECT_TRUE(test, is_vmalloc_addr(area));
	memset(area, 0x51, 100);
	for (unsigned long size = 1; size <= PAGE_SIZE; size *= 2) {
		same = resized(area, size);
		KUNIT_EXPECT_PTR_EQ(test, same, area);
	}
	KUNIT_EXPECT_NULL(test, memchr_inv(area, 0x51, 100));
	area = resized(area, 3 * PAGE_SIZE);
	KUNIT_ASSERT_NOT_NULL(test, area);
	KUNIT_EXPECT_NULL(test, memchr_inv(area, 0x51, 100));
	area = resized(area, 0);
	KUNIT_EXPECT_NULL(test, area);
	area = resized(NULL, 0);
	KUNIT_EXPECT_NULL(test, area);
}

static unsigned long area_pages(void)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(7, 1, 0)
	return LINUX_SYMBOL(vmalloc_nr_pages)();
#else
	fold_counters();
	return global_node_page_state(NR_VMALLOC);
#endif
}

/* vmalloc_nr_pages(), the later counter NR_VMALLOC: pages of live areas. */
static void pages_are_counted(struct kunit *test)
{
	unsigned long before = area_pages();
	void *area = vmalloc(33 * PAGE_SIZE);

	KUNIT_ASSERT_NOT_NULL(test, area);
	KUNIT_EXPECT_EQ(test, area_pages(), before + 33);
	vfree(area);
	KUNIT_EXPECT_EQ(test, area_pages(), before);
}

/* Many areas at a time are apart, and is_vmalloc_addr() knows each. */
static void many_areas(struct kunit *test)
{
	enum { AREAS = 300 };
	static u8 *areas[AREAS];

	for (unsigned int i = 0; i < AREAS; i++) {
		areas[i] = vmalloc((1 + i % 5) * PAGE_SIZE);
		KUNIT_ASSERT_NOT_NULL(test, areas[i]);
		memset(areas[i], (int)(u8)i, (1 + i % 5) * PAGE_SIZE);
	}
	for (unsigned int i = 0; i < AREAS; i += 2) {
		KUNIT_EXPECT_NULL(test, memchr_inv(areas[i], (u8)i, (1 + i % 5) * PAGE_SIZE));
		vfree(areas[i]);
	}
	for (unsigned int i = 1; i < AREAS; i += 2) {
		KUNIT_EXPECT_TRUE(test, is_vmalloc_addr(areas[i] + i % PAGE_SIZE));
		KUNIT_EXPECT_NULL(test, memchr_inv(areas[i], (u8)i, (1 + i % 5) * PAGE_SIZE));
		vfree(areas[i]);
	}
}

static struct kunit_case cases[] = {
	KUNIT_CASE(every_size),
	KUNIT_CASE(zeroed),
	KUNIT_CASE(other_names),
	KUNIT_CASE(sizes_that_fail),
	KUNIT_CASE(addresses_of_others),
	KUNIT_CASE(pages_behind),
	KUNIT_CASE(pages_behind_large_areas),
	KUNIT_CASE(page_outlives_the_area),
	KUNIT_CASE(alignment),
	KUNIT_CASE(reallocation),
	KUNIT_CASE(pages_are_counted),
	KUNIT_CASE(many_areas),
	{}
};

static struct kunit_suite suite = { .name = "conformance_vmalloc_areas", .test_cases = cases };
kunit_test_suite(suite);
MODULE_LICENSE("Dual MIT/GPL");
