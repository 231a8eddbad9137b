// SPDX-License-Identifier: MIT
/* Pools of pages for network drivers. */
#include <kunit/test.h>
#include <linux/err.h>
#include <net/page_pool/helpers.h>

static void test_pages_come_back(struct kunit *test)
{
	struct page_pool_params params = { .pool_size = 1, .nid = NUMA_NO_NODE };
	struct page_pool *pool;
	struct page *one, *two;

	params.order = MAX_PAGE_ORDER + 1;
	KUNIT_EXPECT_EQ(test, PTR_ERR(page_pool_create(&params)), -EINVAL);
	params.order = 0;
	pool = page_pool_create(&params);
	KUNIT_ASSERT_FALSE(test, IS_ERR(pool));
	one = page_pool_dev_alloc_pages(pool);
	two = page_pool_dev_alloc_pages(pool);
	KUNIT_ASSERT_NOT_NULL(test, one);
	KUNIT_ASSERT_NOT_NULL(test, two);
	KUNIT_EXPECT_EQ(test, usermm_page_pool_inflight(pool), 2U);
	page_pool_put_full_page(pool, one, false);
	KUNIT_EXPECT_PTR_EQ(test, page_pool_dev_alloc_pages(pool), one);
	page_pool_put_full_page(pool, one, false);
	page_pool_put_full_page(pool, two, true);	/* one more than the pool keeps */
	one = page_pool_dev_alloc_pages(pool);
	page_pool_destroy(pool);
	page_pool_put_full_page(pool, one, false);	/* ends the pool */
	page_pool_destroy(NULL);
}

static struct kunit_case page_pool_cases[] = { KUNIT_CASE(test_pages_come_back), { } };

static struct kunit_suite page_pool_suite = {
	.name = "page_pool", .test_cases = page_pool_cases,
};
kunit_test_suite(page_pool_suite);
