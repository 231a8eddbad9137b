// SPDX-License-Identifier: MIT
/* vmap(), vm_map_ram(): pages from anywhere seen side by side. */
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

#include "../conformance.h"

enum { PAGES = 40 };

static struct page *pages[PAGES];

/* In an order in which no two are neighbours in memory by accident. */
static void take_pages(struct kunit *test, unsigned int nr)
{
	for (unsigned int i = 0; i < nr; i++) {
		pages[(i * 7) % nr] = alloc_page(GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, pages[(i * 7) % nr]);
	}
}

static void give_pages_back(unsigned int nr)
{
	for (unsigned int i = 0; i < nr; i++)
		__free_page(pages[i]);
}

/* What is written on one side is seen on the other. */
static void expect_view(struct kunit *test, u8 *view, unsigned int nr)
{
	KUNIT_EXPECT_EQ(test, (unsigned long)view % PAGE_SIZE, 0UL);
	KUNIT_EXPECT_TRUE(test, is_vmalloc_addr(view));
	for (unsigned int i = 0; i < nr; i++) {
		KUNIT_EXPECT_PTR_EQ(test, vmalloc_to_page(view + i * PAGE_SIZE), pages[i]);
		memset(page_address(pages[i]), (int)i + 1, PAGE_SIZE);
		KUNIT_EXPECT_NULL(test, memchr_inv(view + i * PAGE_SIZE, (int)i + 1, PAGE_SIZE));
	}
	memset(view, 0x77, nr * PAGE_SIZE);
	for (unsigned int i = 0; i < nr; i++)
		KUNIT_EXPECT_NULL(test, memchr_inv(page_address(pages[i]), 0x77, PAGE_SIZE));
}

/* vmap(), vunmap(): the pages are the caller's before, meanwhile and afterwards. */
static void views_of_pages(struct kunit *test)
{
	static const unsigned int numbers[] = { 1, 2, 5, 11, PAGES };

	for (unsigned int i = 0; i < ARRAY_SIZE(numbers); i++) {
		u8 *view;

		take_pages(test, numbers[i]);
		view = vmap(pages, numbers[i], VM_MAP, PAGE_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, view);
		expect_view(test, view, numbers[i]);
		vunmap(view);
		KUNIT_EXPECT_EQ(test, page_count(pages[0]), 1);
		give_pages_back(numbers[i]);
	}
	vunmap(NULL);
}

/* Two views of the same pages, and one page twice in a view. */
static void several_views(struct kunit *test)
{
	struct page *twice[3];
	u8 *one, *two, *three;

	take_pages(test, 2);
	one = vmap(pages, 2, VM_MAP, PAGE_KERNEL);
	two = vmap(pages, 2, VM_MAP, PAGE_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, one);
	KUNIT_ASSERT_NOT_NULL(test, two);
	KUNIT_EXPECT_PTR_NE(test, one, two);
	memset(one, 0x29, 2 * PAGE_SIZE);
	KUNIT_EXPECT_NULL(test, memchr_inv(two, 0x29, 2 * PAGE_SIZE));
	twice[0] = twice[2] = pages[1];
	twice[1] = pages[0];
	three = vmap(twice, 3, VM_MAP, PAGE_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, three);
	WRITE_ONCE(three[10], 0x2a);
	KUNIT_EXPECT_EQ(test, READ_ONCE(three[2 * PAGE_SIZE + 10]), 0x2a);
	vunmap(one);
	vunmap(two);
	vunmap(three);
	give_pages_back(2);
}

/* VM_MAP_PUT_PAGES: vfree() of the view frees pages and their array. */
static void view_that_owns_its_pages(struct kunit *test)
{
	struct page **array = kvmalloc_array(PAGES, sizeof(*array), GFP_KERNEL);
	u8 *view;

	KUNIT_ASSERT_NOT_NULL(test, array);
	take_pages(test, PAGES);
	memcpy(array, pages, sizeof(pages));
	get_page(pages[3]);
	view = vmap(array, PAGES, VM_MAP | VM_MAP_PUT_PAGES, PAGE_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, view);
	expect_view(test, view, PAGES);
	vfree(view);
	KUNIT_EXPECT_EQ(test, page_count(pages[3]), 1);
	put_page(pages[3]);
}

/* More pages than there are cannot be mapped. */
static void too_many(struct kunit *test)
{
	KUNIT_EXPECT_NULL(test, vmap(pages, (unsigned int)totalram_pages() + 1, VM_MAP,
				     PAGE_KERNEL));
}

/* vm_map_ram(), vm_unmap_ram(): the same for views that do not last. */
static void short_views(struct kunit *test)
{
	for (unsigned int nr = 1; nr <= PAGES; nr = nr * 3 + 1) {
		u8 *view;

		take_pages(test, nr);
		view = vm_map_ram(pages, nr, NUMA_NO_NODE);
		KUNIT_ASSERT_NOT_NULL(test, view);
		expect_view(test, view, nr);
		vm_unmap_ram(view, nr);
		give_pages_back(nr);
	}
	vm_unmap_aliases();
}

static struct kunit_case cases[] = {
	KUNIT_CASE(views_of_pages),
	KUNIT_CASE(several_views),
	KUNIT_CASE(view_that_owns_its_pages),
	KUNIT_CASE(too_many),
	KUNIT_CASE(short_views),
	{}
};

static struct kunit_suite suite = { .name = "conformance_vmalloc_vmap", .test_cases = cases };
kunit_test_suite(suite);
MODULE_LICENSE("Dual MIT/GPL");
