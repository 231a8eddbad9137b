/* SPDX-License-Identifier: MIT */
/*
 * The free lists themselves: their blocks, that blocks merge again, and that the counts agree with
 * the lists. One thread; its per-CPU lists are emptied before anything is looked at.
 */
#include "mm/memmap.h"
#include "mm/page_flags.h"
#include "page/pageblock.h"
#include "page/zone.h"
#include "support/kernel.h"
#include "support/prng.h"
#include "support/shadow.h"
#include "support/threads.h"
#include "support/zones.h"

struct free_counts {
	unsigned long nr[NR_PAGE_ORDERS];
	unsigned long free_pages, online_pages;
};

static int pin_and_drain(struct kunit *test)
{
	struct page *page;

	(void)test;
	test_pin(0);
	page = alloc_page(GFP_KERNEL);
	if (!page)
		return -1;
	__free_page(page);
	drain_local_pages(NULL);
	return 0;
}

static struct free_counts counts_now(void)
{
	struct free_counts counts = { .online_pages = mm_window.online_bytes >> PAGE_SHIFT };

	drain_local_pages(NULL);
	for (unsigned int order = 0; order < NR_PAGE_ORDERS; order++)
		counts.nr[order] = free_area_blocks(&budget_zone()->free_area[order]);
	counts.free_pages = budget_zone()->free_pages;
	return counts;
}

/* Adds the blocks that are not known to be zero to *dirty. */
static unsigned long check_free_list(struct kunit *test, struct shadow *shadow, unsigned int order,
				     enum migratetype type, unsigned long *dirty)
{
	struct list_head *list = &budget_zone()->free_area[order].free_list[type];
	unsigned long nr = 0, bytes = PAGE_SIZE << order;
	struct page *page, *buddy;

	list_for_each_entry(page, list, lru) {
		KUNIT_ASSERT_TRUE(test, page_flags(page) & PG_buddy);
		KUNIT_ASSERT_EQ(test, page->order, order);
		KUNIT_ASSERT_EQ(test, page_to_pfn(page) & ((1UL << order) - 1), 0);
		KUNIT_ASSERT_EQ(test, get_pageblock_migratetype(page), type);
		KUNIT_ASSERT_EQ(test, get_pageblock_migratetype(page + (1UL << order) - 1), type);
		KUNIT_ASSERT_EQ(test, shadow_claim(shadow, page_address(page), bytes), 0);
		if (page_flags(page) & PG_zeroed)
			KUNIT_EXPECT_TRUE_MSG(test, shadow_all_bytes(page_address(page), bytes, 0),
					      "marked zero, but it is not");
		buddy = pfn_to_page(page_to_pfn(page) ^ (1UL << order));
		if (order < MAX_PAGE_ORDER)
			KUNIT_EXPECT_FALSE_MSG(test, (page_flags(buddy) & PG_buddy) &&
					       buddy->order == order,
					       "two free buddies of order %u", order);
		*dirty += !(page_flags(page) & PG_zeroed);
		nr++;
	}
	return nr;
}

/* Every invariant of the free lists that can be seen from outside. */
static void check_free_lists(struct kunit *test)
{
	unsigned long on_lists = 0, dirty_pages = 0, offline;
	struct shadow shadow;

	KUNIT_ASSERT_TRUE(test, shadow_init(&shadow, PAGE_SHIFT, 1UL << 14));
	offline = budget_zone()->managed_pages - (mm_window.online_bytes >> PAGE_SHIFT);
	for (unsigned int order = 0; order < NR_PAGE_ORDERS; order++) {
		struct free_area *area = &budget_zone()->free_area[order];
		unsigned long nr = 0, dirty = 0;

		for (unsigned int type = 0; type < MIGRATE_TYPES; type++) {
			unsigned long nr_of_type =
				check_free_list(test, &shadow, order, type, &dirty);

			KUNIT_EXPECT_EQ(test, area->nr_of_type[type], nr_of_type);
			nr += nr_of_type;
		}
		KUNIT_EXPECT_EQ(test, free_area_blocks(area), nr);
		KUNIT_EXPECT_EQ(test, area->nr_dirty, dirty);
		on_lists += nr << order;
		dirty_pages += dirty << order;
	}
	KUNIT_EXPECT_EQ(test, budget_zone()->dirty_pages, dirty_pages);
	KUNIT_EXPECT_EQ(test, budget_zone()->free_pages, on_lists + offline);
	shadow_destroy(&shadow);
}

static void test_buddy_counts_return(struct kunit *test)
{
	for (unsigned int order = 0; order <= MAX_PAGE_ORDER; order++) {
		struct page *page = alloc_pages(GFP_KERNEL, order);
		struct free_counts start, end;

		KUNIT_ASSERT_NOT_NULL(test, page);
		__free_pages(page, order);
		start = counts_now();
		for (unsigned int i = 0; i < 100; i++) {
			page = alloc_pages(GFP_KERNEL, order);
			KUNIT_ASSERT_NOT_NULL(test, page);
			__free_pages(page, order);
		}
		end = counts_now();
		KUNIT_EXPECT_MEMEQ(test, &end, &start, sizeof(start));
		check_free_lists(test);
	}
}

/* One byte of each page, so that no page of the block is zero any more. */
static void dirty(struct page *page, unsigned int order)
{
	for (unsigned long i = 0; i < 1UL << order; i++)
		*(char *)page_address(page + i) = 1;
}

/* A largest block as 1024 single pages, freed in any order, is one block again. */
static void test_buddy_joins_singles(struct kunit *test)
{
	enum { NR = 1 << MAX_PAGE_ORDER };
	static struct page *pages[NR];
	struct page *block = alloc_pages(GFP_KERNEL, MAX_PAGE_ORDER);
	struct free_counts start, end;
	struct prng prng = { 1 };

	KUNIT_ASSERT_NOT_NULL(test, block);
	__free_pages(block, MAX_PAGE_ORDER);
	start = counts_now();
	for (unsigned int round = 0; round < 3; round++) {
		for (unsigned int i = 0; i < NR; i++) {
			pages[i] = alloc_page(GFP_KERNEL);
			KUNIT_ASSERT_NOT_NULL(test, pages[i]);
			dirty(pages[i], 0);
		}
		for (unsigned int i = NR - 1; round && i; i--) {
			unsigned int k = prng_below(&prng, i + 1);
			struct page *page = pages[i];

			pages[i] = pages[k];
			pages[k] = page;
		}
		for (unsigned int i = 0; i < NR; i++)
			__free_page(pages[i]);
		end = counts_now();
		KUNIT_EXPECT_MEMEQ(test, end.nr, start.nr, sizeof(start.nr));
		check_free_lists(test);
	}
}

static void test_buddy_random_mix_returns(struct kunit *test)
{
	enum { NR = 300 };
	static struct { struct page *page; unsigned int order; } blocks[NR];
	struct free_counts start, end;
	struct prng prng = { 9 };

	/* Twice to bring memory online, since lists keep more after the first; then measured. */
	for (unsigned int pass = 0; pass < 3; pass++) {
		prng.state = 9;
		start = counts_now();
		for (unsigned int step = 0; step < 20000; step++) {
			unsigned int i = prng_below(&prng, NR), order;

			if (blocks[i].page) {
				__free_pages(blocks[i].page, blocks[i].order);
				blocks[i].page = NULL;
				continue;
			}
			order = prng_below(&prng, prng_below(&prng, MAX_PAGE_ORDER) + 2);
			blocks[i].order = order;
			blocks[i].page = alloc_pages(GFP_KERNEL |
						     (step % 3 ? 0 : __GFP_COMP), order);
			KUNIT_ASSERT_NOT_NULL(test, blocks[i].page);
			dirty(blocks[i].page, order);
			/* Often at first, while there is still memory never used. */
			if (step % (step < 4000 ? 40 : 4000) == 0) {
				drain_local_pages(NULL);
				check_free_lists(test);
			}
		}
		for (unsigned int i = 0; i < NR; i++)
			if (blocks[i].page)
				__free_pages(blocks[i].page, blocks[i].order);
		memset(blocks, 0, sizeof(blocks));
		end = counts_now();
		KUNIT_EXPECT_EQ(test, end.free_pages, start.free_pages);
		check_free_lists(test);
	}
	KUNIT_EXPECT_EQ(test, end.online_pages, start.online_pages);
	KUNIT_EXPECT_MEMEQ(test, end.nr, start.nr, sizeof(start.nr));
	/* Everything is free, so all blocks must have merged. */
	KUNIT_EXPECT_EQ(test, end.nr[MAX_PAGE_ORDER] << MAX_PAGE_ORDER, end.online_pages);
}

/* Past this CPU's list. */
static void free_to_buddy(struct page *page, unsigned int order)
{
	__free_pages(page, order);
	drain_local_pages(NULL);
}

/* A split keeps the low half. */
static void test_buddy_split_keeps_low_half(struct kunit *test)
{
	struct page *block = alloc_pages(GFP_KERNEL, MAX_PAGE_ORDER), *page;

	KUNIT_ASSERT_NOT_NULL(test, block);
	free_to_buddy(block, MAX_PAGE_ORDER);
	page = alloc_pages(GFP_KERNEL, 5);
	KUNIT_ASSERT_NOT_NULL(test, page);
	KUNIT_EXPECT_EQ(test, page_to_pfn(page) & ((1UL << MAX_PAGE_ORDER) - 1), 0);
	for (unsigned int order = 5; order < MAX_PAGE_ORDER; order++) {
		struct page *upper = page + (1UL << order);

		KUNIT_EXPECT_TRUE(test, page_flags(upper) & PG_buddy);
		KUNIT_EXPECT_EQ(test, upper->order, order);
	}
	free_to_buddy(page, 5);
	KUNIT_EXPECT_TRUE(test, page_flags(page) & PG_buddy);
	KUNIT_EXPECT_EQ(test, page->order, MAX_PAGE_ORDER);
}

/*
 * A freed block is handed out next, unless its next larger buddy is free: then it
 * is about to become part of a larger block, and is handed out last.
 */
static void test_buddy_keeps_back_what_may_join(struct kunit *test)
{
	enum { ORDER = 4, NR = 1 << (MAX_PAGE_ORDER - ORDER) };
	struct list_head *list = &budget_zone()->free_area[ORDER].free_list[MIGRATE_UNMOVABLE];
	struct page *block = alloc_pages(GFP_KERNEL, MAX_PAGE_ORDER), *b[NR];

	KUNIT_ASSERT_NOT_NULL(test, block);
	free_to_buddy(block, MAX_PAGE_ORDER);
	for (unsigned int i = 0; i < NR; i++) {
		b[i] = alloc_pages(GFP_KERNEL, ORDER);
		KUNIT_ASSERT_NOT_NULL(test, b[i]);
		KUNIT_ASSERT_PTR_EQ_MSG(test, b[i], b[0] + ((unsigned long)i << ORDER),
					"one block, cut up from below");
	}
	KUNIT_ASSERT_TRUE(test, list_empty(list));
	free_to_buddy(b[20], ORDER);
	free_to_buddy(b[40], ORDER);
	free_to_buddy(b[10], ORDER);
	free_to_buddy(b[11], ORDER);	/* joins 10: the next larger buddy of 8 */
	free_to_buddy(b[8], ORDER);
	KUNIT_EXPECT_PTR_EQ(test, list_first_entry(list, struct page, lru), b[40]);
	KUNIT_EXPECT_PTR_EQ(test, list_next_entry(b[40], lru), b[20]);
	KUNIT_EXPECT_PTR_EQ(test, list_last_entry(list, struct page, lru), b[8]);
	KUNIT_EXPECT_PTR_EQ(test, alloc_pages(GFP_KERNEL, ORDER), b[40]);
	for (unsigned int i = 0; i < NR; i++)
		if (i != 20 && i != 10 && i != 11 && i != 8)
			free_to_buddy(b[i], ORDER);
	check_free_lists(test);
	KUNIT_EXPECT_TRUE(test, list_empty(list));
}

static void test_buddy_stats_agree(struct kunit *test)
{
	struct usermm_stats stats;

	drain_local_pages(NULL);
	usermm_stats_read(&stats);
	KUNIT_EXPECT_EQ(test, stats.free_bytes, budget_zone()->free_pages * PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, stats.budget_bytes, budget_zone()->managed_pages * PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, stats.online_bytes, mm_window.online_bytes);
	KUNIT_EXPECT_EQ(test, stats.pcp_bytes, 0);
}

static struct kunit_case buddy_cases[] = {
	KUNIT_CASE(test_buddy_counts_return),
	KUNIT_CASE(test_buddy_joins_singles),
	KUNIT_CASE(test_buddy_random_mix_returns),
	KUNIT_CASE(test_buddy_split_keeps_low_half),
	KUNIT_CASE(test_buddy_keeps_back_what_may_join),
	KUNIT_CASE(test_buddy_stats_agree),
	{ 0 },
};

static struct kunit_suite buddy_suite = {
	.name = "buddy",
	.init = pin_and_drain,
	.test_cases = buddy_cases,
};

kunit_test_suite(buddy_suite);
