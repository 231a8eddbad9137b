/* SPDX-License-Identifier: MIT */
/* quicklist_debug=verify: its counters, and the faults that it finds. */
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

/* A list whose state is not zero, and that has no check, is left alone. */
static void test_other_states_are_not_judged(struct kunit *test)
{
	struct quicklist_cache *cache = quicklist_cache_create("state", set_byte, NULL);
	unsigned char *page = quicklist_cache_alloc(cache, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, page);
	page[100] = 5;
	quicklist_cache_free(cache, page);
	quicklist_cache_destroy(cache);
	/* The page itself can be used again. */
	page = must_alloc(test, 0);
	quicklist_free(0, NULL, page);
}

/* --- A state with a check: each byte behind the first word is its own offset. -------- */

static int fill_page(void *page)
{
	for (unsigned int i = sizeof(void *); i < PAGE_SIZE; i++)
		((unsigned char *)page)[i] = (unsigned char)i;
	return 0;
}

static long check_filled(const void *page)
{
	for (unsigned int i = sizeof(void *); i < PAGE_SIZE; i++)
		if (((const unsigned char *)page)[i] != (unsigned char)i)
			return i;
	return -1;
}

static const struct quicklist_state filled = { .ctor = fill_page, .check = check_filled };
static struct quicklist_cache *filled_cache;

static void free_filled(struct kunit *test, void *page)
{
	(void)test;
	quicklist_cache_free(filled_cache, page);
}

/* The first byte that is wrong, wherever it lies, though there are others. */
static void test_checked_state(struct kunit *test)
{
	unsigned char *page;

	filled_cache = quicklist_cache_create_state("filled", &filled);
	KUNIT_ASSERT_NOT_NULL(test, filled_cache);
	page = quicklist_cache_alloc(filled_cache, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, page);
	KUNIT_EXPECT_EQ(test, check_filled(page), -1);
	for (unsigned int offset = 8; offset < PAGE_SIZE; offset += offset < 16 ? 1 : 1017) {
		unsigned char right = page[offset];
		char text[32];

		page[PAGE_SIZE - 1] = 0x77;
		page[offset] = 0xa5;
		snprintf(text, sizeof(text), "at offset %u,", offset);
		CHILD_EXPECT_DEATH(test, free_filled, page, "'filled'", child_hex(page), "0xa5",
				   "is freed", text);
		page[offset] = right;
		page[PAGE_SIZE - 1] = 0xff;
	}
	quicklist_cache_free(filled_cache, page);
	KUNIT_EXPECT_PTR_EQ(test, quicklist_cache_alloc(filled_cache, GFP_KERNEL), page);
	quicklist_cache_free(filled_cache, page);
	quicklist_cache_destroy(filled_cache);
}

/* --- A constructor that does not make the state. ---------------------------------------------- */

static void set_first_word(void *page)
{
	*(unsigned long *)page = 0xbad;
}

static int build_nothing(void *page)
{
	(void)page;
	return 0;
}

static void alloc_numbered(struct kunit *test, void *ctor)
{
	(void)test;
	free_page((unsigned long)quicklist_alloc(2, GFP_KERNEL, (void (*)(void *))ctor));
}

static void alloc_from(struct kunit *test, void *cache)
{
	(void)test;
	free_page((unsigned long)quicklist_cache_alloc(cache, GFP_KERNEL));
}

static void test_ctor_leaves_another_state(struct kunit *test)
{
	static const struct quicklist_state unbuilt = { build_nothing, NULL, check_filled };
	struct quicklist_cache *cache = quicklist_cache_create_state("unbuilt", &unbuilt);

	KUNIT_ASSERT_NOT_NULL(test, cache);
	CHILD_EXPECT_DEATH(test, alloc_numbered, (void *)set_first_word, "quicklist-2", "ctor",
			   "0xbad");
	CHILD_EXPECT_DEATH(test, alloc_from, cache, "'unbuilt'", "is left by ctor",
			   "0x0 at offset 8");
	quicklist_cache_destroy(cache);
}

/* --- Misuse. -------------------------------------------------------------------------- */

static void write_and_alloc(struct kunit *test, void *page)
{
	((unsigned char *)page)[700] = 0x5a;
	alloc_numbered(test, NULL);
}

/* A stale pointer: the page is on the list, and the next user would find the byte. */
static void test_write_to_a_free_page(struct kunit *test)
{
	void *page = quicklist_alloc(2, GFP_KERNEL, NULL);

	KUNIT_ASSERT_NOT_NULL(test, page);
	quicklist_free(2, NULL, page);
	CHILD_EXPECT_DEATH(test, write_and_alloc, page, "quicklist-2", child_hex(page),
			   "while it was free", "0x5a at offset 700");
	KUNIT_EXPECT_PTR_EQ(test, quicklist_alloc(2, GFP_KERNEL, NULL), page);
	free_page((unsigned long)page);
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
	KUNIT_CASE(test_checked_state),
	KUNIT_CASE(test_ctor_leaves_another_state),
	KUNIT_CASE(test_write_to_a_free_page),
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
