/* SPDX-License-Identifier: MIT */
#include "support/pages.h"

#include <sched.h>

#include "support/threads.h"

static int bring_up(void)
{
	struct page *page = alloc_page(GFP_KERNEL);

	if (page)
		__free_page(page);
	return page ? 0 : -1;
}

int test_warm_up(struct kunit_suite *suite)
{
	(void)suite;
	return bring_up();
}

int test_pin_and_warm_up(struct kunit *test)
{
	(void)test;
	test_pin(0);
	return bring_up();
}

int test_pin_and_warm_up_kmalloc(struct kunit *test)
{
	void *object;

	(void)test;
	test_pin(0);
	object = kmalloc(100, GFP_KERNEL);
	if (!object)
		return -1;
	kfree(object);
	return 0;
}

int test_set_small_budget(struct kunit_suite *suite)
{
	const char *error = NULL;

	(void)suite;
	test_pin(0);
	return usermm_set_options("limit=16M", &error);
}

size_t test_unused_bytes(void)
{
	struct usermm_stats stats;

	usermm_stats_read(&stats);
	return stats.free_bytes + stats.pcp_bytes;
}

struct page *test_must_alloc(struct kunit *test, gfp_t gfp, unsigned int order)
{
	struct page *page = alloc_pages(gfp, order);

	KUNIT_ASSERT_NOT_NULL_MSG(test, page, "order %u", order);
	return page;
}

void test_use_block(struct test_thread *thread, unsigned long stamp)
{
	unsigned int order = prng_below(&thread->prng, NR_PAGE_ORDERS);
	struct page *page = test_must_alloc(thread->test, GFP_KERNEL, order);
	unsigned long *words = page_address(page), nr = (PAGE_SIZE << order) / sizeof(long);

	words[0] = words[nr - 1] = words[nr / 2] = stamp;
	if (!(stamp % 8))
		sched_yield();
	KUNIT_ASSERT_EQ(thread->test, words[0] + words[nr - 1] + words[nr / 2], 3 * stamp);
	__free_pages(page, order);
}
