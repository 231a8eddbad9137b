/* SPDX-License-Identifier: MIT */
/*
 * Free memory that is on its way back to the system is free: a request that may wait gets
 * it, however little other memory there is, and a fork child has it.
 */
#include <unistd.h>

#include "support/child.h"
#include "support/kernel.h"
#include "support/threads.h"
#include "support/zones.h"

/* Of the zone's four blocks one is left; its minimum is less than half a megabyte. */
#define NR_TAKEN 3
#define NR_PAGES 800

static bool over;	/* atomic */

static void trim(struct test_thread *thread)
{
	/* A thread that has failed does not come to its end. */
	while (!__atomic_load_n(&over, __ATOMIC_RELAXED) &&
	       thread->test->status != KUNIT_FAILURE)
		usermm_trim(0);
}

static void use(struct test_thread *thread)
{
	static struct page *pages[NR_PAGES];

	for (unsigned int round = 0; round < TEST_STEPS(400); round++) {
		unsigned int nr = 0;

		while (nr < NR_PAGES && (pages[nr] = alloc_page(GFP_KERNEL))) {
			*(unsigned int *)page_address(pages[nr]) = nr;
			nr++;
		}
		KUNIT_EXPECT_EQ(thread->test, nr, NR_PAGES);
		while (nr)
			__free_page(pages[--nr]);
		usleep(prng_below(&thread->prng, 300));	/* all of it comes together again */
	}
	__atomic_store_n(&over, true, __ATOMIC_RELAXED);
}

static void use_or_trim(struct test_thread *thread)
{
	if (thread->index)
		trim(thread);
	else
		use(thread);
}

static void use_while_trimmed(struct kunit *test)
{
	struct hoard hoard;

	test_unpin();
	hoard_init(&hoard);
	KUNIT_ASSERT_EQ(test, hoard_take(&hoard, GFP_KERNEL, MAX_PAGE_ORDER, -1, NULL, NR_TAKEN),
			NR_TAKEN);
	test_threads_run(test, 2, use_or_trim, NULL);
	hoard_give_all(&hoard);
	zones_check_whole(test);
}

static void test_release_short_of_memory(struct kunit *test)
{
	zones_run(test, "zone_normal=16M", use_while_trimmed);
}

static void check_whole(struct kunit *test, void *arg)
{
	(void)arg;
	drain_all_pages(NULL);
	zones_check_whole(test);
}

/* No thread but the trimming one uses the library, so a child has all of its memory. */
static void fork_or_trim(struct test_thread *thread)
{
	if (thread->index) {
		trim(thread);
		return;
	}
	for (unsigned int round = 0; round < TEST_STEPS(100); round++) {
		struct page *page = alloc_pages(GFP_KERNEL, MAX_PAGE_ORDER);

		KUNIT_ASSERT_NOT_NULL(thread->test, page);
		memset(page_address(page), 1, PAGE_SIZE << MAX_PAGE_ORDER);
		__free_pages(page, MAX_PAGE_ORDER);
		CHILD_EXPECT_SUCCESS(thread->test, check_whole, NULL);
	}
	__atomic_store_n(&over, true, __ATOMIC_RELAXED);
}

static void fork_while_trimmed(struct kunit *test)
{
	test_unpin();
	test_threads_run(test, 2, fork_or_trim, NULL);
}

static void test_release_short_fork(struct kunit *test)
{
	zones_run(test, "zone_normal=16M", fork_while_trimmed);
}

static struct kunit_case release_short_cases[] = {
	KUNIT_CASE(test_release_short_of_memory),
	KUNIT_CASE(test_release_short_fork),
	{ 0 },
};

static struct kunit_suite release_short_suite = {
	.name = "release_short",
	.test_cases = release_short_cases,
};

kunit_test_suite(release_short_suite);
