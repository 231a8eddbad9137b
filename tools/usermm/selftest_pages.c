// SPDX-License-Identifier: MIT
/* Checks of the page allocator, of bulk allocation and of quicklists. */
#include <stdbool.h>

#include "base/compiler.h"
#include "selftest.h"
#include "usermm/usermm.h"

#define BLOCKS 24
#define BULK 200
#define LIST_PAGES 40

/* Blocks of one order are aligned, do not overlap, and keep their content. */
static const char *check_order(unsigned int order, gfp_t gfp)
{
	size_t bytes = PAGE_SIZE << order;
	struct page *blocks[BLOCKS];

	for (unsigned int i = 0; i < BLOCKS; i++) {
		blocks[i] = alloc_pages(gfp, order);
		EXPECT(blocks[i]);
		EXPECT((unsigned long)page_address(blocks[i]) % bytes == 0);
		EXPECT(virt_to_page(page_address(blocks[i])) == blocks[i]);
		EXPECT(page_ref_count(blocks[i]) == 1);
		selftest_fill(page_address(blocks[i]), bytes, i);
	}
	for (unsigned int i = 0; i < BLOCKS; i++) {
		EXPECT(selftest_filled(page_address(blocks[i]), bytes, i));
		__free_pages(blocks[i], order);
	}
	return NULL;
}

static const char *check_orders(void)
{
	size_t before = selftest_free_bytes();

	for (unsigned int order = 0; order <= 6; order++) {
		const char *problem = check_order(order, GFP_KERNEL);

		if (!problem)
			problem = check_order(order, GFP_KERNEL | __GFP_COMP);
		if (problem)
			return problem;
	}
	EXPECT(selftest_free_bytes() == before);
	return NULL;
}

static const char *check_largest(void)
{
	size_t before = selftest_free_bytes();
	struct page *page = alloc_pages(GFP_KERNEL | __GFP_COMP, MAX_PAGE_ORDER);
	char *end;

	EXPECT(page);
	EXPECT(compound_order(page) == MAX_PAGE_ORDER);
	end = (char *)page_address(page) + (PAGE_SIZE << MAX_PAGE_ORDER) - 1;
	*end = 1;
	EXPECT(virt_to_head_page(end) == page);
	__free_pages(page, MAX_PAGE_ORDER);
	EXPECT(!alloc_pages(GFP_KERNEL | __GFP_NOWARN, MAX_PAGE_ORDER + 1));
	EXPECT(selftest_free_bytes() == before);
	return NULL;
}

/* With a reference left, only the first page of a plain block stays; the others go at once. */
static const char *check_references(void)
{
	size_t before = selftest_free_bytes();
	unsigned long addr = __get_free_pages(GFP_KERNEL, 3);
	struct page *page;

	EXPECT(addr);
	page = virt_to_page((void *)addr);
	get_page(page);
	EXPECT(page_ref_count(page) == 2);
	free_pages(addr, 3);
	EXPECT(page_ref_count(page) == 1);
	EXPECT(selftest_free_bytes() == before - PAGE_SIZE);
	put_page(page);
	EXPECT(selftest_free_bytes() == before);

	page = alloc_pages(GFP_KERNEL | __GFP_COMP, 3);
	EXPECT(page);
	get_page(page + 5);
	EXPECT(page_ref_count(page) == 2);
	__free_pages(page, 3);
	EXPECT(selftest_free_bytes() == before - (PAGE_SIZE << 3));
	put_page(page + 5);
	EXPECT(selftest_free_bytes() == before);
	return NULL;
}

static const char *check_zeroed(void)
{
	unsigned long addr;
	void *block;

	for (unsigned int i = 0; i < BLOCKS; i++) {
		addr = get_zeroed_page(GFP_KERNEL);
		EXPECT(addr);
		EXPECT(selftest_zero((void *)addr, PAGE_SIZE));
		selftest_fill((void *)addr, PAGE_SIZE, i + 1);
		free_page(addr);
	}
	block = (void *)__get_free_pages(GFP_KERNEL | __GFP_ZERO, 4);
	EXPECT(block);
	EXPECT(selftest_zero(block, PAGE_SIZE << 4));
	free_pages((unsigned long)block, 4);
	return NULL;
}

static const char *check_frozen(void)
{
	size_t before = selftest_free_bytes();

	for (unsigned int order = 0; order <= MAX_PAGE_ORDER; order++) {
		struct page *page = alloc_frozen_pages(GFP_KERNEL, order);

		EXPECT(page);
		selftest_fill(page_address(page), PAGE_SIZE, order);
		free_frozen_pages(page, order);
	}
	EXPECT(selftest_free_bytes() == before);
	return NULL;
}

static const char *check_bulk_array(void)
{
	size_t before = selftest_free_bytes();
	struct page *array[BULK] = { NULL };
	struct page *own = alloc_page(GFP_KERNEL);
	unsigned long got;

	EXPECT(own);
	array[7] = own;
	got = alloc_pages_bulk_array(GFP_KERNEL, BULK, array);
	EXPECT(got > 0 && got <= BULK);
	EXPECT(array[7] == own);
	for (unsigned long i = 0; i < got; i++) {
		EXPECT(array[i] && page_ref_count(array[i]) == 1);
		selftest_fill(page_address(array[i]), PAGE_SIZE, i);
	}
	for (unsigned long i = 0; i < got; i++)
		EXPECT(selftest_filled(page_address(array[i]), PAGE_SIZE, i));
	free_pages_bulk(array, BULK);
	EXPECT(selftest_free_bytes() == before);
	return NULL;
}

static const char *check_bulk_list(void)
{
	size_t before = selftest_free_bytes();
	struct page *page, *next;
	unsigned long got, seen = 0;
	LIST_HEAD(list);

	got = alloc_pages_bulk_list(GFP_KERNEL, BULK, &list);
	EXPECT(got > 0 && got <= BULK);
	list_for_each_entry_safe(page, next, &list, lru) {
		seen++;
		put_page(page);
	}
	EXPECT(seen == got);
	EXPECT(selftest_free_bytes() == before);
	return NULL;
}

static const char *check_bulk_frozen(void)
{
	size_t before = selftest_free_bytes();
	struct page *array[BULK];
	unsigned long got = alloc_frozen_pages_bulk(GFP_KERNEL, BULK, array);

	EXPECT(got > 0 && got <= BULK);
	for (unsigned long i = 1; i < got; i++)
		EXPECT(array[i] != array[i - 1]);
	free_frozen_pages_bulk(array, got);
	EXPECT(selftest_free_bytes() == before);
	return NULL;
}

#define KNOWN_WORD 0x5eedul
static unsigned int made, ended;

/* The list's state: the last word is KNOWN_WORD, everything else is zero. */
static void make_known(void *page)
{
	((unsigned long *)page)[PAGE_SIZE / sizeof(long) - 1] = KNOWN_WORD;
	made++;
}

static void end_known(void *page)
{
	if (((unsigned long *)page)[PAGE_SIZE / sizeof(long) - 1] == KNOWN_WORD)
		ended++;
}

static bool is_known(const unsigned long *page)
{
	size_t last = PAGE_SIZE / sizeof(long) - 1;

	return selftest_zero(page, last * sizeof(long)) && page[last] == KNOWN_WORD;
}

static const char *check_quicklist(void)
{
	void *pages[LIST_PAGES];
	unsigned long held = quicklist_total_size();

	for (unsigned int round = 0; round < 2; round++) {
		for (unsigned int i = 0; i < LIST_PAGES; i++) {
			pages[i] = quicklist_alloc(2, GFP_KERNEL, make_known);
			EXPECT(pages[i]);
			EXPECT(is_known(pages[i]));
		}
		EXPECT(made == LIST_PAGES);
		for (unsigned int i = 0; i < LIST_PAGES; i++)
			quicklist_free(2, end_known, pages[i]);
		EXPECT(quicklist_total_size() == held + LIST_PAGES);
	}
	quicklist_trim(2, end_known, LIST_PAGES, 16);
	EXPECT(ended == 0);
	quicklist_trim(2, end_known, 0, 0);
	EXPECT(ended == 0);
	return NULL;
}

/* Empties the list by allocating its pages and freeing them to the page allocator. */
static const char *check_quicklist_end(void)
{
	size_t before = selftest_free_bytes();
	unsigned long held = quicklist_total_size();

	for (unsigned int i = 0; i < LIST_PAGES; i++) {
		void *page = quicklist_alloc(2, GFP_KERNEL, make_known);

		EXPECT(page);
		end_known(page);
		free_page((unsigned long)page);
	}
	EXPECT(made == LIST_PAGES);
	EXPECT(ended == LIST_PAGES);
	EXPECT(quicklist_total_size() == held - LIST_PAGES);
	EXPECT(selftest_free_bytes() == before + LIST_PAGES * PAGE_SIZE);
	return NULL;
}

const struct selftest selftest_pages[] = {
	{ "pages: orders 0 to 6, plain and compound", check_orders },
	{ "pages: the largest order, and none above it", check_largest },
	{ "pages: references and the blocks they hold", check_references },
	{ "pages: zeroed pages", check_zeroed },
	{ "pages: frozen blocks of every order", check_frozen },
	{ "bulk: array", check_bulk_array },
	{ "bulk: list", check_bulk_list },
	{ "bulk: frozen", check_bulk_frozen },
	{ "quicklist: pages keep their state", check_quicklist },
	{ "quicklist: pages go back", check_quicklist_end },
	{ NULL, NULL },
};
