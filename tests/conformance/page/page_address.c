// SPDX-License-Identifier: MIT
/* Pages by address: __get_free_pages() and its relatives, linux/gfp.h. */
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/vmstat.h>

#include "../conformance.h"

#define LEAK_ROUNDS 64
/* Pages that the rest of the kernel may take or give back meanwhile. */
#define SLACK 32

/* get_zeroed_page(): one page of zeroes whatever was in it, and __GFP_ZERO is implied. */
static void zeroed_page(struct kunit *test)
{
	for (unsigned int round = 0; round < 100; round++) {
		unsigned long addr = get_zeroed_page(round % 2 ? GFP_KERNEL : GFP_ATOMIC);

		KUNIT_ASSERT_NE(test, addr, 0);
		KUNIT_EXPECT_TRUE(test, PAGE_ALIGNED(addr));
		KUNIT_EXPECT_NULL(test, memchr_inv((void *)addr, 0, PAGE_SIZE));
		memset((void *)addr, 0xff, PAGE_SIZE);
		free_page(addr);
	}
}

/* __get_free_pages(): an address of the kernel's own mapping; HIGHMEM is taken off. */
static void by_address(struct kunit *test)
{
	for (unsigned int order = 0; order <= MAX_PAGE_ORDER; order++) {
		unsigned long addr = __get_free_pages(GFP_HIGHUSER, order);

		KUNIT_ASSERT_NE(test, addr, 0);
		KUNIT_EXPECT_TRUE(test, virt_addr_valid((void *)addr));
		KUNIT_EXPECT_TRUE(test, PAGE_ALIGNED(addr));
		KUNIT_EXPECT_EQ(test, (unsigned long)page_address(virt_to_page((void *)addr)),
				addr);
		KUNIT_EXPECT_EQ(test, page_count(virt_to_page((void *)addr)), 1);
		free_pages(addr, order);
	}
}

/* __get_dma_pages() adds GFP_DMA. A caller may ask for nothing but DMA. */
static void dma_pages(struct kunit *test)
{
	unsigned long addr = __get_dma_pages(GFP_KERNEL, 2);
	struct page *page;

	KUNIT_ASSERT_NE(test, addr, 0);
	KUNIT_EXPECT_LE(test, (int)page_zonenum(virt_to_page((void *)addr)),
			(int)gfp_zone(GFP_DMA));
	free_pages(addr, 2);
	page = alloc_pages(GFP_DMA32, 0);
	KUNIT_ASSERT_NOT_NULL(test, page);
	KUNIT_EXPECT_LE(test, (int)page_zonenum(page), (int)gfp_zone(GFP_DMA32));
	__free_page(page);
}

/* free_pages(0) does nothing, at any order. */
static void free_of_address_zero(struct kunit *test)
{
	long before = free_pages_now();

	for (unsigned int order = 0; order <= MAX_PAGE_ORDER; order++)
		free_pages(0, order);
	free_page(0);
	KUNIT_EXPECT_LE(test, abs(free_pages_now() - before), SLACK);
}

/* A block may be freed by page or by address, whichever way it was allocated. */
static void page_and_address_mix(struct kunit *test)
{
	long before = free_pages_now();

	for (unsigned int round = 0; round < LEAK_ROUNDS; round++) {
		for (unsigned int order = 0; order <= 6; order++) {
			unsigned long addr = __get_free_pages(GFP_KERNEL, order);
			struct page *page = alloc_pages(GFP_KERNEL | __GFP_COMP, order);

			KUNIT_ASSERT_NE(test, addr, 0);
			KUNIT_ASSERT_NOT_NULL(test, page);
			__free_pages(virt_to_page((void *)addr), order);
			free_pages((unsigned long)page_address(page), order);
		}
	}
	KUNIT_EXPECT_LE(test, abs(free_pages_now() - before), SLACK);
}

static struct kunit_case address_cases[] = {
	KUNIT_CASE(zeroed_page),
	KUNIT_CASE(by_address),
	KUNIT_CASE(dma_pages),
	KUNIT_CASE(free_of_address_zero),
	KUNIT_CASE(page_and_address_mix),
	{}
};

static struct kunit_suite address_suite = {
	.name = "conformance_page_address",
	.test_cases = address_cases,
};
kunit_test_suite(address_suite);
MODULE_DESCRIPTION("pages by address");
MODULE_LICENSE("Dual MIT/GPL");
