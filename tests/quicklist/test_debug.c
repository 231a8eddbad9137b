/* SPDX-License-Identifier: MIT */
/* quicklist_debug=verify: what it counts, and what it finds. */
#include "support/child.h"
#include "support/kernel.h"
#include "support/threads.h"

static void set_byte(void *page)
{
	((unsigned char *)page)[9] = 1;
}

static void *must_alloc(struct kunit *test, int nr)
{
	void *page = quicklist_alloc(nr, GFP_KERNEL, NULL);

	KUNIT_ASSERT_NOT_NULL(test, page);
	return page;
}

static void test_hits_are_counted(struct kunit *test)
{
	struct quicklist_stats before, after;

	quicklist_stats(0, &before);
	for (unsigned int i = 0; i < 50; i++)
		quicklist_free(0, NULL, must_alloc(test, 0));
	quicklist_stats(0, &after);
	KUNIT_EXPECT_EQ(test, after.hits + after.misses, before.hits + before.misses + 50);
	KUNIT_EXPECT_LE(test, after.misses, before.misses + 1);
	KUNIT_EXPECT_EQ(test, after.pages, 1);
}

/* The link of the list may be anything. */
static void test_first_word_is_free(struct kunit *test)
{
	unsigned long *page = must_alloc(test, 0);

	page[0] = 77;
	quicklist_free(0, NULL, page);
	KUNIT_EXPECT_PTR_EQ(test, must_alloc(test, 0), page);
	KUNIT_EXPECT_EQ(test, page[0], 0);
	quicklist_free(0, NULL, page);
}

/* A list whose state is not zero is left alone. */
static void test_other_states_are_not_judged(struct kunit *test)
{
	struct quicklist_cache *cache = quicklist_cache_create("state", set_byte, NULL);
	unsigned char *page = quicklist_cache_alloc(cache, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, page);
	page[100] = 5;
	quicklist_cache_free(cache, page);
	quicklist_cache_destroy(cache);
	/* The page itself is good for anything again. */
	page = must_alloc(test, 0);
	quicklist_free(0, NULL, page);
}

static void free_it(struct kunit *test, void *page)
{
	(void)test;
	quicklist_free(0, NULL, page);
}

static void test_wrong_state(struct kunit *test)
{
	unsigned char *page = must_alloc(test, 0);

	for (unsigned int offset = 8; offset < PAGE_SIZE; offset += offset < 16 ? 1 : 1017) {
		char text[32];

		page[offset] = 0xa5;
		snprintf(text, sizeof(text), "at offset %u ", offset);
		CHILD_EXPECT_DEATH(test, free_it, page, "quicklist-0", child_hex(page), "0xa5",
				   text);
		page[offset] = 0;
	}
	quicklist_free(0, NULL, page);
}

static void free_twice(struct kunit *test, void *page)
{
	free_it(test, page);
	free_it(test, page);
}

static void test_second_free(struct kunit *test)
{
	void *page = must_alloc(test, 0);

	CHILD_EXPECT_DEATH(test, free_twice, page, "a second time", child_hex(page));
	quicklist_free(0, NULL, page);
}

static void test_not_a_single_page(struct kunit *test)
{
	struct page *block = alloc_pages(GFP_KERNEL | __GFP_COMP | __GFP_ZERO, 1);
	struct page *shared = alloc_page(GFP_KERNEL | __GFP_ZERO);
	void *object = kzalloc(4096, GFP_KERNEL), *freed = (void *)get_zeroed_page(GFP_KERNEL);

	KUNIT_ASSERT_TRUE(test, block && shared && object && freed);
	get_page(shared);
	free_page((unsigned long)freed);
	CHILD_EXPECT_DEATH(test, free_it, page_address(block), "no single page");
	CHILD_EXPECT_DEATH(test, free_it, page_address(shared), "no single page");
	CHILD_EXPECT_DEATH(test, free_it, object, "no single page");
	CHILD_EXPECT_DEATH(test, free_it, freed, "no single page");
	__free_pages(block, 1);
	put_page(shared);
	put_page(shared);
	kfree(object);
}

static int verify(struct kunit_suite *suite)
{
	const char *error = NULL;

	(void)suite;
	test_pin(0);
	return usermm_set_options("quicklist_debug=verify", &error) ? -1 : 0;
}

static struct kunit_case cases[] = {
	KUNIT_CASE(test_hits_are_counted),
	KUNIT_CASE(test_first_word_is_free),
	KUNIT_CASE(test_other_states_are_not_judged),
	KUNIT_CASE(test_wrong_state),
	KUNIT_CASE(test_second_free),
	KUNIT_CASE(test_not_a_single_page),
	{ 0 },
};

static struct kunit_suite suite = {
	.name = "quicklist-debug",
	.suite_init = verify,
	.test_cases = cases,
};

kunit_test_suite(suite);
