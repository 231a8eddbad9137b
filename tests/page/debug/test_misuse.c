/* SPDX-License-Identifier: MIT */
/* Wrong frees of pages: one line on stderr that names the page, then SIGABRT. */
#include <sys/mman.h>

#include "support/child.h"
#include "support/kernel.h"
#include "support/pages.h"

static char in_bss[2 * 4096];

static void free_twice_order0(struct kunit *test, void *arg)
{
	(void)test;
	__free_page(arg);
	__free_page(arg);
}

static void free_put(struct kunit *test, void *arg)
{
	(void)test;
	__free_page(arg);
	put_page(arg);
}

static void free_get(struct kunit *test, void *arg)
{
	(void)test;
	__free_page(arg);
	get_page(arg);
}

static void free_delayed(struct kunit *test, void *arg)
{
	struct page *others[100];

	for (unsigned int i = 0; i < 100; i++)
		others[i] = test_must_alloc(test, GFP_KERNEL, 0);
	__free_page(arg);
	for (unsigned int i = 0; i < 100; i++)
		__free_page(others[i]);
	drain_local_pages(NULL);
	__free_page(arg);
}

static void free_bulk_twice(struct kunit *test, void *arg)
{
	struct page *pages[2] = { arg, arg };

	(void)test;
	free_pages_bulk(pages, 2);
}

static void test_misuse_order0(struct kunit *test)
{
	struct page *page = test_must_alloc(test, GFP_KERNEL, 0);
	const char *hex = child_hex(page_address(page));

	CHILD_EXPECT_DEATH(test, free_twice_order0, page, "usermm: ", hex);
	CHILD_EXPECT_DEATH(test, free_put, page, "usermm: ", hex);
	CHILD_EXPECT_DEATH(test, free_get, page, "usermm: ", hex);
	CHILD_EXPECT_DEATH(test, free_delayed, page, "usermm: ", hex);
	CHILD_EXPECT_DEATH(test, free_bulk_twice, page, "usermm: ", hex);
	__free_page(page);
}

struct block {
	struct page *page;
	unsigned int order, wrong_order;
};

static void free_block_twice(struct kunit *test, void *arg)
{
	const struct block *block = arg;

	(void)test;
	__free_pages(block->page, block->order);
	__free_pages(block->page, block->order);
}

static void free_wrong_order(struct kunit *test, void *arg)
{
	const struct block *block = arg;

	(void)test;
	__free_pages(block->page, block->wrong_order);
}

static void free_tail(struct kunit *test, void *arg)
{
	const struct block *block = arg;

	(void)test;
	__free_pages(block->page + 1, 0);
}

static void put_one_too_many(struct kunit *test, void *arg)
{
	const struct block *block = arg;

	(void)test;
	get_page(block->page);
	put_page(block->page);
	put_page(block->page);
	put_page(block->page);
}

static void test_misuse_blocks(struct kunit *test)
{
	for (unsigned int order = 1; order <= MAX_PAGE_ORDER; order++)
		for (unsigned int comp = 0; comp < 2; comp++) {
			gfp_t gfp = GFP_KERNEL | (comp ? __GFP_COMP : 0);
			struct page *page = test_must_alloc(test, gfp, order);
			struct block block = { page, order, order - 1 };
			const char *hex = child_hex(page_address(block.page));
			const char *tail = child_hex(page_address(block.page + 1));

			CHILD_EXPECT_DEATH(test, free_block_twice, &block, "usermm: ", hex);
			CHILD_EXPECT_DEATH(test, put_one_too_many, &block, "usermm: ", hex);
			CHILD_EXPECT_DEATH(test, free_tail, &block, "usermm: ", tail);
			/* Only a compound page knows its order. */
			if (comp)
				CHILD_EXPECT_DEATH(test, free_wrong_order, &block, "usermm: ",
						   hex);
			__free_pages(block.page, order);
		}
}

static void free_frozen_twice(struct kunit *test, void *arg)
{
	(void)test;
	free_frozen_pages(arg, 5);
	drain_local_pages(NULL);	/* a page on a list has no state */
	free_frozen_pages(arg, 5);
	drain_local_pages(NULL);
}

static void test_misuse_frozen_block(struct kunit *test)
{
	struct page *page;

	/* From the low end of a largest block, so that it is the first page of what is free. */
	drain_all_pages(NULL);
	page = alloc_frozen_pages(GFP_KERNEL, 5);
	KUNIT_ASSERT_NOT_NULL(test, page);
	CHILD_EXPECT_DEATH(test, free_frozen_twice, page, "usermm: ",
			   child_hex(page_address(page)));
	free_frozen_pages(page, 5);
}

static void free_address(struct kunit *test, void *arg)
{
	(void)test;
	free_pages((unsigned long)arg, 0);
}

static void expect_bad_address(struct kunit *test, void *addr)
{
	CHILD_EXPECT_DEATH(test, free_address, addr, "usermm: ", child_hex(addr));
}

static void test_misuse_foreign_addresses(struct kunit *test)
{
	char on_stack[4096];
	char *mapped = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned long addr = __get_free_page(GFP_KERNEL);

	KUNIT_ASSERT_NE(test, addr, 0);
	KUNIT_ASSERT_PTR_NE(test, mapped, MAP_FAILED);
	expect_bad_address(test, on_stack);
	expect_bad_address(test, (void *)((unsigned long)on_stack & PAGE_MASK));
	expect_bad_address(test, (void *)(((unsigned long)in_bss + 4095) & PAGE_MASK));
	expect_bad_address(test, mapped);
	expect_bad_address(test, (void *)PAGE_SIZE);
	expect_bad_address(test, (void *)-PAGE_SIZE);
	expect_bad_address(test, (void *)(addr + 8));
	expect_bad_address(test, (void *)(addr + 4095));
	/* Just below and far above what is online. */
	expect_bad_address(test, (void *)(usermm_memmap.base - PAGE_SIZE));
	expect_bad_address(test, (void *)(usermm_memmap.base + (1UL << 46)));
	munmap(mapped, 4096);
	free_page(addr);
}

static void put_foreign(struct kunit *test, void *arg)
{
	(void)test;
	put_page(arg);
}

static void free_foreign_page(struct kunit *test, void *arg)
{
	(void)test;
	__free_page(arg);
}

static void free_order_11(struct kunit *test, void *arg)
{
	(void)test;
	__free_pages(arg, MAX_PAGE_ORDER + 1);
}

/* An address that is no struct page, and an order that no block has. */
static void test_misuse_struct_pages(struct kunit *test)
{
	static struct page foreign = { ._refcount = 1 };

	struct page *page = test_must_alloc(test, GFP_KERNEL, 0);

	CHILD_EXPECT_DEATH(test, put_foreign, &foreign, "usermm: ", child_hex(&foreign));
	CHILD_EXPECT_DEATH(test, free_foreign_page, &foreign, "usermm: ", child_hex(&foreign));
	CHILD_EXPECT_DEATH(test, free_order_11, page, "usermm: ", "order 11");
	__free_page(page);
}

static void test_misuse_addresses_are_not_valid(struct kunit *test)
{
	char on_stack[8] = "";

	KUNIT_EXPECT_FALSE(test, virt_addr_valid(on_stack));
	KUNIT_EXPECT_FALSE(test, virt_addr_valid(in_bss));
	KUNIT_EXPECT_FALSE(test, virt_addr_valid(NULL));
	KUNIT_EXPECT_FALSE(test, virt_addr_valid((void *)-1L));
}

static struct kunit_case misuse_cases[] = {
	KUNIT_CASE(test_misuse_order0),
	KUNIT_CASE(test_misuse_blocks),
	KUNIT_CASE(test_misuse_frozen_block),
	KUNIT_CASE(test_misuse_foreign_addresses),
	KUNIT_CASE(test_misuse_addresses_are_not_valid),
	KUNIT_CASE(test_misuse_struct_pages),
	{ 0 },
};

static struct kunit_suite misuse_suite = { .name = "page_misuse", .test_cases = misuse_cases };

kunit_test_suite(misuse_suite);
