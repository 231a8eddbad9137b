/* SPDX-License-Identifier: MIT */
/* Bulk allocation, array and list form, by the rules of Linux 6.12 (seed 1). */
#include "support/kernel.h"
#include "support/prng.h"
#include "support/shadow.h"

#define NR_MAX 600

static const unsigned long counts[] = { 1, 2, 3, 4, 7, 8, 16, 31, 63, 64, 65, 128, 300, NR_MAX };

static struct page **new_array(struct kunit *test)
{
	struct page **array = kunit_kcalloc(test, NR_MAX, sizeof(*array), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, array);
	return array;
}

/* Each page must be one order-0 page of its own, with one reference. */
static void check_pages(struct kunit *test, struct page **array, unsigned long nr)
{
	struct shadow shadow;

	KUNIT_ASSERT_TRUE(test, shadow_init(&shadow, PAGE_SHIFT, 2 * NR_MAX));
	for (unsigned long i = 0; i < nr; i++) {
		KUNIT_ASSERT_NOT_NULL_MSG(test, array[i], "entry %lu of %lu", i, nr);
		KUNIT_ASSERT_EQ_MSG(test, shadow_claim(&shadow, page_address(array[i]), PAGE_SIZE),
				    0, "entry %lu was handed out twice", i);
		KUNIT_EXPECT_EQ(test, page_ref_count(array[i]), 1);
		KUNIT_EXPECT_FALSE(test, PageCompound(array[i]));
		memset(page_address(array[i]), 0xa5, PAGE_SIZE);
	}
	shadow_destroy(&shadow);
}

/* Tries each way to free: all must work. */
static void free_each(struct page **array, unsigned long nr)
{
	for (unsigned long i = 0; i < nr; i++) {
		if (!array[i])
			continue;
		if (i % 3 == 0)
			put_page(array[i]);
		else if (i % 3 == 1)
			__free_page(array[i]);
		else
			free_page((unsigned long)page_address(array[i]));
		array[i] = NULL;
	}
}

static void test_bulk_array_fills_empty(struct kunit *test)
{
	struct page **array = new_array(test);

	for (unsigned int i = 0; i < ARRAY_SIZE(counts); i++) {
		KUNIT_ASSERT_EQ(test, alloc_pages_bulk_array(GFP_KERNEL, counts[i], array),
				counts[i]);
		check_pages(test, array, counts[i]);
		if (counts[i] < NR_MAX)
			KUNIT_EXPECT_NULL(test, array[counts[i]]);
		free_each(array, counts[i]);
	}
}

static void test_bulk_array_nothing_wanted(struct kunit *test)
{
	struct page *array[1] = { NULL };

	KUNIT_EXPECT_EQ(test, alloc_pages_bulk_array(GFP_KERNEL, 0, array), 0);
	KUNIT_EXPECT_NULL(test, array[0]);
}

static void test_bulk_array_already_full(struct kunit *test)
{
	struct page **array = new_array(test);
	struct page *before[64];

	KUNIT_ASSERT_EQ(test, alloc_pages_bulk_array(GFP_KERNEL, 64, array), 64);
	memcpy(before, array, sizeof(before));
	KUNIT_EXPECT_EQ(test, alloc_pages_bulk_array(GFP_KERNEL, 64, array), 64);
	KUNIT_EXPECT_MEMEQ(test, array, before, sizeof(before));
	for (unsigned int i = 0; i < 64; i++)
		KUNIT_EXPECT_EQ(test, page_ref_count(array[i]), 1);
	free_each(array, 64);
}

/* Pages in front of the first gap are counted in the result; pages between gaps are skipped. */
static void test_bulk_array_fills_only_gaps(struct kunit *test)
{
	struct page **array = new_array(test);
	struct page *before[NR_MAX];
	struct prng prng = { 3 };

	for (unsigned int round = 0; round < 200; round++) {
		unsigned long nr = prng_range(&prng, 1, NR_MAX);
		unsigned int density = prng_range(&prng, 1, 20);

		for (unsigned long i = 0; i < nr; i++) {
			if (!prng_one_in(&prng, density))
				continue;
			array[i] = alloc_page(GFP_KERNEL);
			KUNIT_ASSERT_NOT_NULL(test, array[i]);
		}
		memcpy(before, array, nr * sizeof(*array));
		KUNIT_ASSERT_EQ(test, alloc_pages_bulk_array(GFP_KERNEL, nr, array), nr);
		for (unsigned long i = 0; i < nr; i++)
			if (before[i])
				KUNIT_ASSERT_PTR_EQ(test, array[i], before[i]);
		check_pages(test, array, nr);
		free_each(array, nr);
	}
}

static void test_bulk_array_zeroes(struct kunit *test)
{
	struct page **array = new_array(test);

	KUNIT_ASSERT_EQ(test, alloc_pages_bulk_array(GFP_KERNEL, NR_MAX, array), NR_MAX);
	check_pages(test, array, NR_MAX);	/* dirties them */
	free_each(array, NR_MAX);
	for (unsigned int i = 1; i < NR_MAX; i += 97)
		array[i] = alloc_page(GFP_KERNEL);
	KUNIT_ASSERT_EQ(test, alloc_pages_bulk_array(GFP_KERNEL | __GFP_ZERO, NR_MAX, array),
			NR_MAX);
	for (unsigned int i = 0; i < NR_MAX; i++)
		if (i % 97 != 1)
			KUNIT_ASSERT_TRUE_MSG(test, shadow_all_bytes(page_address(array[i]),
								     PAGE_SIZE, 0),
					      "entry %u", i);
	free_each(array, NR_MAX);
}

static unsigned long list_to_array(struct list_head *list, struct page **array)
{
	struct page *page, *next;
	unsigned long nr = 0;

	list_for_each_entry_safe(page, next, list, lru) {
		list_del(&page->lru);
		array[nr++] = page;
	}
	return nr;
}

static void test_bulk_list(struct kunit *test)
{
	struct page **array = new_array(test);

	for (unsigned int i = 0; i < ARRAY_SIZE(counts); i++) {
		LIST_HEAD(list);

		KUNIT_ASSERT_EQ(test, alloc_pages_bulk_list(GFP_KERNEL, counts[i], &list),
				counts[i]);
		KUNIT_ASSERT_EQ(test, list_to_array(&list, array), counts[i]);
		check_pages(test, array, counts[i]);
		free_each(array, counts[i]);
	}
}

/* The latest page is the first of the list; what was there before comes last. */
static void test_bulk_list_adds_at_head(struct kunit *test)
{
	struct page **array = new_array(test);
	struct page *first = alloc_page(GFP_KERNEL), *second;
	LIST_HEAD(list);

	KUNIT_ASSERT_NOT_NULL(test, first);
	list_add(&first->lru, &list);
	KUNIT_ASSERT_EQ(test, alloc_pages_bulk_list(GFP_KERNEL, 100, &list), 100);
	KUNIT_EXPECT_PTR_EQ(test, list_last_entry(&list, struct page, lru), first);
	second = list_first_entry(&list, struct page, lru);
	KUNIT_ASSERT_EQ(test, alloc_pages_bulk_list(GFP_KERNEL, 1, &list), 1);
	KUNIT_EXPECT_PTR_EQ(test, list_next_entry(list_first_entry(&list, struct page, lru), lru),
			    second);
	KUNIT_EXPECT_EQ(test, list_to_array(&list, array), 102);
	check_pages(test, array, 102);
	free_each(array, 102);
}

static void test_bulk_list_nothing_wanted(struct kunit *test)
{
	LIST_HEAD(list);

	KUNIT_EXPECT_EQ(test, alloc_pages_bulk_list(GFP_KERNEL, 0, &list), 0);
	KUNIT_EXPECT_TRUE(test, list_empty(&list));
}

static void test_bulk_list_zeroes(struct kunit *test)
{
	struct page **array = new_array(test);
	LIST_HEAD(list);

	KUNIT_ASSERT_EQ(test, alloc_pages_bulk_array(GFP_KERNEL, 300, array), 300);
	check_pages(test, array, 300);
	free_each(array, 300);
	KUNIT_ASSERT_EQ(test, alloc_pages_bulk_list(GFP_KERNEL | __GFP_ZERO, 300, &list), 300);
	KUNIT_ASSERT_EQ(test, list_to_array(&list, array), 300);
	for (unsigned int i = 0; i < 300; i++)
		KUNIT_ASSERT_TRUE(test, shadow_all_bytes(page_address(array[i]), PAGE_SIZE, 0));
	free_each(array, 300);
}

/* A short request that finds the list empty leaves it as a single page's request does. */
static void test_bulk_refills(struct kunit *test)
{
	struct page *pages[4] = { NULL };
	struct usermm_stats stats;

	drain_local_pages(NULL);
	KUNIT_ASSERT_EQ(test, alloc_pages_bulk_array(GFP_KERNEL, 4, pages), 4);
	usermm_stats_read(&stats);
	KUNIT_EXPECT_GE(test, stats.pcp_bytes, 8 * PAGE_SIZE);
	free_pages_bulk(pages, 4);
}

static struct kunit_case bulk_cases[] = {
	KUNIT_CASE(test_bulk_array_fills_empty),
	KUNIT_CASE(test_bulk_array_nothing_wanted),
	KUNIT_CASE(test_bulk_array_already_full),
	KUNIT_CASE(test_bulk_array_fills_only_gaps),
	KUNIT_CASE(test_bulk_array_zeroes),
	KUNIT_CASE(test_bulk_list),
	KUNIT_CASE(test_bulk_list_adds_at_head),
	KUNIT_CASE(test_bulk_list_nothing_wanted),
	KUNIT_CASE(test_bulk_list_zeroes),
	KUNIT_CASE(test_bulk_refills),
	{ 0 },
};

static struct kunit_suite bulk_suite = { .name = "page_bulk", .test_cases = bulk_cases };

kunit_test_suite(bulk_suite);

MODULE_LICENSE("Dual MIT/GPL");
