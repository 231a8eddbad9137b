// SPDX-License-Identifier: MIT
/* Content of pages, through a mapping that lasts as long as it is used: linux/highmem.h. */
#include <linux/gfp.h>
#include <linux/highmem.h>
#include <linux/mm.h>

#include "../conformance.h"

struct pair {
	struct page *from, *to;
};

static struct pair two_pages(struct kunit *test)
{
	struct pair pair = { alloc_page(GFP_HIGHUSER), alloc_page(GFP_HIGHUSER) };

	KUNIT_ASSERT_NOT_NULL(test, pair.from);
	KUNIT_ASSERT_NOT_NULL(test, pair.to);
	for (unsigned int i = 0; i < PAGE_SIZE; i++)
		((u8 *)page_address(pair.from))[i] = (u8)(i * 7);
	memset(page_address(pair.to), 0xff, PAGE_SIZE);
	return pair;
}

static void free_pair(struct pair pair)
{
	__free_page(pair.from);
	__free_page(pair.to);
}

/* Without high memory every mapping is the page's own address. */
static void maps_are_addresses(struct kunit *test)
{
	struct pair pages = two_pages(test);
	void *first, *second;

	first = kmap(pages.from);
	KUNIT_EXPECT_PTR_EQ(test, first, page_address(pages.from));
	kunmap(pages.from);
	first = kmap_local_page(pages.from);
	second = kmap_local_page(pages.to);
	KUNIT_EXPECT_PTR_EQ(test, first, page_address(pages.from));
	KUNIT_EXPECT_PTR_EQ(test, second, page_address(pages.to));
	kunmap_local(second);
	kunmap_local(first);
	first = kmap_atomic(pages.from);
	KUNIT_EXPECT_PTR_EQ(test, first, page_address(pages.from));
	kunmap_atomic(first);
	free_pair(pages);
}

/* kmap_local_folio(): by the offset in bytes, in any page of the folio. */
static void folio_map_takes_an_offset(struct kunit *test)
{
	struct folio *folio = folio_alloc(GFP_KERNEL, 2);

	KUNIT_ASSERT_NOT_NULL(test, folio);
	for (size_t offset = 0; offset < 4 * PAGE_SIZE; offset += 1021) {
		void *addr = kmap_local_folio(folio, offset);

		KUNIT_EXPECT_PTR_EQ(test, addr, folio_address(folio) + offset);
		kunmap_local(addr);
	}
	folio_put(folio);
}

/* clear_highpage(), copy_highpage(), clear_page(), copy_page(): the whole page. */
static void clear_and_copy(struct kunit *test)
{
	struct pair pages = two_pages(test);

	copy_highpage(pages.to, pages.from);
	KUNIT_EXPECT_EQ(test, memcmp(page_address(pages.to), page_address(pages.from),
				     PAGE_SIZE), 0);
	clear_highpage(pages.to);
	KUNIT_EXPECT_NULL(test, memchr_inv(page_address(pages.to), 0, PAGE_SIZE));
	copy_page(page_address(pages.to), page_address(pages.from));
	KUNIT_EXPECT_EQ(test, memcmp(page_address(pages.to), page_address(pages.from),
				     PAGE_SIZE), 0);
	clear_page(page_address(pages.to));
	KUNIT_EXPECT_NULL(test, memchr_inv(page_address(pages.to), 0, PAGE_SIZE));
	free_pair(pages);
}

/* memcpy_to_page() and its relatives: so many bytes at an offset, none around them. */
static void bytes_at_an_offset(struct kunit *test)
{
	for (size_t offset = 0; offset < PAGE_SIZE; offset += 509) {
		struct pair pages = two_pages(test);
		size_t length = min_t(size_t, 300, PAGE_SIZE - offset);
		u8 *to = page_address(pages.to), *from = page_address(pages.from);
		char buffer[300];

		memcpy_from_page(buffer, pages.from, offset, length);
		KUNIT_EXPECT_EQ(test, memcmp(buffer, from + offset, length), 0);
		memcpy_to_page(pages.to, offset, buffer, length);
		KUNIT_EXPECT_EQ(test, memcmp(to + offset, from + offset, length), 0);
		KUNIT_EXPECT_NULL(test, memchr_inv(to, 0xff, offset));
		KUNIT_EXPECT_NULL(test, memchr_inv(to + offset + length, 0xff,
						   PAGE_SIZE - offset - length));
		memset_page(pages.to, offset, 0x33, length);
		KUNIT_EXPECT_NULL(test, memchr_inv(to + offset, 0x33, length));
		memzero_page(pages.to, offset, length);
		KUNIT_EXPECT_NULL(test, memchr_inv(to + offset, 0, length));
		KUNIT_EXPECT_NULL(test, memchr_inv(to, 0xff, offset));
		memcpy_page(pages.to, offset, pages.from, 0, length);
		KUNIT_EXPECT_EQ(test, memcmp(to + offset, from, length), 0);
		free_pair(pages);
	}
}

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 17, 0)
#define zero_user(page, start, size) zero_user_segment(page, start, (start) + (size))
#endif

/* zero_user() up to Linux 6.16, zero_user_segment(), zero_user_segments(): by end, twice by end. */
static void zero_parts(struct kunit *test)
{
	struct pair pages = two_pages(test);
	u8 *to = page_address(pages.to);

	zero_user(pages.to, 100, 50);
	KUNIT_EXPECT_NULL(test, memchr_inv(to, 0xff, 100));
	KUNIT_EXPECT_NULL(test, memchr_inv(to + 100, 0, 50));
	KUNIT_EXPECT_EQ(test, to[150], 0xff);
	zero_user_segment(pages.to, 200, 300);
	KUNIT_EXPECT_EQ(test, to[199], 0xff);
	KUNIT_EXPECT_NULL(test, memchr_inv(to + 200, 0, 100));
	KUNIT_EXPECT_EQ(test, to[300], 0xff);
	zero_user_segments(pages.to, 400, 410, 4000, PAGE_SIZE);
	KUNIT_EXPECT_NULL(test, memchr_inv(to + 400, 0, 10));
	KUNIT_EXPECT_NULL(test, memchr_inv(to + 410, 0xff, 4000 - 410));
	KUNIT_EXPECT_NULL(test, memchr_inv(to + 4000, 0, PAGE_SIZE - 4000));
	free_pair(pages);
}

/* folio_zero_range(), folio_zero_segment(), memcpy_to_folio(): across page boundaries. */
static void folio_parts(struct kunit *test)
{
	struct folio *folio = folio_alloc(GFP_KERNEL, 2);
	char buffer[100], back[100];
	u8 *bytes;

	KUNIT_ASSERT_NOT_NULL(test, folio);
	bytes = folio_address(folio);
	memset(bytes, 0xff, 4 * PAGE_SIZE);
	folio_zero_range(folio, PAGE_SIZE - 10, 20);
	KUNIT_EXPECT_NULL(test, memchr_inv(bytes + PAGE_SIZE - 10, 0, 20));
	KUNIT_EXPECT_NULL(test, memchr_inv(bytes, 0xff, PAGE_SIZE - 10));
	KUNIT_EXPECT_EQ(test, bytes[PAGE_SIZE + 10], 0xff);
	folio_zero_segment(folio, 2 * PAGE_SIZE - 5, 3 * PAGE_SIZE + 5);
	KUNIT_EXPECT_NULL(test, memchr_inv(bytes + 2 * PAGE_SIZE - 5, 0, PAGE_SIZE + 10));
	KUNIT_EXPECT_EQ(test, bytes[3 * PAGE_SIZE + 5], 0xff);
	memset(buffer, 0x21, sizeof(buffer));
	memcpy_to_folio(folio, PAGE_SIZE - 50, buffer, sizeof(buffer));
	memcpy_from_folio(back, folio, PAGE_SIZE - 50, sizeof(back));
	KUNIT_EXPECT_EQ(test, memcmp(buffer, back, sizeof(back)), 0);
	folio_put(folio);
}

/* ZERO_PAGE(): a page of zeroes that is nobody's to free. */
static void zero_page(struct kunit *test)
{
	struct page *page = ZERO_PAGE(0);

	KUNIT_EXPECT_NULL(test, memchr_inv(page_address(page), 0, PAGE_SIZE));
	KUNIT_EXPECT_PTR_EQ(test, ZERO_PAGE(PAGE_SIZE), page);
	KUNIT_EXPECT_TRUE(test, is_zero_pfn(page_to_pfn(page)));
}

static struct kunit_case highmem_cases[] = {
	KUNIT_CASE(maps_are_addresses),
	KUNIT_CASE(folio_map_takes_an_offset),
	KUNIT_CASE(clear_and_copy),
	KUNIT_CASE(bytes_at_an_offset),
	KUNIT_CASE(zero_parts),
	KUNIT_CASE(folio_parts),
	KUNIT_CASE(zero_page),
	{}
};

static struct kunit_suite highmem_suite = {
	.name = "conformance_page_highmem",
	.test_cases = highmem_cases,
};
kunit_test_suite(highmem_suite);
MODULE_DESCRIPTION("content of pages");
MODULE_LICENSE("Dual MIT/GPL");
