// SPDX-License-Identifier: MIT
/*
 * The bulk allocator when memory is short. As in page_marks.c, the watermarks are raised to the
 * number of free pages.
 */
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/vmstat.h>

#include "../conformance_marks.h"

struct bulk_outcome {
	unsigned long result;
	struct page *pages[8];
};

/* The same with the bulk allocator; what is in pages[] stays there. */
static void ask_bulk(struct bulk_outcome *outcome, unsigned long min_pages, gfp_t gfp)
{
	set_min_pages(min_pages);
	drain_lists();
	outcome->result = alloc_pages_bulk_array(gfp | __GFP_NOWARN, 8, outcome->pages);
	set_min_pages(kbytes_before >> (PAGE_SHIFT - 10));
}

static void free_outcome(struct bulk_outcome *outcome)
{
	for (unsigned int i = 0; i < 8; i++)
		if (outcome->pages[i])
			__free_page(outcome->pages[i]);
}

/* Below the low mark the bulk allocator takes one page, the way that single ones go. */
static void below_low_takes_one(struct kunit *test)
{
	struct bulk_outcome outcome = { 0 };

	ask_bulk(&outcome, free_pages_now() / 16 * 15, GFP_NOWAIT);
	KUNIT_EXPECT_EQ(test, outcome.result, 1);
	KUNIT_EXPECT_NOT_NULL(test, outcome.pages[0]);
	for (unsigned int i = 1; i < 8; i++)
		KUNIT_EXPECT_NULL(test, outcome.pages[i]);
	free_outcome(&outcome);
}

/* Sets min so that low is about so many pages below the free ones; how many it became. */
static long leave_above_low(long wanted)
{
	long min_pages = (long)free_pages_now() / 4 * 3, above = 0;

	for (unsigned int i = 0; i < 40; i++) {
		struct zone *zone;

		set_min_pages((unsigned long)min_pages);
		drain_lists();
		zone = &NODE_DATA(0)->node_zones[gfp_zone(GFP_KERNEL)];
		above = (long)zone_page_state(zone, NR_FREE_PAGES) -
			(long)low_wmark_pages(zone);
		min_pages += (above - wanted) * 3 / 4;
	}
	return above;
}

/*
 * Either all pages that were asked for fit above the low mark, or the call gets one page, not a
 * part.
 */
static void wish_has_to_fit_above_low(struct kunit *test)
{
	enum { FEW = 48, MANY = 600, ABOVE = 300 };
	struct page **pages;
	unsigned long few, many, listed;
	struct page *page, *next;
	LIST_HEAD(list);
	long above;

	need_page_lists(test);
	pages = kvcalloc(MANY, sizeof(*pages), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, pages);
	above = leave_above_low(ABOVE);
	many = alloc_pages_bulk_array(GFP_NOWAIT | __GFP_NOWARN, MANY, pages);
	for (unsigned long i = 0; i < many; i++)
		__free_page(pages[i]);
	memset(pages, 0, MANY * sizeof(*pages));
	drain_lists();
	listed = alloc_pages_bulk_list(GFP_NOWAIT | __GFP_NOWARN, MANY, &list);
	list_for_each_entry_safe(page, next, &list, lru)
		__free_page(page);
	drain_lists();
	few = alloc_pages_bulk_array(GFP_NOWAIT | __GFP_NOWARN, FEW, pages);
	set_min_pages(kbytes_before >> (PAGE_SHIFT - 10));
	for (unsigned long i = 0; i < few; i++)
		__free_page(pages[i]);
	kvfree(pages);
	KUNIT_EXPECT_GT(test, above, (long)FEW);
	KUNIT_EXPECT_LT(test, above, (long)MANY);
	KUNIT_EXPECT_EQ(test, many, 1UL);
	KUNIT_EXPECT_EQ(test, listed, HAS_BULK_LIST ? 1UL : 0UL);
	KUNIT_EXPECT_EQ(test, few, (unsigned long)FEW);
}

/* This CPU's list does not help either: below the mark the call takes one page of it. */
static void list_does_not_count(struct kunit *test)
{
	struct bulk_outcome outcome = { 0 };

	need_page_lists(test);
	outcome.result = alloc_pages_bulk_array(GFP_KERNEL, 8, outcome.pages);
	KUNIT_ASSERT_EQ(test, outcome.result, 8);
	set_min_pages(free_pages_now() / 16 * 15);
	free_outcome(&outcome);
	memset(&outcome, 0, sizeof(outcome));
	outcome.result = alloc_pages_bulk_array(GFP_NOWAIT, 8, outcome.pages);
	set_min_pages(kbytes_before >> (PAGE_SHIFT - 10));
	if (ON_USERMM) {
		DIFFERS(test, "A CPU's list is used below the watermarks, too");
		KUNIT_EXPECT_EQ(test, outcome.result, 8);
	} else {
		KUNIT_EXPECT_EQ(test, outcome.result, 1);
	}
	free_outcome(&outcome);
}

/* Below min a request gets no page, or one page if it may use the reserve. */
static void below_min_takes_none(struct kunit *test)
{
	struct bulk_outcome outcome = { 0 }, atomic = { 0 };

	ask_bulk(&outcome, free_pages_now() + FAR, GFP_NOWAIT);
	KUNIT_EXPECT_EQ(test, outcome.result, 0);
	KUNIT_EXPECT_NULL(test, outcome.pages[0]);
	ask_bulk(&atomic, free_pages_now() * 2, GFP_ATOMIC);
	KUNIT_EXPECT_EQ(test, atomic.result, 1);
	free_outcome(&outcome);
	free_outcome(&atomic);
}

/*
 * The result is the index reached: after the one page in the first gap the entries behind
 * it are not counted, and without any page only the leading entries are.
 */
static void result_is_the_index(struct kunit *test)
{
	struct bulk_outcome one = { 0 }, none = { 0 };

	for (unsigned int i = 0; i < 8; i++) {
		if (i == 2 || i == 5)
			continue;
		one.pages[i] = alloc_page(GFP_KERNEL);
		none.pages[i] = alloc_page(GFP_KERNEL);
	}
	ask_bulk(&one, free_pages_now() / 16 * 15, GFP_NOWAIT);
	ask_bulk(&none, free_pages_now() + FAR, GFP_NOWAIT);
	KUNIT_EXPECT_EQ(test, one.result, 3);
	KUNIT_EXPECT_NOT_NULL(test, one.pages[2]);
	KUNIT_EXPECT_NULL(test, one.pages[5]);
	KUNIT_EXPECT_EQ(test, none.result, 2);
	KUNIT_EXPECT_NULL(test, none.pages[2]);
	KUNIT_EXPECT_NULL(test, none.pages[5]);
	free_outcome(&one);
	free_outcome(&none);
}

/* Entries that are set already count against the mark up to Linux 7.0. */
static void set_entries_and_the_mark(struct kunit *test)
{
	enum { SET = 600, FEW = 40, ABOVE = 300 };
	unsigned long result, above, expected;
	struct page **pages;

	need_page_lists(test);
	pages = kvcalloc(SET + FEW, sizeof(*pages), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, pages);
	for (unsigned int i = 0; i < SET; i++)
		pages[i] = (struct page *)&pages[i];
	above = (unsigned long)leave_above_low(ABOVE);
	result = alloc_pages_bulk_array(GFP_NOWAIT | __GFP_NOWARN, SET + FEW, pages);
	set_min_pages(kbytes_before >> (PAGE_SHIFT - 10));
	for (unsigned long i = SET; i < result; i++)
		__free_page(pages[i]);
	kvfree(pages);
	KUNIT_EXPECT_GT(test, above, FEW + 0UL);
	expected = LINUX_VERSION_CODE < KERNEL_VERSION(7, 1, 0) ? 1 : FEW;
	KUNIT_EXPECT_EQ(test, result - SET, expected);
}

/* The list form: one page below the low mark, none below min. */
static void list_below_marks(struct kunit *test)
{
	struct page *page, *next;
	unsigned long one, none;
	LIST_HEAD(list);
	LIST_HEAD(empty);

	if (!HAS_BULK_LIST)
		kunit_skip(test, "up to Linux 6.13");
	set_min_pages(free_pages_now() / 16 * 15);
	drain_lists();
	one = alloc_pages_bulk_list(GFP_NOWAIT, 8, &list);
	set_min_pages(free_pages_now() + FAR);
	drain_lists();
	none = alloc_pages_bulk_list(GFP_NOWAIT, 8, &empty);
	set_min_pages(kbytes_before >> (PAGE_SHIFT - 10));
	KUNIT_EXPECT_EQ(test, one, 1);
	KUNIT_EXPECT_TRUE(test, list_is_singular(&list));
	KUNIT_EXPECT_EQ(test, none, 0);
	KUNIT_EXPECT_TRUE(test, list_empty(&empty));
	list_for_each_entry_safe(page, next, &list, lru)
		__free_page(page);
}

static struct kunit_case marks_cases[] = {
	KUNIT_CASE(below_low_takes_one),
	KUNIT_CASE(wish_has_to_fit_above_low),
	KUNIT_CASE(list_does_not_count),
	KUNIT_CASE(set_entries_and_the_mark),
	KUNIT_CASE(below_min_takes_none),
	KUNIT_CASE(result_is_the_index),
	KUNIT_CASE(list_below_marks),
	{}
};

static struct kunit_suite marks_suite = {
	.name = "conformance_page_bulk_marks",
	.init = marks_init,
	.exit = marks_exit,
	.test_cases = marks_cases,
};
kunit_test_suite(marks_suite);
MODULE_DESCRIPTION("bulk allocation below the marks");
MODULE_LICENSE("Dual MIT/GPL");
