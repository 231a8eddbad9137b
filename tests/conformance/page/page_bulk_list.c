// SPDX-License-Identifier: MIT
/* Many order-0 pages in one call, on a list through page->lru: alloc_pages_bulk_list(). */
#include <linux/gfp.h>
#include <linux/mm.h>

#include "../conformance.h"

#define NR 128
#define PLACE_ROUNDS 50
#define MOST (PLACE_ROUNDS * 9 / 10)

static unsigned long list_length(struct list_head *list)
{
	unsigned long length = 0;
	struct list_head *entry;

	list_for_each(entry, list)
		length++;
	return length;
}

static void free_list(struct list_head *list)
{
	struct page *page, *next;

	list_for_each_entry_safe(page, next, list, lru) {
		list_del(&page->lru);
		__free_page(page);
	}
}

/* The list form adds so many pages through page->lru and returns how many it added. */
static void list_of_every_length(struct kunit *test)
{
	for (unsigned long nr = 1; nr <= NR; nr++) {
		LIST_HEAD(list);
		struct page *page;
		unsigned long wrong = 0;

		KUNIT_EXPECT_EQ(test, alloc_pages_bulk_list(GFP_KERNEL, nr, &list), nr);
		KUNIT_EXPECT_EQ(test, list_length(&list), nr);
		list_for_each_entry(page, &list, lru)
			wrong += page_count(page) != 1 || PageCompound(page);
		KUNIT_EXPECT_EQ(test, wrong, 0);
		free_list(&list);
	}
}

/* Pages go to the head of the list: what was on it stays behind them, in its order. */
static void list_grows_at_its_head(struct kunit *test)
{
	struct page *first = alloc_page(GFP_KERNEL), *second = alloc_page(GFP_KERNEL);
	LIST_HEAD(list);

	KUNIT_ASSERT_NOT_NULL(test, first);
	KUNIT_ASSERT_NOT_NULL(test, second);
	list_add(&first->lru, &list);
	KUNIT_EXPECT_EQ(test, alloc_pages_bulk_list(GFP_KERNEL, 9, &list), 9);
	KUNIT_EXPECT_PTR_EQ(test, list_last_entry(&list, struct page, lru), first);
	list_add(&second->lru, &list);
	/* Only what was added is counted, not what was there. */
	KUNIT_EXPECT_EQ(test, alloc_pages_bulk_list(GFP_KERNEL, 1, &list), 1);
	KUNIT_EXPECT_EQ(test, list_length(&list), 12);
	KUNIT_EXPECT_PTR_EQ(test, list_entry(list.next->next, struct page, lru), second);
	free_list(&list);
}

/* The list is the reverse of the order of allocation: the hottest page is its last. */
static void list_is_in_reverse(struct kunit *test)
{
	unsigned int last = 0;

	for (unsigned int round = 0; round < PLACE_ROUNDS; round++) {
		struct page *hot = hot_page(test);
		LIST_HEAD(list);

		KUNIT_ASSERT_EQ(test, alloc_pages_bulk_list(GFP_KERNEL, 4, &list), 4);
		last += list_last_entry(&list, struct page, lru) == hot;
		free_list(&list);
	}
	KUNIT_EXPECT_GE(test, last, MOST);
}

/* A request for 0 pages, or for a negative number, returns 0 and leaves the list alone. */
static void none_or_fewer(struct kunit *test)
{
	static const int counts[] = { 0, -1, -128, INT_MIN };
	LIST_HEAD(list);

	for (unsigned int i = 0; i < ARRAY_SIZE(counts); i++)
		KUNIT_EXPECT_EQ(test, alloc_pages_bulk_list(GFP_KERNEL, counts[i], &list), 0);
	KUNIT_EXPECT_TRUE(test, list_empty(&list));
}

/* __GFP_ZERO: every page is clear, also those that were just used. */
static void zeroed(struct kunit *test)
{
	for (unsigned int round = 0; round < 3; round++) {
		unsigned long dirty = 0;
		struct page *page;
		LIST_HEAD(list);

		KUNIT_EXPECT_EQ(test, alloc_pages_bulk_list(GFP_KERNEL | __GFP_ZERO, 40, &list),
				40);
		list_for_each_entry(page, &list, lru) {
			dirty += memchr_inv(page_address(page), 0, PAGE_SIZE) != NULL;
			memset(page_address(page), 0x99, PAGE_SIZE);
		}
		KUNIT_EXPECT_EQ(test, dirty, 0);
		free_list(&list);
	}
}

/* Every context may ask, those that cannot wait as well. */
static void in_every_context(struct kunit *test)
{
	static const gfp_t contexts[] = { GFP_KERNEL, GFP_ATOMIC, GFP_NOWAIT, GFP_NOFS,
					  GFP_HIGHUSER_MOVABLE, GFP_KERNEL_ACCOUNT };

	for (unsigned int i = 0; i < ARRAY_SIZE(contexts); i++) {
		unsigned long nr = 0;
		LIST_HEAD(list);

		while (nr < NR) {
			unsigned long got = alloc_pages_bulk_list(contexts[i], NR - nr, &list);

			KUNIT_ASSERT_GT(test, got, 0);
			nr += got;
		}
		KUNIT_EXPECT_EQ(test, list_length(&list), NR);
		free_list(&list);
	}
}

/* The form that names a node. */
static void node_form(struct kunit *test)
{
	LIST_HEAD(list);

	KUNIT_EXPECT_EQ(test, BULK_AT(GFP_KERNEL, 0, NULL, 8, &list, NULL), 8);
	KUNIT_EXPECT_EQ(test, BULK_AT(GFP_KERNEL, 0, NULL, 0, &list, NULL), 0);
	KUNIT_EXPECT_EQ(test, BULK_AT(GFP_KERNEL, 0, NULL, 4, &list, NULL), 4);
	KUNIT_EXPECT_EQ(test, list_length(&list), 12);
	free_list(&list);
}

static int skip_without_lists(struct kunit *test)
{
	if (!HAS_BULK_LIST)
		kunit_skip(test, "up to Linux 6.13");
	return 0;
}

static struct kunit_case list_cases[] = {
	KUNIT_CASE(list_of_every_length),
	KUNIT_CASE(list_grows_at_its_head),
	KUNIT_CASE(list_is_in_reverse),
	KUNIT_CASE(none_or_fewer),
	KUNIT_CASE(zeroed),
	KUNIT_CASE(in_every_context),
	KUNIT_CASE(node_form),
	{}
};

static struct kunit_suite list_suite = {
	.name = "conformance_page_bulk_list",
	.init = skip_without_lists,
	.test_cases = list_cases,
};
kunit_test_suite(list_suite);
MODULE_DESCRIPTION("bulk allocation of pages on a list");
MODULE_LICENSE("Dual MIT/GPL");
