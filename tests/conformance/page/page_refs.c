// SPDX-License-Identifier: MIT
/* Who owns a block: references, and what the last one frees. linux/mm.h. */
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/vmstat.h>

#include "../conformance.h"

#define ROUNDS 64
/* Pages that the rest of the kernel may take or give back meanwhile. */
#define SLACK 32

/* A block of any order starts with one reference on its first page. */
static void starts_with_one(struct kunit *test)
{
	for (unsigned int order = 0; order <= MAX_PAGE_ORDER; order++) {
		struct page *plain = alloc_pages(GFP_KERNEL, order);
		struct page *compound = alloc_pages(GFP_KERNEL | __GFP_COMP, order);

		KUNIT_ASSERT_NOT_NULL(test, plain);
		KUNIT_ASSERT_NOT_NULL(test, compound);
		KUNIT_EXPECT_EQ(test, page_count(plain), 1);
		KUNIT_EXPECT_EQ(test, page_ref_count(plain), 1);
		KUNIT_EXPECT_EQ(test, page_count(compound), 1);
		KUNIT_EXPECT_EQ(test, page_ref_count(compound), 1);
		__free_pages(plain, order);
		__free_pages(compound, order);
	}
}

/* The other pages have no references of their own: page_ref_count() is the page's count. */
static void tails_have_none(struct kunit *test)
{
	for (unsigned int order = 1; order <= MAX_PAGE_ORDER; order++) {
		struct page *plain = alloc_pages(GFP_KERNEL, order);
		struct page *compound = alloc_pages(GFP_KERNEL | __GFP_COMP, order);
		unsigned int wrong = 0;

		KUNIT_ASSERT_NOT_NULL(test, plain);
		KUNIT_ASSERT_NOT_NULL(test, compound);
		for (unsigned long i = 1; i < 1UL << order; i++) {
			wrong += page_ref_count(plain + i) != 0;
			wrong += page_count(plain + i) != 0;
			wrong += page_ref_count(compound + i) != 0;
			/* page_count() asks the head. */
			wrong += page_count(compound + i) != 1;
		}
		KUNIT_EXPECT_EQ(test, wrong, 0);
		__free_pages(plain, order);
		__free_pages(compound, order);
	}
}

/* get_page() and put_page() count, on the head whichever page of it is named. */
static void get_and_put_count(struct kunit *test)
{
	for (unsigned int order = 0; order <= 6; order++) {
		struct page *page = alloc_pages(GFP_KERNEL | __GFP_COMP, order);
		long nr = 1L << order;

		KUNIT_ASSERT_NOT_NULL(test, page);
		for (long i = 0; i < nr; i++) {
			get_page(page + i);
			KUNIT_EXPECT_EQ(test, page_count(page), i + 2);
		}
		for (long i = 0; i < nr; i++) {
			put_page(page + i);
			KUNIT_EXPECT_EQ(test, page_count(page), nr - i);
		}
		put_page(page);
	}
}

/* The last put_page() frees a compound page whole, on a tail as well. */
static void put_on_a_tail_frees_all(struct kunit *test)
{
	for (unsigned int order = 1; order <= 8; order++) {
		long before = free_pages_now();

		for (unsigned int i = 0; i < ROUNDS; i++) {
			struct page *page = alloc_pages(GFP_KERNEL | __GFP_COMP, order);

			KUNIT_ASSERT_NOT_NULL(test, page);
			put_page(page + i % (1 << order));
		}
		KUNIT_EXPECT_LE(test, abs(free_pages_now() - before), SLACK);
	}
}

/* How many more pages are free after the call than before it. */
static long freed_by_free_pages(struct page *page, unsigned int order)
{
	long before = free_pages_now();

	__free_pages(page, order);
	return free_pages_now() - before;
}

/*
 * __free_pages() of a plain block that somebody else holds frees all but the first page,
 * since nothing remembers the order; the first goes with the last put_page().
 */
static void free_of_held_block_frees_tails(struct kunit *test)
{
	for (unsigned int order = 0; order <= MAX_PAGE_ORDER; order++) {
		struct page *page = alloc_pages(GFP_KERNEL, order);
		long freed, last;

		KUNIT_ASSERT_NOT_NULL(test, page);
		get_page(page);
		freed = freed_by_free_pages(page, order);
		KUNIT_EXPECT_EQ_MSG(test, freed, (1L << order) - 1, "order %u", order);
		KUNIT_EXPECT_EQ(test, page_count(page), 1);
		last = free_pages_now();
		put_page(page);
		KUNIT_EXPECT_EQ_MSG(test, free_pages_now() - last, 1, "order %u", order);
	}
}

/* A compound page remembers its order: held, it stays whole, and goes with the last put. */
static void free_of_held_compound_frees_nothing(struct kunit *test)
{
	for (unsigned int order = 1; order <= MAX_PAGE_ORDER; order++) {
		struct page *page = alloc_pages(GFP_KERNEL | __GFP_COMP, order);
		long freed, last;

		KUNIT_ASSERT_NOT_NULL(test, page);
		get_page(page);
		freed = freed_by_free_pages(page, order);
		KUNIT_EXPECT_EQ_MSG(test, freed, 0, "order %u", order);
		KUNIT_EXPECT_TRUE(test, PageHead(page));
		KUNIT_EXPECT_EQ(test, page_count(page), 1);
		last = free_pages_now();
		put_page(page);
		KUNIT_EXPECT_EQ_MSG(test, free_pages_now() - last, 1L << order, "order %u", order);
	}
}

/* free_pages() before the last put_page(), or after it: nothing is lost over many rounds. */
static void held_blocks_leak_nothing(struct kunit *test)
{
	static const gfp_t gfps[] = { GFP_KERNEL, GFP_KERNEL | __GFP_COMP };

	for (unsigned int i = 0; i < ARRAY_SIZE(gfps); i++) {
		long before = free_pages_now();

		for (unsigned int round = 0; round < 1000; round++) {
			unsigned long addr = __get_free_pages(gfps[i], 3);
			struct page *page = virt_to_page((void *)addr);

			KUNIT_ASSERT_NE(test, addr, 0);
			get_page(page);
			free_pages(addr, 3);
			put_page(page);
		}
		KUNIT_EXPECT_LE(test, abs(free_pages_now() - before), SLACK);
	}
}

/* After free_pages() of a held block its first page is still the holder's to use. */
static void holder_keeps_the_first_page(struct kunit *test)
{
	struct page *page = alloc_pages(GFP_KERNEL, 3), *others[64];
	u8 *bytes;

	KUNIT_ASSERT_NOT_NULL(test, page);
	bytes = page_address(page);
	get_page(page);
	memset(bytes, 0x77, PAGE_SIZE);
	__free_pages(page, 3);
	for (unsigned int i = 0; i < ARRAY_SIZE(others); i++) {
		others[i] = alloc_page(GFP_KERNEL | __GFP_ZERO);
		KUNIT_EXPECT_PTR_NE(test, others[i], page);
	}
	KUNIT_EXPECT_NULL(test, memchr_inv(bytes, 0x77, PAGE_SIZE));
	for (unsigned int i = 0; i < ARRAY_SIZE(others); i++)
		if (others[i])
			__free_page(others[i]);
	put_page(page);
}

/* The last put_page() of a plain block frees the first page alone: the caller has the rest. */
static void put_of_plain_block_frees_one(struct kunit *test)
{
	for (unsigned int order = 1; order <= 5; order++) {
		struct page *page = alloc_pages(GFP_KERNEL, order);
		long before = free_pages_now();

		KUNIT_ASSERT_NOT_NULL(test, page);
		put_page(page);
		KUNIT_EXPECT_EQ(test, free_pages_now() - before, 1);
		for (unsigned int i = 1; i < 1U << order; i++) {
			init_page_count(page + i);
			__free_page(page + i);
		}
		KUNIT_EXPECT_EQ(test, free_pages_now() - before, 1L << order);
	}
}

/* split_page(): each page of a plain block becomes a page of its own, with one reference. */
static void split_gives_each_a_reference(struct kunit *test)
{
	for (unsigned int order = 0; order <= MAX_PAGE_ORDER; order++) {
		long before = free_pages_now();
		struct page *page = alloc_pages(GFP_KERNEL, order);
		unsigned long wrong = 0;

		KUNIT_ASSERT_NOT_NULL(test, page);
		split_page(page, order);
		for (unsigned long i = 0; i < 1UL << order; i++) {
			wrong += page_count(page + i) != 1;
			wrong += PageCompound(page + i);
		}
		KUNIT_EXPECT_EQ(test, wrong, 0);
		/* Freed one by one, in two ways and from both ends. */
		for (unsigned long i = 0; i < 1UL << order; i += 2)
			__free_page(page + i);
		for (unsigned long i = (1UL << order) - 1; i < 1UL << order; i -= 2) {
			if (!order)
				break;
			put_page(page + i);
		}
		KUNIT_EXPECT_LE(test, abs(free_pages_now() - before), SLACK);
	}
}

/* A page of a split block can be held on, while the others go. */
static void split_pages_live_alone(struct kunit *test)
{
	struct page *page = alloc_pages(GFP_KERNEL, 4);
	long before;

	KUNIT_ASSERT_NOT_NULL(test, page);
	split_page(page, 4);
	get_page(page + 5);
	before = free_pages_now();
	for (unsigned int i = 0; i < 16; i++)
		__free_page(page + i);
	KUNIT_EXPECT_EQ(test, free_pages_now() - before, 15);
	KUNIT_EXPECT_EQ(test, page_count(page + 5), 1);
	put_page(page + 5);
	KUNIT_EXPECT_EQ(test, free_pages_now() - before, 16);
}

static struct kunit_case refs_cases[] = {
	KUNIT_CASE(starts_with_one),
	KUNIT_CASE(tails_have_none),
	KUNIT_CASE(get_and_put_count),
	KUNIT_CASE(put_on_a_tail_frees_all),
	KUNIT_CASE(free_of_held_block_frees_tails),
	KUNIT_CASE(free_of_held_compound_frees_nothing),
	KUNIT_CASE(held_blocks_leak_nothing),
	KUNIT_CASE(holder_keeps_the_first_page),
	KUNIT_CASE(put_of_plain_block_frees_one),
	KUNIT_CASE(split_gives_each_a_reference),
	KUNIT_CASE(split_pages_live_alone),
	{}
};

static struct kunit_suite refs_suite = {
	.name = "conformance_page_refs",
	.test_cases = refs_cases,
};
kunit_test_suite(refs_suite);
MODULE_DESCRIPTION("page references");
MODULE_LICENSE("Dual MIT/GPL");
