// SPDX-License-Identifier: MIT
/* Who owns a block: references, and what the last one frees. linux/mm.h, linux/page_ref.h. */
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/pagevec.h>
#include <linux/vmstat.h>

#include "conformance.h"

#define ROUNDS 64
/* Pages that the rest of the kernel may take or give back meanwhile. */
#define SLACK 32

static long free_pages_now(void)
{
	LINUX_SYMBOL(drain_all_pages)(NULL);
	return (long)global_zone_page_state(NR_FREE_PAGES);
}

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

/* How many pages are free after the call that are not before it. */
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

/* The arithmetic of linux/page_ref.h. */
static void count_arithmetic(struct kunit *test)
{
	struct page *page = alloc_page(GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, page);
	page_ref_inc(page);
	KUNIT_EXPECT_EQ(test, page_ref_count(page), 2);
	page_ref_dec(page);
	KUNIT_EXPECT_EQ(test, page_ref_count(page), 1);
	page_ref_add(page, 41);
	KUNIT_EXPECT_EQ(test, page_ref_count(page), 42);
	page_ref_sub(page, 40);
	KUNIT_EXPECT_EQ(test, page_ref_count(page), 2);
	KUNIT_EXPECT_EQ(test, page_ref_inc_return(page), 3);
	KUNIT_EXPECT_EQ(test, page_ref_dec_return(page), 2);
	KUNIT_EXPECT_FALSE(test, page_ref_dec_and_test(page));
	KUNIT_EXPECT_TRUE(test, page_ref_dec_and_test(page));
	KUNIT_EXPECT_EQ(test, page_ref_count(page), 0);
	set_page_count(page, 7);
	KUNIT_EXPECT_FALSE(test, page_ref_sub_and_test(page, 3));
	KUNIT_EXPECT_TRUE(test, page_ref_sub_and_test(page, 4));
	init_page_count(page);
	KUNIT_EXPECT_EQ(test, page_count(page), 1);
	__free_page(page);
}

/* page_ref_add_unless(), get_page_unless_zero(): nothing is revived from zero. */
static void not_from_zero(struct kunit *test)
{
	struct page *page = alloc_page(GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, page);
	KUNIT_EXPECT_TRUE(test, get_page_unless_zero(page));
	KUNIT_EXPECT_EQ(test, page_count(page), 2);
	KUNIT_EXPECT_FALSE(test, page_ref_add_unless(page, 5, 2));
	KUNIT_EXPECT_EQ(test, page_count(page), 2);
	KUNIT_EXPECT_TRUE(test, page_ref_add_unless(page, 5, 1));
	KUNIT_EXPECT_EQ(test, page_count(page), 7);
	set_page_count(page, 0);
	KUNIT_EXPECT_FALSE(test, get_page_unless_zero(page));
	KUNIT_EXPECT_FALSE(test, folio_try_get(page_folio(page)));
	KUNIT_EXPECT_EQ(test, page_ref_count(page), 0);
	init_page_count(page);
	KUNIT_EXPECT_TRUE(test, try_get_page(page));
	KUNIT_EXPECT_EQ(test, page_count(page), 2);
	put_page(page);
	__free_page(page);
}

/* page_ref_freeze(): to zero only from the count that is expected; unfreeze sets it. */
static void freeze_and_unfreeze(struct kunit *test)
{
	struct page *page = alloc_page(GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, page);
	get_page(page);
	KUNIT_EXPECT_FALSE(test, page_ref_freeze(page, 1));
	KUNIT_EXPECT_EQ(test, page_ref_count(page), 2);
	KUNIT_EXPECT_TRUE(test, page_ref_freeze(page, 2));
	KUNIT_EXPECT_EQ(test, page_ref_count(page), 0);
	KUNIT_EXPECT_FALSE(test, get_page_unless_zero(page));
	page_ref_unfreeze(page, 1);
	KUNIT_EXPECT_EQ(test, page_ref_count(page), 1);
	__free_page(page);
}

/* put_page_testzero(): true for the last reference, and then the page is the caller's. */
static void testzero_hands_the_page_over(struct kunit *test)
{
	struct page *page = alloc_page(GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, page);
	get_page(page);
	KUNIT_EXPECT_FALSE(test, put_page_testzero(page));
	KUNIT_EXPECT_TRUE(test, put_page_testzero(page));
	KUNIT_EXPECT_EQ(test, page_ref_count(page), 0);
	init_page_count(page);
	__free_page(page);
}

/* folio_get(), folio_put(), folio_put_refs(), folio_ref_*(): the same count. */
static void folio_references(struct kunit *test)
{
	for (unsigned int order = 0; order <= 4; order++) {
		struct folio *folio = folio_alloc(GFP_KERNEL, order);
		long before;

		KUNIT_ASSERT_NOT_NULL(test, folio);
		KUNIT_EXPECT_EQ(test, folio_ref_count(folio), 1);
		folio_get(folio);
		KUNIT_EXPECT_EQ(test, folio_ref_count(folio), 2);
		KUNIT_EXPECT_TRUE(test, folio_try_get(folio));
		folio_ref_add(folio, 10);
		KUNIT_EXPECT_EQ(test, page_count(&folio->page), 13);
		folio_ref_sub(folio, 8);
		folio_ref_inc(folio);
		folio_ref_dec(folio);
		folio_put(folio);
		KUNIT_EXPECT_EQ(test, folio_ref_count(folio), 4);
		folio_put_refs(folio, 3);
		KUNIT_EXPECT_EQ(test, folio_ref_count(folio), 1);
		before = free_pages_now();
		folio_put_refs(folio, 1);
		KUNIT_EXPECT_EQ(test, free_pages_now() - before, 1L << order);
	}
}

/* folio_put_refs() of all references at once frees it as well. */
static void folio_put_all_references(struct kunit *test)
{
	struct folio *folio = folio_alloc(GFP_KERNEL, 2);
	long before;

	KUNIT_ASSERT_NOT_NULL(test, folio);
	folio_ref_add(folio, 6);
	before = free_pages_now();
	folio_put_refs(folio, 7);
	KUNIT_EXPECT_EQ(test, free_pages_now() - before, 4);
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

/* release_pages(): one reference of each page; those without others are freed. */
static void release_many(struct kunit *test)
{
	enum { NR = 40 };
	struct page *pages[NR];
	long before = free_pages_now();

	for (unsigned int i = 0; i < NR; i++) {
		pages[i] = alloc_pages(GFP_KERNEL | __GFP_COMP, i % 4);
		KUNIT_ASSERT_NOT_NULL(test, pages[i]);
		if (i % 5 == 0)
			get_page(pages[i]);
	}
	release_pages(pages, NR);
	for (unsigned int i = 0; i < NR; i += 5) {
		KUNIT_EXPECT_EQ(test, page_count(pages[i]), 1);
		put_page(pages[i]);
	}
	KUNIT_EXPECT_LE(test, abs(free_pages_now() - before), SLACK);
}

/* put_pages_list(): one reference of each page that is on the list through its lru. */
static void put_a_list(struct kunit *test)
{
	long before = free_pages_now();
	LIST_HEAD(list);

	for (unsigned int i = 0; i < 200; i++) {
		struct page *page = alloc_page(GFP_KERNEL);

		KUNIT_ASSERT_NOT_NULL(test, page);
		list_add(&page->lru, &list);
	}
	put_pages_list(&list);
	KUNIT_EXPECT_TRUE(test, list_empty(&list));
	KUNIT_EXPECT_LE(test, abs(free_pages_now() - before), SLACK);
}

/* struct folio_batch: PAGEVEC_SIZE of them; released, each loses one reference. */
static void batches(struct kunit *test)
{
	long before = free_pages_now();
	struct folio_batch batch;
	struct folio *kept = NULL;

	folio_batch_init(&batch);
	KUNIT_EXPECT_EQ(test, folio_batch_count(&batch), 0);
	KUNIT_EXPECT_EQ(test, folio_batch_space(&batch), PAGEVEC_SIZE);
	for (unsigned int i = 0; i < PAGEVEC_SIZE; i++) {
		struct folio *folio = folio_alloc(GFP_KERNEL, i % 3);

		KUNIT_ASSERT_NOT_NULL(test, folio);
		if (i == 7) {
			kept = folio;
			folio_get(folio);
		}
		/* What is returned is how many more there is room for. */
		KUNIT_EXPECT_EQ(test, folio_batch_add(&batch, folio), PAGEVEC_SIZE - i - 1);
		KUNIT_EXPECT_EQ(test, folio_batch_count(&batch), i + 1);
	}
	KUNIT_EXPECT_PTR_EQ(test, batch.folios[7], kept);
	folio_batch_release(&batch);
	KUNIT_EXPECT_EQ(test, folio_batch_count(&batch), 0);
	KUNIT_EXPECT_EQ(test, folio_ref_count(kept), 1);
	folio_put(kept);
	KUNIT_EXPECT_LE(test, abs(free_pages_now() - before), SLACK);
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
	KUNIT_CASE(count_arithmetic),
	KUNIT_CASE(not_from_zero),
	KUNIT_CASE(freeze_and_unfreeze),
	KUNIT_CASE(testzero_hands_the_page_over),
	KUNIT_CASE(folio_references),
	KUNIT_CASE(folio_put_all_references),
	KUNIT_CASE(split_gives_each_a_reference),
	KUNIT_CASE(split_pages_live_alone),
	KUNIT_CASE(release_many),
	KUNIT_CASE(put_a_list),
	KUNIT_CASE(batches),
	{}
};

static struct kunit_suite refs_suite = {
	.name = "conformance_page_refs",
	.test_cases = refs_cases,
};
kunit_test_suite(refs_suite);
MODULE_DESCRIPTION("page references");
MODULE_LICENSE("Dual MIT/GPL");
