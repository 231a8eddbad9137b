/* SPDX-License-Identifier: MIT */
/* Requests for pages that fail on purpose, each kind in a child with its own options. */
#include "page/api/exact.h"
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
	/*
	 * By default only requests of order 1 and more that may not wait fail, and never those with
	 * NOFAIL.
	 */
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

/* A block of any number of pages is one request like any other. */
static void exact(struct kunit *test)
{
	static const unsigned long numbers[] = { 1, 4, 5, 16, 96, 96, 1000, 1024 };

	usermm_fail_page_alloc.min_order = 0;
	usermm_fail_page_alloc.ignore_gfp_reclaim = false;
	usermm_fail_page_alloc.attr.verbose = 0;
	for (unsigned int n = 1; n <= ARRAY_SIZE(numbers); n++) {
		KUNIT_EXPECT_EQ(test, usermm_fail_nth(n), 0);
		for (unsigned int i = 0; i < ARRAY_SIZE(numbers); i++) {
			bool zeroed;
			struct page *page = alloc_frozen_exact(GFP_KERNEL, numbers[i], 0, &zeroed);

			KUNIT_EXPECT_EQ_MSG(test, !page, i + 1 == n, "%lu pages, n %u", numbers[i],
					    n);
			if (page)
				free_frozen_exact(page, numbers[i]);
		}
		KUNIT_EXPECT_EQ(test, usermm_fail_nth(0), 0);
	}
}

/* The decision is about the order that the block is cut from. */
static void exact_orders(struct kunit *test)
{
	static const struct {
		unsigned long nr;
		unsigned int align_order;
		bool fails;
	} requests[] = {
		{ 16, 0, false }, { 17, 0, true }, { 32, 0, true }, { 5, 4, false }, { 5, 5, true },
	};

	usermm_fail_page_alloc.min_order = 5;
	for (unsigned int i = 0; i < ARRAY_SIZE(requests); i++) {
		bool zeroed;
		struct page *page = alloc_frozen_exact(GFP_NOWAIT | __GFP_NOWARN, requests[i].nr,
						       requests[i].align_order, &zeroed);

		KUNIT_EXPECT_EQ_MSG(test, !page, requests[i].fails, "%lu pages", requests[i].nr);
		if (page)
			free_frozen_exact(page, requests[i].nr);
	}
}

static void test_fault_exact(struct kunit *test)
{
	zones_run(test, "", exact);
	zones_run(test, "fail_page_alloc=1,100,0,-1", exact_orders);
}

/* A bulk is one request: it fails as a whole, and returns what the array had before. */
static void bulk(struct kunit *test)
{
	usermm_fail_page_alloc.min_order = 0;
	usermm_fail_page_alloc.ignore_gfp_reclaim = false;
	usermm_fail_page_alloc.attr.verbose = 0;
	for (unsigned int k = 1; k <= 8; k++) {
		unsigned long failed = 0;

		usermm_fail_nth(k);
		for (unsigned int call = 1; call <= 8; call++) {
			struct page *array[8] = { NULL };
			LIST_HEAD(list);
			unsigned long got;

			got = call & 1 ? alloc_pages_bulk_array(GFP_KERNEL, 8, array) :
					 alloc_pages_bulk_list(GFP_KERNEL, 8, &list);
			KUNIT_EXPECT_EQ_MSG(test, got, call == k ? 0 : 8, "fault at call %u", k);
			failed += !got;
			for (unsigned int i = 0; i < 8; i++)
				KUNIT_EXPECT_EQ(test, array[i] != NULL, got && call & 1);
			free_pages_bulk(array, 8);
			free_pages_bulk_list(&list);
		}
		KUNIT_EXPECT_EQ(test, failed, 1);
		KUNIT_EXPECT_EQ(test, usermm_fail_nth(0), 0);
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
	KUNIT_EXPECT_NOT_NULL(test, usermm_fault_attr_parse(&usermm_fail_page_alloc.attr,
							    "1,100,0,7"));
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
	static const char *const bad[] = { "", "1", "1,2,3", "a,1,1,1", "1, 2,3,4", "-1,2,3,4",
		"1,-2,3,4", "1,2,99999999999,4", "1,2,3,-", "1,2,3,", "1,2,3,0x" };
	static const char *const bad_options[] = { "fail_page_alloc", "fail_page_alloc=1,2,3",
		"fail_page_alloc=1,2,3,x", "failslab=1,100,0,-", "failslab=x", "failslab=1,,0,1" };
	struct usermm_fault_attr attr = { .interval = 5 };
	const char *error;

	for (unsigned int i = 0; i < ARRAY_SIZE(bad); i++)
		KUNIT_EXPECT_NULL_MSG(test, usermm_fault_attr_parse(&attr, bad[i]), "%s", bad[i]);
	KUNIT_EXPECT_EQ(test, attr.interval, 5);
	KUNIT_EXPECT_STREQ(test, usermm_fault_attr_parse(&attr, "10,20,-1,-1"), "");
	KUNIT_EXPECT_EQ(test, attr.interval, 10);
	KUNIT_EXPECT_EQ(test, attr.probability, 20);
	KUNIT_EXPECT_EQ(test, attr.times, -1);
	KUNIT_EXPECT_STREQ(test, usermm_fault_attr_parse(&attr, "1,2,3,4,more"), ",more");
	for (unsigned int i = 0; i < ARRAY_SIZE(bad_options); i++) {
		KUNIT_EXPECT_NE_MSG(test, usermm_set_options(bad_options[i], &error), 0, "%s",
				    bad_options[i]);
		KUNIT_EXPECT_NOT_NULL_MSG(test, strstr(error, "interval,probability,space,times"),
					  "%s", error);
	}
}

/* The attributes that Linux has as files, beside the four numbers. */
static void settings(struct kunit *test)
{
	const struct usermm_fail_page_alloc *fail = &usermm_fail_page_alloc;

	KUNIT_EXPECT_EQ(test, fail->min_order, 3);
	KUNIT_EXPECT_FALSE(test, fail->ignore_gfp_reclaim);
	KUNIT_EXPECT_TRUE(test, fail->ignore_gfp_highmem);
	KUNIT_EXPECT_EQ(test, fail->attr.verbose, 0);
	KUNIT_EXPECT_EQ(test, fail->attr.reject_start, 0x7000);
	KUNIT_EXPECT_EQ_MSG(test, fail->attr.stacktrace_depth, USERMM_FAULT_STACK_MAX, "no more");
	KUNIT_EXPECT_EQ(test, failures(test, GFP_KERNEL, 2), 0);
	KUNIT_EXPECT_EQ(test, failures(test, GFP_KERNEL | __GFP_NOWARN, 3), NR);
}

static void test_fault_settings(struct kunit *test)
{
	zones_run(test, "fail_page_alloc=1,100,0,-1,min-order=3,ignore-gfp-wait=0,verbose=0,"
		  "reject-start=0x7000,reject-end=0x7001,stacktrace-depth=90", settings);
}

static void task_filter(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, failures(test, GFP_NOWAIT, 1), 0);
	usermm_make_it_fail(true);
	KUNIT_EXPECT_EQ(test, failures(test, GFP_NOWAIT, 1), NR);
	usermm_make_it_fail(false);
	KUNIT_EXPECT_EQ(test, failures(test, GFP_NOWAIT, 1), 0);
}

static void test_fault_task_filter(struct kunit *test)
{
	zones_run(test, "fail_page_alloc=1,100,0,-1,task-filter=1", task_filter);
}

/* First only one function's requests fail; then all requests but this function's. */
static noinline struct page *chosen(void)
{
	struct page *page = alloc_pages(GFP_NOWAIT, 1);

	/* So that this function is a caller with a frame, and not a jump to the callee. */
	__asm__ volatile("" ::: "memory");
	return page;
}

static void by_stack(struct kunit *test)
{
	struct usermm_fault_attr *attr = &usermm_fail_page_alloc.attr;
	unsigned long start = (unsigned long)chosen;
	struct page *page;

	attr->require_start = start;
	attr->require_end = start + 64;
	KUNIT_EXPECT_NULL(test, chosen());
	KUNIT_EXPECT_EQ(test, failures(test, GFP_NOWAIT, 1), 0);
	usermm_fail_nth(1);
	KUNIT_EXPECT_EQ_MSG(test, failures(test, GFP_NOWAIT, 1), 0, "nor the nth");
	KUNIT_EXPECT_NULL(test, chosen());
	KUNIT_EXPECT_EQ(test, usermm_fail_nth(0), 0);
	attr->require_start = 0;
	attr->require_end = ~0UL;
	attr->reject_start = start;
	attr->reject_end = start + 64;
	KUNIT_EXPECT_EQ(test, failures(test, GFP_NOWAIT, 1), NR);
	page = chosen();
	KUNIT_ASSERT_NOT_NULL(test, page);
	__free_pages(page, 1);
	attr->stacktrace_depth = 1;
	KUNIT_EXPECT_NULL_MSG(test, chosen(), "it is not looked that far");
}

static void test_fault_stack(struct kunit *test)
{
#ifdef USERMM_UNWINDER
	zones_run(test, "fail_page_alloc=1,100,0,-1,verbose=0", by_stack);
#else
	(void)by_stack;
	kunit_skip(test, "no stacks here");
#endif
}

static void use_options(struct kunit *test, const char *options)
{
	const char *error;

	KUNIT_ASSERT_EQ_MSG(test, usermm_set_options(options, &error), 0, "%s", error);
}

static void one_told(struct kunit *test, void *arg)
{
	use_options(test, arg);
	KUNIT_EXPECT_NULL(test, alloc_pages(GFP_ATOMIC, 1));
}

static void silent(struct kunit *test, void *arg)
{
	use_options(test, arg);
	KUNIT_EXPECT_NULL(test, alloc_pages(GFP_NOWAIT, 1));
}

static void first_by_node(struct kunit *test, void *arg)
{
	unsigned long here = 1;

	use_options(test, arg);
	KUNIT_EXPECT_NULL(test, __alloc_pages(GFP_NOWAIT, 1, 0, &here));
}

static void first_exact(struct kunit *test, void *arg)
{
	use_options(test, arg);
	KUNIT_EXPECT_NULL(test, alloc_pages_exact_nid(0, 2 * PAGE_SIZE, GFP_NOWAIT));
}

static void first_frozen_exact(struct kunit *test, void *arg)
{
	bool zeroed;

	use_options(test, arg);
	KUNIT_EXPECT_NULL(test, alloc_frozen_exact(GFP_NOWAIT, 96, 0, &zeroed));
}

/* The first request of a process fails like any other, whatever it asks for. */
static void test_fault_first(struct kunit *test)
{
	CHILD_EXPECT_SUCCESS(test, silent, "fail_page_alloc=1,100,0,-1");
	CHILD_EXPECT_SUCCESS(test, first_by_node, "fail_page_alloc=1,100,0,-1");
	CHILD_EXPECT_SUCCESS(test, first_exact, "fail_page_alloc=1,100,0,-1");
	CHILD_EXPECT_SUCCESS(test, first_frozen_exact, "fail_page_alloc=1,100,0,-1");
}

static void test_fault_report(struct kunit *test)
{
	struct child_result result;

	CHILD_EXPECT_SUCCESS(test, one_told, "fail_page_alloc=1,100,0,7",
			     "FAULT_INJECTION: forcing a failure.\n", "name fail_page_alloc, "
			     "interval 1, probability 100, space 0, times 7\n");
	child_run(test, one_told, "fail_page_alloc=1,100,0,7,verbose=0", &result);
	KUNIT_EXPECT_STREQ(test, result.err, "");
	child_run(test, silent, "fail_page_alloc=1,100,0,7", &result);
	KUNIT_EXPECT_STREQ(test, result.err, "");
}

static struct kunit_case fault_cases[] = {
	KUNIT_CASE(test_fault_option),
	KUNIT_CASE(test_fault_space_interval_times),
	KUNIT_CASE(test_fault_probability),
	KUNIT_CASE(test_fault_nth),
	KUNIT_CASE(test_fault_exact),
	KUNIT_CASE(test_fault_bulk),
	KUNIT_CASE(test_fault_armed_late),
	KUNIT_CASE(test_fault_texts),
	KUNIT_CASE(test_fault_settings),
	KUNIT_CASE(test_fault_task_filter),
	KUNIT_CASE(test_fault_stack),
	KUNIT_CASE(test_fault_first),
	KUNIT_CASE(test_fault_report),
	{ 0 },
};

static struct kunit_suite fault_suite = { .name = "fault", .test_cases = fault_cases };

kunit_test_suite(fault_suite);
