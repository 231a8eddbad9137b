/* SPDX-License-Identifier: MIT */
/*
 * A thread that only knows where a page was takes references while the owner frees it: no page is
 * handed out while somebody has a reference, and no page is lost. Each run is a process of its own,
 * since the first such reference changes how pages are freed.
 */
#include <time.h>

#include "page/refs.h"
#include "support/child.h"
#include "support/kernel.h"
#include "support/threads.h"

#define NR_PAGES 8

struct shared {
	struct page *published[NR_PAGES];	/* atomic; NULL: not now */
	unsigned int held[1 << 14];		/* atomic; readers that have a reference, by pfn */
	unsigned long nr_got;			/* the reader's */
	bool bulk, over;
};

static unsigned int *held_of(struct shared *shared, const struct page *page)
{
	return &shared->held[page_to_pfn(page) % ARRAY_SIZE(shared->held)];
}

static void own_and_free(struct test_thread *thread)
{
	struct shared *shared = thread->arg;
	struct page *pages[NR_PAGES] = { NULL };

	test_pin(0);
	for (unsigned int round = 0; !__atomic_load_n(&shared->over, __ATOMIC_ACQUIRE); round++) {
		for (unsigned int i = 0; i < NR_PAGES; i++) {
			pages[i] = alloc_page(GFP_KERNEL);
			KUNIT_ASSERT_NOT_NULL(thread->test, pages[i]);
			KUNIT_ASSERT_EQ_MSG(thread->test,
					    __atomic_load_n(held_of(shared, pages[i]),
							    __ATOMIC_ACQUIRE), 0,
					    "handed out while somebody has it");
			__atomic_store_n(&shared->published[i], pages[i], __ATOMIC_RELEASE);
		}
		for (unsigned int i = 0; i < NR_PAGES; i++)
			__atomic_store_n(&shared->published[i], NULL, __ATOMIC_RELEASE);
		if (shared->bulk)
			free_pages_bulk(pages, NR_PAGES);
		else
			for (unsigned int i = 0; i < NR_PAGES; i++)
				round & 1 ? __free_page(pages[i]) : put_page(pages[i]);
	}
}

static unsigned long milliseconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (unsigned long)now.tv_sec * 1000 + (unsigned long)now.tv_nsec / 1000000;
}

static void look_up(struct test_thread *thread)
{
	struct shared *shared = thread->arg;
	struct timespec before = { 0, 1000L * prng_below(&thread->prng, 2000) };

	unsigned long end;

	test_pin(1);
	nanosleep(&before, NULL);	/* the first reference comes in the middle of it */
	end = milliseconds() + TEST_STEPS(100);
	while (shared->nr_got < TEST_STEPS(100000) && milliseconds() < end) {
		unsigned int i = prng_below(&thread->prng, NR_PAGES);
		struct page *page = __atomic_load_n(&shared->published[i], __ATOMIC_ACQUIRE);

		if (!page || !get_page_unless_zero(page))
			continue;
		if (__atomic_load_n(&shared->published[i], __ATOMIC_ACQUIRE) != page) {
			put_page(page);		/* it may be another's by now */
			continue;
		}
		__atomic_fetch_add(held_of(shared, page), 1, __ATOMIC_ACQ_REL);
		KUNIT_ASSERT_GT(thread->test, __atomic_load_n(&page->_refcount, __ATOMIC_RELAXED),
				0);
		shared->nr_got++;
		__atomic_fetch_sub(held_of(shared, page), 1, __ATOMIC_ACQ_REL);
		put_page(page);
	}
	__atomic_store_n(&shared->over, true, __ATOMIC_RELEASE);
}

static void own_or_look(struct test_thread *thread)
{
	if (thread->index)
		look_up(thread);
	else
		own_and_free(thread);
}

static void race(struct kunit *test, void *arg)
{
	static struct shared shared;
	struct usermm_stats before, after;

	shared.bulk = arg != NULL;
	drain_all_pages(NULL);
	usermm_stats_read(&before);
	test_threads_run(test, 2, own_or_look, &shared);
	drain_all_pages(NULL);
	usermm_stats_read(&after);
	KUNIT_EXPECT_EQ(test, after.free_bytes + after.pcp_bytes,
			before.free_bytes + before.pcp_bytes);
	if (shared.nr_got)
		KUNIT_EXPECT_EQ(test, percpu.sole_count, PERCPU_SOLE_NEVER);
}

static void test_speculative_race(struct kunit *test)
{
	drain_local_pages(NULL);	/* the children find the library as it is */
	for (unsigned int i = 0; i < 16; i++)
		CHILD_EXPECT_SUCCESS(test, race, i & 1 ? test : NULL);
}

static void count_references(struct kunit *test, void *arg)
{
	struct page *block = alloc_pages(GFP_KERNEL | __GFP_COMP, 2);
	struct page *page = alloc_page(GFP_KERNEL);

	(void)arg;
	KUNIT_ASSERT_NOT_NULL(test, page);
	KUNIT_ASSERT_NOT_NULL(test, block);
	KUNIT_EXPECT_TRUE(test, get_page_unless_zero(page));
	KUNIT_EXPECT_EQ(test, page_ref_count(page), 2);
	KUNIT_EXPECT_FALSE(test, page_ref_add_unless(page, 3, 2));
	KUNIT_EXPECT_TRUE(test, page_ref_add_unless(page, 3, 1));
	KUNIT_EXPECT_EQ(test, page_ref_count(page), 5);
	for (unsigned int i = 5; i > 0; i--) {
		KUNIT_EXPECT_EQ(test, page_ref_count(page), (int)i);
		put_page(page);
	}
	KUNIT_EXPECT_FALSE_MSG(test, get_page_unless_zero(page), "it is free");
	KUNIT_EXPECT_FALSE_MSG(test, get_page_unless_zero(block + 1), "tails have no count");
	KUNIT_EXPECT_TRUE(test, get_page_unless_zero(block));
	__free_pages(block, 2);
	KUNIT_EXPECT_EQ(test, page_ref_count(block), 1);
	put_page(block);
	KUNIT_EXPECT_FALSE(test, get_page_unless_zero(block));
}

static void test_speculative_counts(struct kunit *test)
{
	CHILD_EXPECT_SUCCESS(test, count_references, NULL);
}

static struct kunit_case speculative_cases[] = {
	KUNIT_CASE(test_speculative_race),
	KUNIT_CASE(test_speculative_counts),
	{ 0 },
};

static struct kunit_suite speculative_suite = {
	.name = "speculative",
	.test_cases = speculative_cases,
};

kunit_test_suite(speculative_suite);
