// SPDX-License-Identifier: MIT
/* Many order-0 pages in one call: alloc_pages_bulk_array() and its relatives. */
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/nodemask.h>
#include <linux/vmstat.h>

#include "../conformance.h"

#define NR 128
/* Pages that the rest of the kernel may take or give back meanwhile. */
#define SLACK 32

static struct page *array[NR + 1];

static int bulk_init(struct kunit *test)
{
	need_page_lists(test);
	memset(array, 0, sizeof(array));
	return 0;
}

static void free_all(struct page **pages, unsigned long nr)
{
	for (unsigned long i = 0; i < nr; i++) {
		if (pages[i])
			__free_page(pages[i]);
		pages[i] = NULL;
	}
}

/* Calls until the array is full, as callers do, since fewer than asked is legal. */
static void fill(struct kunit *test, gfp_t gfp, unsigned long nr)
{
	unsigned long got = 0;

	for (unsigned int tries = 0; got < nr && tries < 2 * NR; tries++)
		got = alloc_pages_bulk_array(gfp, nr, array);
	KUNIT_ASSERT_EQ(test, got, nr);
}

/* The array form with an empty array: all of 1..NR at once, no entry behind them touched. */
static void array_of_every_length(struct kunit *test)
{
	for (unsigned long nr = 1; nr <= NR; nr++) {
		unsigned long holes = 0;

		KUNIT_EXPECT_EQ(test, alloc_pages_bulk_array(GFP_KERNEL, nr, array), nr);
		for (unsigned long i = 0; i < nr; i++)
			holes += !array[i];
		KUNIT_EXPECT_EQ(test, holes, 0);
		KUNIT_EXPECT_NULL(test, array[nr]);
		free_all(array, NR);
	}
}

/* Each page is a page of its own: order 0, one reference, not compound, all different. */
static void pages_are_single(struct kunit *test)
{
	unsigned long wrong = 0;

	fill(test, GFP_KERNEL, NR);
	for (unsigned long i = 0; i < NR; i++) {
		wrong += page_count(array[i]) != 1;
		wrong += PageCompound(array[i]) || PageReserved(array[i]) || PageSlab(array[i]);
		for (unsigned long other = 0; other < i; other++)
			wrong += array[other] == array[i];
		memset(page_address(array[i]), (int)i, PAGE_SIZE);
	}
	for (unsigned long i = 0; i < NR; i++)
		wrong += memchr_inv(page_address(array[i]), (int)i, PAGE_SIZE) != NULL;
	KUNIT_EXPECT_EQ(test, wrong, 0);
	free_all(array, NR);
}

/* They may be freed in every way that a single page may. */
static void freed_one_by_one_in_every_way(struct kunit *test)
{
	long before = free_pages_now();

	for (unsigned int round = 0; round < 20; round++) {
		fill(test, GFP_KERNEL, NR);
		for (unsigned long i = 0; i < NR; i++) {
			switch (i % 4) {
			case 0:
				__free_page(array[i]);
				break;
			case 1:
				put_page(array[i]);
				break;
			case 2:
				free_page((unsigned long)page_address(array[i]));
				break;
			case 3:
				folio_put(page_folio(array[i]));
				break;
			}
			array[i] = NULL;
		}
	}
	KUNIT_EXPECT_LE(test, abs(free_pages_now() - before), SLACK);
}

/* A request for 0 pages, or for a negative number, returns 0 and touches nothing. */
static void none_or_fewer(struct kunit *test)
{
	static const int counts[] = { 0, -1, -128, INT_MIN };

	for (unsigned int i = 0; i < ARRAY_SIZE(counts); i++)
		KUNIT_EXPECT_EQ(test, alloc_pages_bulk_array(GFP_KERNEL, counts[i], array), 0);
	for (unsigned int i = 0; i < NR; i++)
		KUNIT_EXPECT_NULL(test, array[i]);
}

/* All entries are there already: nr, and nothing is allocated or changed. */
static void full_array(struct kunit *test)
{
	struct page *copy[NR];
	long before;

	fill(test, GFP_KERNEL, NR);
	memcpy(copy, array, sizeof(copy));
	before = free_pages_now();
	for (unsigned long nr = 1; nr <= NR; nr++)
		KUNIT_EXPECT_EQ(test, alloc_pages_bulk_array(GFP_KERNEL, nr, array), nr);
	KUNIT_EXPECT_EQ(test, memcmp(copy, array, sizeof(copy)), 0);
	KUNIT_EXPECT_LE(test, abs(free_pages_now() - before), 8);
	free_all(array, NR);
}

/* The result counts leading entries that were set before the call. */
static void leading_entries_count(struct kunit *test)
{
	for (unsigned long leading = 1; leading < NR; leading += 7) {
		struct page *copy[NR];

		fill(test, GFP_KERNEL, leading);
		memcpy(copy, array, sizeof(copy));
		KUNIT_EXPECT_EQ(test, alloc_pages_bulk_array(GFP_KERNEL, NR, array), NR);
		KUNIT_EXPECT_EQ(test, memcmp(copy, array, leading * sizeof(*copy)), 0);
		for (unsigned long i = leading; i < NR; i++)
			KUNIT_EXPECT_NOT_NULL(test, array[i]);
		free_all(array, NR);
	}
}

/*
 * Gaps anywhere: the call fills the gaps and nothing else, and returns nr, the index that it
 * reached.
 */
static void gaps_are_filled(struct kunit *test)
{
	for (unsigned int pattern = 1; pattern < 200; pattern++) {
		struct page *copy[NR];
		unsigned int seed = pattern * 2654435761u, wrong = 0;

		fill(test, GFP_KERNEL, NR);
		for (unsigned long i = 0; i < NR; i++) {
			seed = seed * 1664525u + 1013904223u;
			if (seed >> 28 < pattern % 16) {
				__free_page(array[i]);
				array[i] = NULL;
			}
		}
		memcpy(copy, array, sizeof(copy));
		KUNIT_EXPECT_EQ(test, alloc_pages_bulk_array(GFP_KERNEL, NR, array), NR);
		for (unsigned long i = 0; i < NR; i++)
			wrong += !array[i] || (copy[i] && copy[i] != array[i]);
		KUNIT_EXPECT_EQ(test, wrong, 0);
		free_all(array, NR);
	}
}

/* One gap only, at every index: the entries behind it are counted when they are met. */
static void single_gap(struct kunit *test)
{
	fill(test, GFP_KERNEL, 16);
	for (unsigned long gap = 0; gap < 16; gap++) {
		__free_page(array[gap]);
		array[gap] = NULL;
		KUNIT_EXPECT_EQ(test, alloc_pages_bulk_array(GFP_KERNEL, 16, array), 16);
		KUNIT_EXPECT_NOT_NULL(test, array[gap]);
	}
	free_all(array, NR);
}

/* No entry behind nr is looked at. */
static void entries_behind_are_left(struct kunit *test)
{
	struct page *marker = alloc_page(GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, marker);
	array[10] = marker;
	KUNIT_EXPECT_EQ(test, alloc_pages_bulk_array(GFP_KERNEL, 10, array), 10);
	KUNIT_EXPECT_PTR_EQ(test, array[10], marker);
	for (unsigned int i = 11; i < NR; i++)
		KUNIT_EXPECT_NULL(test, array[i]);
	free_all(array, NR);
}

/* __GFP_ZERO: every page is clear, also those that were just used. */
static void zeroed(struct kunit *test)
{
	static const unsigned long lengths[] = { 1, 2, 7, 64, NR };

	for (unsigned int i = 0; i < ARRAY_SIZE(lengths); i++) {
		for (unsigned int round = 0; round < 3; round++) {
			unsigned long dirty = 0;

			fill(test, GFP_KERNEL | __GFP_ZERO, lengths[i]);
			for (unsigned long n = 0; n < lengths[i]; n++) {
				void *addr = page_address(array[n]);

				dirty += memchr_inv(addr, 0, PAGE_SIZE) != NULL;
				memset(addr, 0xd1, PAGE_SIZE);
			}
			KUNIT_EXPECT_EQ(test, dirty, 0);
			free_all(array, NR);
		}
	}
}

/* __GFP_ZERO clears the new pages only; what was in the array keeps its content. */
static void zero_leaves_old_pages(struct kunit *test)
{
	fill(test, GFP_KERNEL, NR / 2);
	for (unsigned long i = 0; i < NR / 2; i++)
		memset(page_address(array[i]), 0x42, PAGE_SIZE);
	fill(test, GFP_KERNEL | __GFP_ZERO, NR);
	for (unsigned long i = 0; i < NR; i++)
		KUNIT_EXPECT_NULL(test, memchr_inv(page_address(array[i]), i < NR / 2 ? 0x42 : 0,
						   PAGE_SIZE));
	free_all(array, NR);
}

/* Whether the page that was freed last, and is cache-hot, is the pages' first or last. */
struct place {
	unsigned int first, last;
};

#define PLACE_ROUNDS 50
#define MOST (PLACE_ROUNDS * 9 / 10)

/* How often a bulk of so many pages has the hottest page at its first, and last, place. */
static struct place find_place(struct kunit *test, unsigned long nr)
{
	struct place hottest = { 0 };

	for (unsigned int round = 0; round < PLACE_ROUNDS; round++) {
		struct page *hot = hot_page(test);

		fill(test, GFP_KERNEL, nr);
		hottest.first += array[0] == hot;
		hottest.last += array[nr - 1] == hot;
		free_all(array, NR);
	}
	return hottest;
}

/* The array is in the order of allocation: the hottest page is its first. */
static void array_is_in_order(struct kunit *test)
{
	static const unsigned int lengths[] = { 2, 4, 8, 9, 16, 17, 32 };

	for (unsigned int i = 0; i < ARRAY_SIZE(lengths); i++)
		KUNIT_EXPECT_GE(test, find_place(test, lengths[i]).first, MOST);
}

static void long_array_is_in_order(struct kunit *test)
{
	struct place hottest = find_place(test, 64);

	if (ON_USERMM) {
		DIFFERS(test, "The order of a bulk's pages");
		KUNIT_EXPECT_LE(test, hottest.first, PLACE_ROUNDS - MOST);
	} else {
		KUNIT_EXPECT_GE(test, hottest.first, MOST);
	}
}

/* Every context may ask, those that cannot wait as well; ACCOUNT and MOVABLE, too. */
static void in_every_context(struct kunit *test)
{
	static const gfp_t contexts[] = { GFP_KERNEL, GFP_ATOMIC, GFP_NOWAIT, GFP_NOIO, GFP_NOFS,
					  GFP_USER, GFP_HIGHUSER_MOVABLE, GFP_KERNEL_ACCOUNT,
					  GFP_KERNEL | __GFP_RECLAIMABLE,
					  GFP_KERNEL | __GFP_NORETRY, GFP_KERNEL | __GFP_NOFAIL,
					  GFP_KERNEL | __GFP_COMP };

	for (unsigned int i = 0; i < ARRAY_SIZE(contexts); i++) {
		fill(test, contexts[i], NR);
		for (unsigned int n = 0; n < NR; n++)
			KUNIT_EXPECT_FALSE(test, PageCompound(array[n]));
		free_all(array, NR);
	}
}

/*
 * If pages are charged to memory cgroups, a bulk call gets one page. This Linux has no memory
 * cgroups.
 */
static void accounted_pages(struct kunit *test)
{
	unsigned long got = alloc_pages_bulk_array(GFP_KERNEL_ACCOUNT, 8, array);

	if (ON_USERMM) {
		DIFFERS(test, "Accounted bulks are one page");
		KUNIT_EXPECT_EQ(test, got, 1);
		KUNIT_EXPECT_EQ(test, alloc_pages_bulk_array(GFP_KERNEL_ACCOUNT, 8, array), 2);
	} else {
		KUNIT_EXPECT_EQ(test, got, 8);
	}
	free_all(array, NR);
}

/* More than the per-CPU lists hold is no reason to stop. */
static void more_than_the_lists_hold(struct kunit *test)
{
	enum { MANY = 4096 };
	struct page **pages = kvcalloc(MANY, sizeof(*pages), GFP_KERNEL);
	long before = free_pages_now();

	KUNIT_ASSERT_NOT_NULL(test, pages);
	before = free_pages_now();
	KUNIT_EXPECT_EQ(test, alloc_pages_bulk_array(GFP_KERNEL, MANY, pages), MANY);
	KUNIT_EXPECT_LE(test, abs(before - free_pages_now() - MANY), SLACK);
	free_all(pages, MANY);
	KUNIT_EXPECT_LE(test, abs(before - free_pages_now()), SLACK);
	kvfree(pages);
}

/* __alloc_pages_bulk() with node and node mask, and the forms that name a node or none. */
static void node_forms(struct kunit *test)
{
	nodemask_t nodes = node_online_map;

	KUNIT_EXPECT_EQ(test, BULK_AT(GFP_KERNEL, 0, NULL, 8, NULL, array), 8);
	KUNIT_EXPECT_EQ(test, BULK_AT(GFP_KERNEL, 0, NULL, 0, NULL, array), 0);
	KUNIT_EXPECT_EQ(test, BULK_AT(GFP_KERNEL, 0, NULL, -5, NULL, array), 0);
	KUNIT_EXPECT_EQ(test, alloc_pages_bulk_array_node(GFP_KERNEL, 0, 16, array), 16);
	KUNIT_EXPECT_EQ(test, alloc_pages_bulk_array_node(GFP_KERNEL, NUMA_NO_NODE, 24, array),
			24);
	KUNIT_EXPECT_EQ(test, BULK_AT(GFP_KERNEL, NUMA_NO_NODE, NULL, 32, NULL, array), 32);
	KUNIT_EXPECT_EQ(test, BULK_AT(GFP_KERNEL, 0, &nodes, 40, NULL, array), 40);
	for (unsigned int i = 0; i < 40; i++)
		KUNIT_EXPECT_NOT_NULL(test, array[i]);
	KUNIT_EXPECT_NULL(test, array[40]);
	free_all(array, NR);
}

static struct kunit_case bulk_cases[] = {
	KUNIT_CASE(array_of_every_length),
	KUNIT_CASE(pages_are_single),
	KUNIT_CASE(freed_one_by_one_in_every_way),
	KUNIT_CASE(none_or_fewer),
	KUNIT_CASE(full_array),
	KUNIT_CASE(leading_entries_count),
	KUNIT_CASE(gaps_are_filled),
	KUNIT_CASE(single_gap),
	KUNIT_CASE(entries_behind_are_left),
	KUNIT_CASE(zeroed),
	KUNIT_CASE(zero_leaves_old_pages),
	KUNIT_CASE(array_is_in_order),
	KUNIT_CASE(long_array_is_in_order),
	KUNIT_CASE(in_every_context),
	KUNIT_CASE(accounted_pages),
	KUNIT_CASE(more_than_the_lists_hold),
	KUNIT_CASE(node_forms),
	{}
};

static struct kunit_suite bulk_suite = {
	.name = "conformance_page_bulk",
	.init = bulk_init,
	.test_cases = bulk_cases,
};
kunit_test_suite(bulk_suite);
MODULE_DESCRIPTION("bulk allocation of pages");
MODULE_LICENSE("Dual MIT/GPL");
