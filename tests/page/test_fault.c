/* SPDX-License-Identifier: MIT */
/* Requests for pages that fail on purpose, each kind in a child with its own options. */
#include "support/child.h"
#include "support/kernel.h"
#include "support/threads.h"
#include "support/zones.h"

#define NR 200

/* How many of NR requests fail. */
static unsigned int failures(struct kunit *test, gfp_t gfp, unsigned int order)
{
	unsigned int failed = 0;

	(void)test;
	for (unsigned int i = 0; i < NR; i++) {
		struct page *page = alloc_pages(gfp, order);

		failed += !page;
		if (page)
			__free_pages(page, order);
	}
	return failed;
}

static void by_option(struct kunit *test)
{
	/* Only orders of 1 and more, only what may not wait, never NOFAIL. */
	KUNIT_EXPECT_EQ(test, failures(test, GFP_NOWAIT, 0), 0);
	KUNIT_EXPECT_EQ(test, failures(test, GFP_KERNEL, 1), 0);
	KUNIT_EXPECT_EQ(test, failures(test, GFP_ATOMIC | __GFP_HIGHMEM | __GFP_NOWARN, 1), 0);
	KUNIT_EXPECT_EQ(test, failures(test, GFP_NOWAIT, 1), NR);
	KUNIT_EXPECT_EQ(test, failures(test, GFP_NOWAIT, MAX_PAGE_ORDER), NR);
	usermm_fail_page_alloc.min_order = 0;
	usermm_fail_page_alloc.ignore_gfp_reclaim = false;
	usermm_fail_page_alloc.ignore_gfp_highmem = false;
	KUNIT_EXPECT_EQ(test, failures(test, GFP_KERNEL | __GFP_NOWARN, 0), NR);
	KUNIT_EXPECT_EQ(test, failures(test, GFP_HIGHUSER | __GFP_NOWARN, 3), NR);
	KUNIT_EXPECT_EQ(test, failures(test, GFP_KERNEL | __GFP_NOFAIL, 0), 0);
	KUNIT_EXPECT_EQ(test, __get_free_pages(GFP_NOWAIT, 2), 0);
	KUNIT_EXPECT_NULL(test, __alloc_pages(GFP_NOWAIT, 1, 0, NULL));
	KUNIT_EXPECT_NULL(test, alloc_frozen_pages(GFP_NOWAIT, 0));
}

static void test_fault_option(struct kunit *test)
{
	zones_run(test, "fail_page_alloc=1,100,0,-1", by_option);
}

static void counted(struct kunit *test)
{
	/* 100 units pass, then every third request fails, ten times. */
	unsigned int failed = 0, first = NR;

	for (unsigned int i = 0; i < NR; i++) {
		struct page *page = alloc_pages(GFP_NOWAIT, 1);

		if (!page) {
			first = i < first ? i : first;
			failed++;
		} else {
			__free_pages(page, 1);
		}
	}
	KUNIT_EXPECT_EQ(test, failed, 10);
	KUNIT_EXPECT_EQ_MSG(test, first, 51, "50 of 2 pages each, less the last that is equal");
}

static void test_fault_space_interval_times(struct kunit *test)
{
	zones_run(test, "fail_page_alloc=3,100,100,10", counted);
}

static void sometimes(struct kunit *test)
{
	unsigned int failed = 0;

	for (unsigned int i = 0; i < 10; i++)
		failed += failures(test, GFP_NOWAIT, 2);
	/* 600 expected; more than ten standard deviations away would be wrong. */
	KUNIT_EXPECT_GT(test, failed, 350);
	KUNIT_EXPECT_LT(test, failed, 850);
}

static void test_fault_probability(struct kunit *test)
{
	zones_run(test, "fail_page_alloc=1,30,0,-1", sometimes);
}

static void nth(struct kunit *test)
{
	struct page *pages[20] = { NULL };

	usermm_fail_page_alloc.min_order = 0;
	usermm_fail_page_alloc.ignore_gfp_reclaim = false;
	usermm_fail_page_alloc.attr.verbose = 0;
	for (unsigned int n = 1; n <= 20; n++) {
		KUNIT_EXPECT_EQ(test, usermm_fail_nth(n), 0);
		for (unsigned int i = 0; i < 20; i++)
			pages[i] = alloc_page(GFP_KERNEL);
		for (unsigned int i = 0; i < 20; i++)
			KUNIT_EXPECT_EQ_MSG(test, !pages[i], i + 1 == n, "page %u, n %u", i, n);
		KUNIT_EXPECT_EQ(test, usermm_fail_nth(0), 0);
		free_pages_bulk(pages, 20);
	}
	usermm_fail_nth(5);
	pages[0] = alloc_page(GFP_KERNEL);
	KUNIT_EXPECT_EQ_MSG(test, usermm_fail_nth(0), 4, "what is left");
	KUNIT_EXPECT_EQ(test, failures(test, GFP_KERNEL, 0), 0);
	__free_page(pages[0]);
}

static void test_fault_nth(struct kunit *test)
{
	zones_run(test, "", nth);
}

/* A caller of bulk requests that goes on until it has what it wants, or nothing comes. */
static void bulk(struct kunit *test)
{
	usermm_fail_page_alloc.min_order = 0;
	usermm_fail_page_alloc.ignore_gfp_reclaim = false;
	usermm_fail_page_alloc.attr.verbose = 0;
	for (unsigned int k = 1; k <= 8; k++) {
		struct page *array[8] = { NULL };
		unsigned long got = 0, now;
		LIST_HEAD(list);

		usermm_fail_nth(k);
		while ((now = alloc_pages_bulk_array(GFP_KERNEL, 8, array)) > got)
			got = now;
		KUNIT_EXPECT_EQ_MSG(test, got, k - 1, "fault at page %u", k);
		for (unsigned int i = 0; i < 8; i++)
			KUNIT_EXPECT_EQ(test, array[i] != NULL, i < got);
		KUNIT_EXPECT_EQ(test, usermm_fail_nth(0), 0);
		while ((now = alloc_pages_bulk_array(GFP_KERNEL, 8, array)) < 8)
			KUNIT_ASSERT_GT(test, now, 0);
		free_pages_bulk(array, 8);
		usermm_fail_nth(1);
		KUNIT_EXPECT_EQ(test, alloc_pages_bulk_list(GFP_KERNEL, 8, &list), 0);
		KUNIT_EXPECT_TRUE(test, list_empty(&list));
	}
}

static void test_fault_bulk(struct kunit *test)
{
	zones_run(test, "", bulk);
}

static void arm_late(struct kunit *test)
{
	struct page *page = alloc_pages(GFP_NOWAIT, 1);

	KUNIT_ASSERT_NOT_NULL(test, page);
	__free_pages(page, 1);
	KUNIT_EXPECT_EQ(test, failures(test, GFP_NOWAIT, 1), 0);
	KUNIT_EXPECT_EQ(test, usermm_fault_attr_parse(&usermm_fail_page_alloc.attr, "1,100,0,7"), 1);
	usermm_arm_faults();
	KUNIT_EXPECT_EQ(test, failures(test, GFP_NOWAIT, 1), 7);
	KUNIT_EXPECT_EQ(test, failures(test, GFP_NOWAIT, 1), 0);
}

static void test_fault_armed_late(struct kunit *test)
{
	zones_run(test, "", arm_late);
}

static void test_fault_texts(struct kunit *test)
{
	static const char *const bad[] = { "", "1", "1,2,3", "1,2,3,", "1,2,3,4,", "a,1,1,1",
		"1, 2,3,4", "1,2,3,4x", "-1,2,3,4", "1,-2,3,4", "1,2,99999999999,4", "1,2,3,-" };
	struct usermm_fault_attr attr = { .interval = 5 };
	const char *error;

	for (unsigned int i = 0; i < ARRAY_SIZE(bad); i++)
		KUNIT_EXPECT_EQ_MSG(test, usermm_fault_attr_parse(&attr, bad[i]), 0, "%s", bad[i]);
	KUNIT_EXPECT_EQ(test, attr.interval, 5);
	KUNIT_EXPECT_EQ(test, usermm_fault_attr_parse(&attr, "10,20,-1,-1"), 1);
	KUNIT_EXPECT_EQ(test, attr.interval, 10);
	KUNIT_EXPECT_EQ(test, attr.probability, 20);
	KUNIT_EXPECT_EQ(test, attr.times, -1);
	KUNIT_EXPECT_NE(test, usermm_set_options("fail_page_alloc=1,2,3", &error), 0);
	KUNIT_EXPECT_NOT_NULL(test, strstr(error, "interval,probability,space,times"));
	KUNIT_EXPECT_NE(test, usermm_set_options("fail_page_alloc=1,2,3,x", &error), 0);
}

static struct kunit_case fault_cases[] = {
	KUNIT_CASE(test_fault_option),
	KUNIT_CASE(test_fault_space_interval_times),
	KUNIT_CASE(test_fault_probability),
	KUNIT_CASE(test_fault_nth),
	KUNIT_CASE(test_fault_bulk),
	KUNIT_CASE(test_fault_armed_late),
	KUNIT_CASE(test_fault_texts),
	{ 0 },
};

static struct kunit_suite fault_suite = { .name = "fault", .test_cases = fault_cases };

kunit_test_suite(fault_suite);
