// SPDX-License-Identifier: MIT
/* Page, page frame number, address: asm/page.h, linux/pfn.h, linux/mm.h. */
#include <linux/gfp.h>
#include <linux/io.h>
#include <linux/mm.h>
#include <linux/pfn.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "../conformance.h"

/* Each conversion there and back, for every page of blocks of all orders. */
static void there_and_back(struct kunit *test)
{
	for (unsigned int order = 0; order <= MAX_PAGE_ORDER; order++) {
		struct page *block = alloc_pages(GFP_KERNEL, order);
		unsigned long wrong = 0;

		KUNIT_ASSERT_NOT_NULL(test, block);
		for (struct page *page = block; page < block + (1UL << order); page++) {
			void *addr = page_address(page);
			unsigned long pfn = page_to_pfn(page);

			wrong += virt_to_page(addr) != page;
			wrong += pfn_to_page(pfn) != page;
			wrong += page_to_virt(page) != addr;
			wrong += __va(__pa(addr)) != addr;
			wrong += phys_to_virt(virt_to_phys(addr)) != addr;
			wrong += PHYS_PFN(virt_to_phys(addr)) != pfn;
			wrong += PFN_PHYS(pfn) != virt_to_phys(addr);
			wrong += !pfn_valid(pfn);
			wrong += !virt_addr_valid(addr);
			wrong += lowmem_page_address(page) != addr;
		}
		KUNIT_EXPECT_EQ(test, wrong, 0);
		__free_pages(block, order);
	}
}

/* Any byte of a page leads to it. */
static void every_byte_leads_to_its_page(struct kunit *test)
{
	struct page *page = alloc_pages(GFP_KERNEL, 1);
	char *addr;
	unsigned long wrong = 0;

	KUNIT_ASSERT_NOT_NULL(test, page);
	addr = page_address(page);
	for (unsigned long offset = 0; offset < 2 * PAGE_SIZE; offset++) {
		wrong += virt_to_page(addr + offset) != page + offset / PAGE_SIZE;
		wrong += !virt_addr_valid(addr + offset);
		wrong += offset_in_page(addr + offset) != offset % PAGE_SIZE;
		wrong += virt_to_phys(addr + offset) != virt_to_phys(addr) + offset;
	}
	KUNIT_EXPECT_EQ(test, wrong, 0);
	__free_pages(page, 1);
}

/* Addresses that no page has. */
static void addresses_without_page(struct kunit *test)
{
	void *area = vmalloc(100 * PAGE_SIZE);

	KUNIT_ASSERT_NOT_NULL(test, area);
	KUNIT_EXPECT_FALSE(test, virt_addr_valid(NULL));
	KUNIT_EXPECT_FALSE(test, virt_addr_valid((void *)PAGE_SIZE));
	KUNIT_EXPECT_FALSE(test, virt_addr_valid((void *)-PAGE_SIZE));
	if (ON_USERMM) {
		DIFFERS(test, "vmalloc areas of up to 4 MiB lie in the direct mapping");
		KUNIT_EXPECT_TRUE(test, virt_addr_valid(area));
	} else {
		KUNIT_EXPECT_FALSE(test, virt_addr_valid(area));
	}
	KUNIT_EXPECT_FALSE(test, pfn_valid(~0UL >> PAGE_SHIFT));
	KUNIT_EXPECT_FALSE(test, pfn_valid(~0UL));
	vfree(area);
}

/* Slab objects are in the direct mapping, so they convert as well. */
static void slab_objects_convert(struct kunit *test)
{
	for (size_t size = 8; size <= 16384; size *= 2) {
		char *object = kmalloc(size, GFP_KERNEL);

		KUNIT_ASSERT_NOT_NULL(test, object);
		KUNIT_EXPECT_TRUE(test, virt_addr_valid(object));
		KUNIT_EXPECT_PTR_EQ(test, phys_to_virt(virt_to_phys(object)), (void *)object);
		KUNIT_EXPECT_PTR_EQ(test,
				    page_address(virt_to_page(object)) + offset_in_page(object),
				    (void *)object);
		kfree(object);
	}
}

/* Neighbouring pages have neighbouring frame numbers, addresses and struct pages. */
static void numbers_are_linear(struct kunit *test)
{
	struct page *low = alloc_page(GFP_KERNEL), *high = alloc_pages(GFP_KERNEL, 3);
	long pages;

	KUNIT_ASSERT_NOT_NULL(test, low);
	KUNIT_ASSERT_NOT_NULL(test, high);
	pages = (long)(page_to_pfn(high) - page_to_pfn(low));
	KUNIT_EXPECT_EQ(test, high - low, pages);
	KUNIT_EXPECT_EQ(test, page_address(high) - page_address(low), pages * (long)PAGE_SIZE);
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 18, 0)
	KUNIT_EXPECT_PTR_EQ(test, nth_page(low, pages), high);
#endif
	KUNIT_EXPECT_LT(test, page_to_pfn(high), max_mapnr);
	__free_page(low);
	__free_pages(high, 3);
}

/* The rounding macros, around every page boundary that matters. */
static void rounding(struct kunit *test)
{
	for (unsigned long pages = 0; pages < 100; pages++) {
		unsigned long at = pages * PAGE_SIZE;

		KUNIT_EXPECT_EQ(test, PAGE_ALIGN(at), at);
		KUNIT_EXPECT_EQ(test, PAGE_ALIGN(at + 1), at + PAGE_SIZE);
		KUNIT_EXPECT_EQ(test, PAGE_ALIGN(at + PAGE_SIZE - 1), at + PAGE_SIZE);
		KUNIT_EXPECT_EQ(test, PAGE_ALIGN_DOWN(at + PAGE_SIZE - 1), at);
		KUNIT_EXPECT_EQ(test, PFN_ALIGN(at + 1), at + PAGE_SIZE);
		KUNIT_EXPECT_EQ(test, PFN_UP(at), pages);
		KUNIT_EXPECT_EQ(test, PFN_UP(at + 1), pages + 1);
		KUNIT_EXPECT_EQ(test, PFN_DOWN(at), pages);
		KUNIT_EXPECT_EQ(test, PFN_DOWN(at + PAGE_SIZE - 1), pages);
		KUNIT_EXPECT_EQ(test, PFN_PHYS(pages), at);
		KUNIT_EXPECT_EQ(test, PHYS_PFN(at + 17), pages);
		KUNIT_EXPECT_TRUE(test, PAGE_ALIGNED(at));
		KUNIT_EXPECT_FALSE(test, PAGE_ALIGNED(at + 1));
		KUNIT_EXPECT_EQ(test, offset_in_page(at + 17), 17);
	}
	/* A frame number that needs all of its bits is not cut off. */
	KUNIT_EXPECT_EQ(test, PFN_PHYS(1UL << 40), 1ULL << (40 + PAGE_SHIFT));
}

/* Each page of a vmalloc() area has a struct page of its own, with one reference. */
static void vmalloc_pages(struct kunit *test)
{
	char *area = vmalloc(20 * PAGE_SIZE);

	KUNIT_ASSERT_NOT_NULL(test, area);
	for (unsigned int i = 0; i < 20; i++) {
		struct page *page = vmalloc_to_page(area + i * PAGE_SIZE);

		KUNIT_ASSERT_NOT_NULL(test, page);
		KUNIT_EXPECT_EQ(test, page_count(page), 1);
		KUNIT_EXPECT_EQ(test, vmalloc_to_pfn(area + i * PAGE_SIZE), page_to_pfn(page));
		/* The same memory, by another address or not. */
		*(u32 *)(area + i * PAGE_SIZE + 8) = 0xabcd0000 + i;
		KUNIT_EXPECT_EQ(test, *(u32 *)(page_address(page) + 8), 0xabcd0000 + i);
	}
	vfree(area);
}

static struct kunit_case convert_cases[] = {
	KUNIT_CASE(there_and_back),
	KUNIT_CASE(every_byte_leads_to_its_page),
	KUNIT_CASE(addresses_without_page),
	KUNIT_CASE(slab_objects_convert),
	KUNIT_CASE(numbers_are_linear),
	KUNIT_CASE(rounding),
	KUNIT_CASE(vmalloc_pages),
	{}
};

static struct kunit_suite convert_suite = {
	.name = "conformance_page_convert",
	.test_cases = convert_cases,
};
kunit_test_suite(convert_suite);
MODULE_DESCRIPTION("page, frame number and address");
MODULE_LICENSE("Dual MIT/GPL");
