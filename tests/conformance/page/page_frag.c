// SPDX-License-Identifier: MIT
/* Pieces of pages that share the page's references: page_frag_alloc(), linux/gfp.h. */
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/mm_types.h>
#include <linux/vmstat.h>

#include "../conformance.h"

#define SLACK 32

/* Since Linux 6.13 pieces come from the beginning of the page upwards. */
#define UPWARDS (LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0))

/* Pieces do not overlap, and lie in pages that are held. */
static void pieces_are_apart(struct kunit *test)
{
	enum { NR = 300 };
	struct page_frag_cache cache = { };
	u8 **pieces = kcalloc(NR, sizeof(*pieces), GFP_KERNEL);
	unsigned int wrong = 0;

	KUNIT_ASSERT_NOT_NULL(test, pieces);
	for (unsigned int i = 0; i < NR; i++) {
		unsigned int size = 1 + i * 37 % 3000;

		pieces[i] = page_frag_alloc(&cache, size, GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, pieces[i]);
		KUNIT_EXPECT_GE(test, page_count(virt_to_page(pieces[i])), 1);
		memset(pieces[i], i, size);
	}
	for (unsigned int i = 0; i < NR; i++)
		wrong += memchr_inv(pieces[i], i, 1 + i * 37 % 3000) != NULL;
	KUNIT_EXPECT_EQ(test, wrong, 0);
	for (unsigned int i = 0; i < NR; i++)
		page_frag_free(pieces[i]);
	page_frag_cache_drain(&cache);
	kfree(pieces);
}

/* A piece stays the caller's when the cache it came from is drained before. */
static void pieces_outlive_the_cache(struct kunit *test)
{
	struct page_frag_cache cache = { };
	long before = free_pages_now();
	u8 *pieces[40];

	for (unsigned int i = 0; i < ARRAY_SIZE(pieces); i++) {
		pieces[i] = page_frag_alloc(&cache, 2000, GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, pieces[i]);
		memset(pieces[i], 0x11 + i, 2000);
	}
	page_frag_cache_drain(&cache);
	for (unsigned int i = 0; i < ARRAY_SIZE(pieces); i++) {
		KUNIT_EXPECT_NULL(test, memchr_inv(pieces[i], 0x11 + i, 2000));
		page_frag_free(pieces[i]);
	}
	KUNIT_EXPECT_LE(test, abs(free_pages_now() - before), SLACK);
}

/* A piece is a reference of its page: put_page() frees it as well as page_frag_free(). */
static void put_page_frees_a_piece(struct kunit *test)
{
	struct page_frag_cache cache = { };
	long before = free_pages_now();

	for (unsigned int i = 0; i < 2000; i++) {
		void *piece = page_frag_alloc(&cache, 700, GFP_KERNEL);

		KUNIT_ASSERT_NOT_NULL(test, piece);
		if (i % 2)
			put_page(virt_to_page(piece));
		else
			page_frag_free(piece);
	}
	page_frag_cache_drain(&cache);
	KUNIT_EXPECT_LE(test, abs(free_pages_now() - before), SLACK);
}

/* A page whose pieces are all free is used again: a thousand pieces need few pages. */
static void page_is_used_again(struct kunit *test)
{
	struct page_frag_cache cache = { };
	struct page *head = NULL;
	unsigned int others = 0;

	for (unsigned int i = 0; i < 5000; i++) {
		void *piece = page_frag_alloc(&cache, 1000, GFP_KERNEL);

		KUNIT_ASSERT_NOT_NULL(test, piece);
		if (!head)
			head = virt_to_head_page(piece);
		others += virt_to_head_page(piece) != head;
		page_frag_free(piece);
	}
	KUNIT_EXPECT_EQ(test, others, 0);
	page_frag_cache_drain(&cache);
}

/* page_frag_alloc_align(): the address is a multiple, the size is not rounded up for it. */
static void aligned_pieces(struct kunit *test)
{
	for (unsigned int align = 1; align <= 1024; align *= 2) {
		struct page_frag_cache cache = { };
		u8 *pieces[64];

		for (unsigned int i = 0; i < ARRAY_SIZE(pieces); i++) {
			unsigned int size = 1 + i * 13;

			pieces[i] = page_frag_alloc_align(&cache, size, GFP_KERNEL, align);
			KUNIT_ASSERT_NOT_NULL(test, pieces[i]);
			KUNIT_EXPECT_TRUE(test, IS_ALIGNED((unsigned long)pieces[i], align));
			memset(pieces[i], i, size);
		}
		for (unsigned int i = 0; i < ARRAY_SIZE(pieces); i++) {
			KUNIT_EXPECT_NULL(test, memchr_inv(pieces[i], i, 1 + i * 13));
			page_frag_free(pieces[i]);
		}
		page_frag_cache_drain(&cache);
	}
}

/* After a piece that was not aligned the next one is, too. */
static void alignment_after_odd_pieces(struct kunit *test)
{
	struct page_frag_cache cache = { };

	for (unsigned int i = 0; i < 200; i++) {
		void *odd = page_frag_alloc(&cache, 13 + i % 7, GFP_KERNEL);
		void *even = page_frag_alloc_align(&cache, 100, GFP_KERNEL, 64);

		KUNIT_ASSERT_NOT_NULL(test, odd);
		KUNIT_ASSERT_NOT_NULL(test, even);
		KUNIT_EXPECT_TRUE(test, IS_ALIGNED((unsigned long)even, 64));
		page_frag_free(odd);
		page_frag_free(even);
	}
	page_frag_cache_drain(&cache);
}

/* Pieces come from the end of the page downwards; since Linux 6.13 upwards. */
static void pieces_lie_in_a_row(struct kunit *test)
{
	struct page_frag_cache cache = { };
	char *first = page_frag_alloc(&cache, 256, GFP_KERNEL);
	char *second = page_frag_alloc(&cache, 256, GFP_KERNEL);
	char *third = page_frag_alloc_align(&cache, 100, GFP_KERNEL, 1024);

	KUNIT_ASSERT_NOT_NULL(test, first);
	KUNIT_ASSERT_NOT_NULL(test, second);
	KUNIT_ASSERT_NOT_NULL(test, third);
	KUNIT_EXPECT_PTR_EQ(test, second, UPWARDS ? first + 256 : first - 256);
	KUNIT_EXPECT_PTR_EQ(test, third, UPWARDS ? first + 1024 : first + 256 - 1024);
	page_frag_free(first);
	page_frag_free(second);
	page_frag_free(third);
	page_frag_cache_drain(&cache);
}

/* The first piece of a block lies at its end; since Linux 6.13 at its beginning. */
static void first_piece(struct kunit *test)
{
	struct page_frag_cache cache = { };
	unsigned long first = (unsigned long)page_frag_alloc(&cache, 512, GFP_KERNEL);

	KUNIT_ASSERT_NE(test, first, 0UL);
	KUNIT_EXPECT_EQ(test, first % PAGE_SIZE, UPWARDS ? 0 : PAGE_SIZE - 512);
	page_frag_free((void *)first);
	page_frag_cache_drain(&cache);
}

/* A whole page, and up to PAGE_FRAG_CACHE_MAX_SIZE where a larger page was to be had. */
static void large_pieces(struct kunit *test)
{
	struct page_frag_cache cache = { };
	void *all = page_frag_alloc(&cache, PAGE_FRAG_CACHE_MAX_SIZE, GFP_KERNEL), *page;

	KUNIT_ASSERT_NOT_NULL(test, all);
	memset(all, 2, PAGE_FRAG_CACHE_MAX_SIZE);
	KUNIT_EXPECT_EQ(test, PAGE_FRAG_CACHE_MAX_SIZE, 32768);
	page_frag_free(all);
	page = page_frag_alloc(&cache, PAGE_SIZE, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, page);
	memset(page, 1, PAGE_SIZE);
	page_frag_free(page);
	/* A request for more than the largest block fails. */
	KUNIT_EXPECT_NULL(test, page_frag_alloc(&cache, PAGE_FRAG_CACHE_MAX_SIZE + 1, GFP_KERNEL));
	page_frag_cache_drain(&cache);
}

/*
 * What is left of the block is too short: another block is taken, since Linux 6.13 only for a piece
 * of up to a page.
 */
static void more_than_is_left(struct kunit *test)
{
	struct page_frag_cache cache = { };
	void *first = page_frag_alloc(&cache, 20000, GFP_KERNEL);
	void *large = page_frag_alloc(&cache, 20000, GFP_KERNEL), *small, *page;

	KUNIT_ASSERT_NOT_NULL(test, first);
	KUNIT_EXPECT_EQ(test, large != NULL, !UPWARDS);
	/* The first block still serves a small piece, which fits. */
	small = page_frag_alloc(&cache, 8, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, small);
	KUNIT_EXPECT_EQ(test, virt_to_head_page(small) == virt_to_head_page(first), UPWARDS);
	if (large)
		page_frag_free(large);
	page_frag_free(small);
	for (unsigned int i = 0; i < 8; i++) {
		page = page_frag_alloc(&cache, PAGE_SIZE, GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, page);
		page_frag_free(page);
	}
	page_frag_free(first);
	page_frag_cache_drain(&cache);
}

/*
 * Pieces can be allocated in every context, also where waiting is not allowed. __GFP_ZERO has no
 * effect.
 */
static void contexts(struct kunit *test)
{
	static const gfp_t gfps[] = { GFP_ATOMIC, GFP_NOWAIT, GFP_KERNEL, GFP_NOFS };

	for (unsigned int i = 0; i < ARRAY_SIZE(gfps); i++) {
		struct page_frag_cache cache = { };
		void *piece = page_frag_alloc(&cache, 20000, gfps[i]);

		KUNIT_ASSERT_NOT_NULL(test, piece);
		page_frag_free(piece);
		page_frag_cache_drain(&cache);
	}
}

/* Draining a cache that was never used, or twice, does nothing. */
static void drain_of_nothing(struct kunit *test)
{
	struct page_frag_cache cache = { };
	void *piece;

	page_frag_cache_drain(&cache);
	piece = page_frag_alloc(&cache, 10, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, piece);
	page_frag_cache_drain(&cache);
	page_frag_cache_drain(&cache);
	KUNIT_EXPECT_EQ(test, page_count(virt_to_page(piece)), 1);
	page_frag_free(piece);
	/* And the cache can be used again. */
	piece = page_frag_alloc(&cache, 10, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, piece);
	page_frag_free(piece);
	page_frag_cache_drain(&cache);
}

/* __page_frag_cache_drain(): gives back so many references of a page that pieces came from. */
static void drain_of_a_page(struct kunit *test)
{
	struct page *page = alloc_pages(GFP_KERNEL | __GFP_COMP, 3);
	long before;

	KUNIT_ASSERT_NOT_NULL(test, page);
	page_ref_add(page, 99);
	__page_frag_cache_drain(page, 60);
	KUNIT_EXPECT_EQ(test, page_count(page), 40);
	before = free_pages_now();
	__page_frag_cache_drain(page, 40);
	KUNIT_EXPECT_EQ(test, free_pages_now() - before, 8);
}

static struct kunit_case frag_cases[] = {
	KUNIT_CASE(pieces_are_apart),
	KUNIT_CASE(pieces_outlive_the_cache),
	KUNIT_CASE(put_page_frees_a_piece),
	KUNIT_CASE(page_is_used_again),
	KUNIT_CASE(aligned_pieces),
	KUNIT_CASE(alignment_after_odd_pieces),
	KUNIT_CASE(pieces_lie_in_a_row),
	KUNIT_CASE(first_piece),
	KUNIT_CASE(large_pieces),
	KUNIT_CASE(more_than_is_left),
	KUNIT_CASE(contexts),
	KUNIT_CASE(drain_of_nothing),
	KUNIT_CASE(drain_of_a_page),
	{}
};

static struct kunit_suite frag_suite = {
	.name = "conformance_page_frag",
	.test_cases = frag_cases,
};
kunit_test_suite(frag_suite);
MODULE_DESCRIPTION("page fragments");
MODULE_LICENSE("Dual MIT/GPL");
