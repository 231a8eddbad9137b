/* SPDX-License-Identifier: MIT */
/*
 * Memory on its way back to the system still counts as free: a request that may wait gets it,
 * however little other memory there is, and a fork child has it.
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

static void rest(void *context)
{
	(void)context;
	usleep(50);
}

/* The thread is stopped at any point, with the blocks that it is working on. */
static void trim(struct test_thread *thread)
{
	test_storm_start(thread->test, 1000, rest, NULL);
	/* A thread that has failed does not come to its end. */
	while (!__atomic_load_n(&over, __ATOMIC_RELAXED) &&
	       thread->test->status != KUNIT_FAILURE)
		usermm_trim(0);
	test_storm_stop();
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

static void use_among(struct kunit *test, unsigned int nr_threads)
{
	struct hoard hoard;

	over = false;
	hoard_init(&hoard);
	KUNIT_ASSERT_EQ(test, hoard_take(&hoard, GFP_KERNEL, MAX_PAGE_ORDER, -1, NULL, NR_TAKEN),
			NR_TAKEN);
	test_threads_run(test, nr_threads, use_or_trim, NULL);
	hoard_give_all(&hoard);
	zones_check_whole(test);
}

static void use_while_trimmed(struct kunit *test)
{
	test_unpin();
	use_among(test, 2);
}

static void test_release_short_of_memory(struct kunit *test)
{
	zones_need_stopping(test);	/* the thread may go to another CPU */
	zones_run(test, "zone_normal=16M", use_while_trimmed);
}

/* The waiting thread runs as soon as the lock is released, and takes the block again. */
static void use_on_crowded_cpu(struct kunit *test)
{
	test_pin(0);
	use_among(test, 5);
}

static void test_release_short_crowded(struct kunit *test)
{
	zones_run(test, "zone_normal=16M", use_on_crowded_cpu);
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
	KUNIT_CASE(test_release_short_crowded),
	KUNIT_CASE(test_release_short_fork),
	{ 0 },
};

static struct kunit_suite release_short_suite = {
	.name = "release_short",
	.test_cases = release_short_cases,
};

kunit_test_suite(release_short_suite);
