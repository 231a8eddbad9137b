/* SPDX-License-Identifier: MIT */
/*
 * fork() while other threads are anywhere in the page allocator: the child's lists are whole, it
 * can allocate the free memory, and blocks that are known to be zero are zero.
 */
#include <unistd.h>

#include "page/api/exact.h"
#include "page/pcp/pcp.h"
#include "support/child.h"
#include "support/kernel.h"
#include "support/threads.h"
#include "support/zones.h"

#define NR_WORKING 3
#define NR_HELD 16

static bool over;	/* atomic */

static void work_once(struct test_thread *thread)
{
	gfp_t gfp = GFP_NOWAIT | __GFP_NOWARN | (prng_below(&thread->prng, 2) ? __GFP_MOVABLE : 0);
	unsigned long nr = 1 + prng_below(&thread->prng, 100);
	unsigned int order = prng_below(&thread->prng, 11);
	struct page *pages[NR_HELD] = { NULL }, *page;
	bool zeroed;

	switch (prng_below(&thread->prng, 5)) {
	case 0:
		alloc_pages_bulk_array(gfp, NR_HELD, pages);
		free_pages_bulk(pages, NR_HELD);
		break;
	case 1:
		page = alloc_frozen_exact(gfp, nr, 0, &zeroed);
		if (!page)
			break;
		memset(page_address(page), 1, nr * PAGE_SIZE);
		free_frozen_exact(page, nr);
		break;
	case 2:
		drain_all_pages(NULL);
		break;
	case 3:
		usermm_trim(0);
		break;
	default:
		page = alloc_pages(gfp, order);
		if (!page)
			break;
		memset(page_address(page), 1, PAGE_SIZE << order);
		if (get_page_unless_zero(page))
			put_page(page);
		__free_pages(page, order);
	}
}

static void use_child(struct kunit *test, void *arg)
{
	struct hoard hoard;
	struct page *page;

	(void)arg;
	hoard_init(&hoard);
	zones_drain();
	KUNIT_EXPECT_EQ(test, pcp_pages(), 0);
	zones_check_lists(test);
	while ((page = alloc_page(GFP_ATOMIC | __GFP_MEMALLOC | __GFP_ZERO | __GFP_NOWARN))) {
		const unsigned long *word = page_address(page);

		for (unsigned int i = 0; i < PAGE_SIZE / sizeof(*word); i++)
			KUNIT_ASSERT_EQ(test, word[i], 0UL);
		list_add(&page->lru, &hoard.blocks[0]);
	}
	KUNIT_EXPECT_EQ(test, nodes_free_pages(), 0);
	hoard_give_all(&hoard);
	usermm_trim(0);
	zones_check_lists(test);
}

static void fork_or_work(struct test_thread *thread)
{
	if (thread->index) {
		while (!__atomic_load_n(&over, __ATOMIC_RELAXED) &&
		       thread->test->status != KUNIT_FAILURE)
			work_once(thread);
		return;
	}
	for (unsigned int i = 0; i < TEST_STEPS(24); i++) {
		usleep(prng_below(&thread->prng, 500));
		CHILD_EXPECT_SUCCESS(thread->test, use_child, NULL);
	}
	__atomic_store_n(&over, true, __ATOMIC_RELAXED);
}

static void fork_under_load(struct kunit *test)
{
	test_unpin();
	test_threads_run(test, 1 + NR_WORKING, fork_or_work, NULL);
}

static void test_fork_under_load(struct kunit *test)
{
	zones_run(test, "zone_normal=32M", fork_under_load);
}

static void test_fork_while_growing(struct kunit *test)
{
	zones_run(test, "limit=32M", fork_under_load);
}

static struct kunit_case fork_cases[] = {
	KUNIT_CASE(test_fork_under_load),
	KUNIT_CASE(test_fork_while_growing),
	{ 0 },
};

static struct kunit_suite fork_suite = {
	.name = "page_fork",
	.test_cases = fork_cases,
};

kunit_test_suite(fork_suite);
