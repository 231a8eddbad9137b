// SPDX-License-Identifier: MIT
/* References as numbers, of pages, folios, many of them: linux/page_ref.h, linux/folio_batch.h. */
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/version.h>
#include <linux/vmstat.h>
#if LINUX_VERSION_CODE >= KERNEL_VERSION(7, 1, 0)
#include <linux/folio_batch.h>
#define PAGEVEC_SIZE FOLIO_BATCH_SIZE
#else
#include <linux/pagevec.h>
#endif

#include "../conformance.h"

/* Pages that the rest of the kernel may take or give back meanwhile. */
#define SLACK 32

/* A large block counts as free at once when it is freed, and smaller requests can get its pages. */
static void large_blocks_are_free_at_once(struct kunit *test)
{
	enum { ORDER = 8, NR = 1 << ORDER };
	struct page *page;
	long start, now;

	page = alloc_pages(GFP_KERNEL, ORDER);
	KUNIT_ASSERT_NOT_NULL(test, page);
	start = free_pages_now();
	__free_pages(page, ORDER);
	fold_counters();
	now = (long)global_zone_page_state(NR_FREE_PAGES);
	KUNIT_EXPECT_GE(test, now, start + NR - SLACK);
	KUNIT_EXPECT_LE(test, now, start + NR + SLACK);
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

#if LINUX_VERSION_CODE < KERNEL_VERSION(7, 2, 0)
#define add_unless_zero(page, nr) page_ref_add_unless(page, nr, 0)
#else
#define add_unless_zero(page, nr) page_ref_add_unless_zero(page, nr)
#endif

/* page_ref_add_unless() of zero, get_page_unless_zero(): a count of zero stays zero. */
static void not_from_zero(struct kunit *test)
{
	struct page *page = alloc_page(GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, page);
	KUNIT_EXPECT_TRUE(test, get_page_unless_zero(page));
	KUNIT_EXPECT_EQ(test, page_count(page), 2);
	KUNIT_EXPECT_TRUE(test, add_unless_zero(page, 5));
	KUNIT_EXPECT_EQ(test, page_count(page), 7);
	set_page_count(page, 0);
	KUNIT_EXPECT_FALSE(test, add_unless_zero(page, 5));
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
#if LINUX_VERSION_CODE < KERNEL_VERSION(7, 3, 0)
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
#else
	kunit_skip(test, "up to Linux 7.2");
#endif
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

static struct kunit_case counts_cases[] = {
	KUNIT_CASE(large_blocks_are_free_at_once),
	KUNIT_CASE(count_arithmetic),
	KUNIT_CASE(not_from_zero),
	KUNIT_CASE(freeze_and_unfreeze),
	KUNIT_CASE(testzero_hands_the_page_over),
	KUNIT_CASE(folio_references),
	KUNIT_CASE(folio_put_all_references),
	KUNIT_CASE(release_many),
	KUNIT_CASE(put_a_list),
	KUNIT_CASE(batches),
	{}
};

static struct kunit_suite counts_suite = {
	.name = "conformance_page_counts",
	.test_cases = counts_cases,
};
kunit_test_suite(counts_suite);
MODULE_DESCRIPTION("reference counts");
MODULE_LICENSE("Dual MIT/GPL");
