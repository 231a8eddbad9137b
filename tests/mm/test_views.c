/* SPDX-License-Identifier: MIT */
/* Pages at further addresses: the window as shared memory. */
#include "mm/memmap.h"
#include "os/os.h"
#include "support/kernel.h"
#include "support/shadow.h"

#define PAGES 16

static struct page *first;

static int reserve_window(struct kunit_suite *suite)
{
	const char *error = NULL;

	(void)suite;
	if (usermm_set_options("reserve=64M:limit=64M", &error))
		return -1;
	mm_wants_views = true;
	return mm_init() || !mm_grow(SECTION_BYTES, &first) ? -1 : 0;
}

static void *reserve(struct kunit *test)
{
	void *view;

	KUNIT_ASSERT_EQ(test, os_reserve(PAGES * PAGE_SIZE, PAGE_SIZE, &view), 0);
	return view;
}

/* Memory is zero at first, and the same at all addresses. */
static void test_views_are_the_same_memory(struct kunit *test)
{
	char *one = reserve(test), *two = reserve(test), *own = page_address(first);

	KUNIT_ASSERT_TRUE(test, mm_has_views());
	KUNIT_EXPECT_TRUE(test, shadow_all_bytes(own, SECTION_BYTES, 0));
	KUNIT_ASSERT_EQ(test, mm_view(first, PAGES, one), 0);
	for (unsigned long i = 0; i < PAGES; i++)
		KUNIT_ASSERT_EQ(test, mm_view(first + PAGES - 1 - i, 1, two + i * PAGE_SIZE), 0);
	memset(own, 1, PAGES * PAGE_SIZE);
	KUNIT_EXPECT_TRUE(test, shadow_all_bytes(one, PAGES * PAGE_SIZE, 1));
	memset(two, 2, PAGE_SIZE);
	KUNIT_EXPECT_TRUE(test, shadow_all_bytes(own + (PAGES - 1) * PAGE_SIZE, PAGE_SIZE, 2));
	KUNIT_EXPECT_TRUE(test, shadow_all_bytes(own, (PAGES - 1) * PAGE_SIZE, 1));
	os_unmap(one, PAGES * PAGE_SIZE);
	KUNIT_EXPECT_TRUE(test, shadow_all_bytes(own, (PAGES - 1) * PAGE_SIZE, 1));
	os_unmap(two, PAGES * PAGE_SIZE);
}

/* Memory that is added later has a place of its own in the shared memory. */
static void test_views_of_what_is_grown_later(struct kunit *test)
{
	char *view = reserve(test);
	struct page *later;

	memset(page_address(first), 3, SECTION_BYTES);
	KUNIT_ASSERT_GT(test, mm_grow(SECTION_BYTES, &later), 0UL);
	KUNIT_EXPECT_TRUE(test, shadow_all_bytes(page_address(later), SECTION_BYTES, 0));
	memset(page_address(later), 4, SECTION_BYTES);
	/* A view across the border between the two parts. */
	KUNIT_ASSERT_EQ(test, mm_view(later - 2, 4, view), 0);
	KUNIT_EXPECT_TRUE(test, shadow_all_bytes(view, 2 * PAGE_SIZE, 3));
	KUNIT_EXPECT_TRUE(test, shadow_all_bytes(view + 2 * PAGE_SIZE, 2 * PAGE_SIZE, 4));
	os_unmap(view, PAGES * PAGE_SIZE);
}

/* Content that was given up is zero, though nothing was unmapped. */
static void test_views_discard(struct kunit *test)
{
	char *own = page_address(first);

	memset(own, 5, SECTION_BYTES);
	KUNIT_ASSERT_EQ(test, mm_discard(first, PAGES), 0);
	KUNIT_EXPECT_TRUE(test, shadow_all_bytes(own, PAGES * PAGE_SIZE, 0));
	KUNIT_EXPECT_TRUE(test, shadow_all_bytes(own + PAGES * PAGE_SIZE, PAGE_SIZE, 5));
}

/* The window stays reserved, whatever limit comes. */
static void test_views_keep_the_window(struct kunit *test)
{
	KUNIT_EXPECT_FALSE(test, mm_give_up_reservation());
}

static struct kunit_case cases[] = {
	KUNIT_CASE(test_views_are_the_same_memory),
	KUNIT_CASE(test_views_of_what_is_grown_later),
	KUNIT_CASE(test_views_discard),
	KUNIT_CASE(test_views_keep_the_window),
	{}
};

static struct kunit_suite suite = {
	.name = "mm_views", .test_cases = cases, .suite_init = reserve_window
};
kunit_test_suite(suite);
