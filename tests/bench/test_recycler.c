// SPDX-License-Identifier: MIT
/* The recycling ring that suite page-bulk measures: which pages it keeps, and which it frees. */
#include "suites/recycler.h"
#include "support/kernel.h"
#include "support/threads.h"

#define MANY (RECYCLER_CACHE + RECYCLER_RING + 10)

static struct recycler recycler;
static struct page *pages[MANY];

static size_t unused_bytes(void)
{
	struct usermm_stats stats;

	usermm_stats_read(&stats);
	return stats.free_bytes + stats.pcp_bytes;
}

static int warm_up(struct kunit *test)
{
	struct page *page = alloc_page(GFP_KERNEL);

	(void)test;
	if (page)
		__free_page(page);
	return page ? 0 : -1;
}

static void take(struct kunit *test, unsigned int nr)
{
	for (unsigned int i = 0; i < nr; i++) {
		pages[i] = recycler_take(&recycler);
		KUNIT_ASSERT_NOT_NULL(test, pages[i]);
		KUNIT_ASSERT_EQ(test, page_ref_count(pages[i]), 1);
		*(unsigned int *)page_address(pages[i]) = i;
	}
	for (unsigned int i = 0; i < nr; i++)
		KUNIT_ASSERT_EQ_MSG(test, *(unsigned int *)page_address(pages[i]), i,
				    "page %u is another one, too", i);
}

static void give(unsigned int nr, bool direct)
{
	for (unsigned int i = 0; i < nr; i++)
		recycler_return(&recycler, pages[i], direct);
}

static void test_recycler_keeps(struct kunit *test)
{
	size_t start = unused_bytes(), in_use;

	take(test, 50);
	in_use = start - unused_bytes();
	KUNIT_EXPECT_EQ(test, in_use, RECYCLER_REFILL * PAGE_SIZE);
	for (unsigned int round = 0; round < 100; round++) {
		give(50, round & 1);
		take(test, 50);
	}
	KUNIT_EXPECT_EQ_MSG(test, start - unused_bytes(), in_use, "all pages were recycled");
	give(50, true);
	recycler_drain(&recycler);
	KUNIT_EXPECT_EQ(test, unused_bytes(), start);
}

/* Stack and ring are full: further pages go to the allocator. */
static void test_recycler_is_bounded(struct kunit *test)
{
	size_t start = unused_bytes();

	take(test, MANY);
	give(MANY, true);
	KUNIT_EXPECT_EQ(test, start - unused_bytes(),
			(RECYCLER_CACHE + RECYCLER_RING) * PAGE_SIZE);
	recycler_drain(&recycler);
	KUNIT_EXPECT_EQ(test, unused_bytes(), start);
}

static void test_recycler_lets_shared_pages_go(struct kunit *test)
{
	size_t start = unused_bytes(), in_use;
	unsigned int count;

	take(test, 2);
	in_use = start - unused_bytes();
	count = recycler.count;
	get_page(pages[0]);
	recycler_return(&recycler, pages[0], true);
	KUNIT_EXPECT_EQ(test, recycler.count, count);
	KUNIT_EXPECT_EQ(test, page_ref_count(pages[0]), 1);
	put_page(pages[0]);
	KUNIT_EXPECT_EQ(test, start - unused_bytes(), in_use - PAGE_SIZE);
	recycler_return(&recycler, pages[1], true);
	KUNIT_EXPECT_EQ(test, recycler.count, count + 1);
	recycler_drain(&recycler);
	KUNIT_EXPECT_EQ(test, unused_bytes(), start);
}

enum { THREADS = 4, EACH = 200 };

static void return_some(struct test_thread *thread)
{
	for (unsigned int i = 0; i < EACH; i++)
		recycler_return(&recycler, pages[thread->index * EACH + i], false);
}

static void test_recycler_other_threads_return(struct kunit *test)
{
	size_t start = unused_bytes(), in_use;

	take(test, THREADS * EACH);
	in_use = start - unused_bytes();
	for (unsigned int round = 0; round < 20; round++) {
		test_threads_run(test, THREADS, return_some, NULL);
		take(test, THREADS * EACH);
	}
	KUNIT_EXPECT_EQ(test, start - unused_bytes(), in_use);
	give(THREADS * EACH, false);
	recycler_drain(&recycler);
	KUNIT_EXPECT_EQ(test, unused_bytes(), start);
}

static struct kunit_case recycler_cases[] = {
	KUNIT_CASE(test_recycler_keeps),
	KUNIT_CASE(test_recycler_is_bounded),
	KUNIT_CASE(test_recycler_lets_shared_pages_go),
	KUNIT_CASE(test_recycler_other_threads_return),
	{ 0 },
};

static struct kunit_suite recycler_suite = {
	.name = "bench_recycler",
	.init = warm_up,
	.test_cases = recycler_cases,
};

kunit_test_suite(recycler_suite);
