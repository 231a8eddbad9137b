/* SPDX-License-Identifier: MIT */
/*
 * Bulk requests with options that see every page: owners, poison, clearing, faults on purpose. Each
 * in a child with its own options.
 */
#include "support/kernel.h"
#include "support/prng.h"
#include "support/shadow.h"
#include "support/threads.h"
#include "support/zones.h"
#include "usermm/fault.h"

#define NR 100

static struct page *array[NR];

static void dirty_pages(struct kunit *test)
{
	memset(array, 0, sizeof(array));
	KUNIT_ASSERT_EQ(test, alloc_pages_bulk_array(GFP_KERNEL | __GFP_SKIP_ZERO, NR, array), NR);
	for (unsigned int i = 0; i < NR; i++)
		memset(page_address(array[i]), 0x5b, PAGE_SIZE);
	free_pages_bulk(array, NR);
	memset(array, 0, sizeof(array));
}

static bool are_clear(unsigned long nr)
{
	for (unsigned long i = 0; i < nr; i++)
		if (!shadow_all_bytes(page_address(array[i]), PAGE_SIZE, 0))
			return false;
	return true;
}

/* All forms, with memory that was used before: is it clear? */
static void expect_clear(struct kunit *test, gfp_t gfp)
{
	LIST_HEAD(list);

	dirty_pages(test);
	KUNIT_ASSERT_EQ(test, alloc_pages_bulk_array(gfp, NR, array), NR);
	KUNIT_EXPECT_TRUE(test, are_clear(NR));
	free_pages_bulk(array, NR);
	dirty_pages(test);
	KUNIT_ASSERT_EQ(test, alloc_pages_bulk_list(gfp, NR, &list), NR);
	for (unsigned int i = 0; i < NR; i++) {
		array[i] = list_first_entry(&list, struct page, lru);
		list_del(&array[i]->lru);
	}
	KUNIT_EXPECT_TRUE(test, are_clear(NR));
	free_pages_bulk(array, NR);
	dirty_pages(test);
	KUNIT_ASSERT_EQ(test, alloc_frozen_pages_bulk(gfp, NR, array), NR);
	KUNIT_EXPECT_TRUE(test, are_clear(NR));
	free_frozen_pages_bulk(array, NR);
}

static void clear(struct kunit *test)
{
	expect_clear(test, GFP_KERNEL);
}

static void clear_on_request(struct kunit *test)
{
	expect_clear(test, GFP_KERNEL | __GFP_ZERO);
}

static void test_bulk_hooks_clearing(struct kunit *test)
{
	zones_run(test, "init_on_alloc=1", clear);
	zones_run(test, "init_on_free=1", clear);
	zones_run(test, "", clear_on_request);
	zones_run(test, "init_on_alloc=1", clear_on_request);
	zones_run(test, "page_poison=1", clear_on_request);
}

#define NR_ORDERED 20

/* The page that was freed last comes first, whichever half of the bulk serves it. */
static void expect_order(struct kunit *test, gfp_t gfp, const unsigned long *nodes, int nr)
{
	struct page *pages[NR_ORDERED];

	dirty_pages(test);	/* and the CPU's list is ready */
	for (unsigned int i = 0; i < NR_ORDERED; i++)
		KUNIT_ASSERT_NOT_NULL(test, pages[i] = alloc_page(GFP_KERNEL));
	for (unsigned int i = 0; i < NR_ORDERED; i++)
		__free_page(pages[i]);
	KUNIT_ASSERT_EQ(test, __alloc_pages_bulk(gfp, NUMA_NO_NODE, nodes, nr, NULL, array), nr);
	for (int i = 0; i < nr; i++)
		KUNIT_EXPECT_PTR_EQ(test, array[i], pages[NR_ORDERED - 1 - i]);
	free_pages_bulk(array, (unsigned long)nr);
}

static void in_order(struct kunit *test)
{
	const unsigned long all_nodes = ~0UL;

	test_pin(0);
	for (int nr = 2; nr <= NR_ORDERED; nr++) {
		expect_order(test, GFP_KERNEL, NULL, nr);
		expect_order(test, GFP_KERNEL | __GFP_ZERO, NULL, nr);
		expect_order(test, GFP_KERNEL, &all_nodes, nr);
	}
}

static void test_bulk_hooks_order(struct kunit *test)
{
	zones_run(test, "", in_order);
	zones_run(test, "init_on_alloc=1", in_order);
	zones_run(test, "page_poison=1", in_order);
}

/* Pages are allocated one at a time, and each has a record. */
static void owned(struct kunit *test)
{
	LIST_HEAD(list);

	for (unsigned long i = 1; i <= 4; i++)
		KUNIT_EXPECT_EQ(test, alloc_pages_bulk_array(GFP_KERNEL, 4, array), i);
	KUNIT_EXPECT_EQ(test, alloc_pages_bulk_array(GFP_KERNEL, 4, array), 4);
	KUNIT_EXPECT_EQ(test, alloc_pages_bulk_list(GFP_KERNEL, 4, &list), 1);
	KUNIT_EXPECT_EQ(test, __alloc_pages_bulk(GFP_KERNEL, 0, NULL, 4, &list, NULL), 1);
	free_pages_bulk(array, 4);
	free_pages_bulk_list(&list);
}

static void test_bulk_hooks_owner(struct kunit *test)
{
	zones_run(test, "page_owner=1", owned);
}

static void arm(void)
{
	usermm_fail_page_alloc.min_order = 0;
	usermm_fail_page_alloc.ignore_gfp_reclaim = false;
	usermm_fail_page_alloc.attr.verbose = 0;
	usermm_arm_faults();
}

/* The result is the number of entries up to the first gap, and nothing else is touched. */
static void fault_at_gap(struct kunit *test)
{
	arm();
	for (unsigned int first = 0; first < 8; first++) {
		KUNIT_ASSERT_EQ(test, alloc_pages_bulk_array(GFP_KERNEL, 8, array), 8);
		put_page(array[first]);
		array[first] = NULL;
		if (first < 6) {
			put_page(array[first + 2]);
			array[first + 2] = NULL;
		}
		usermm_fail_nth(1);
		KUNIT_EXPECT_EQ(test, alloc_pages_bulk_array(GFP_KERNEL, 8, array), first);
		KUNIT_EXPECT_NULL(test, array[first]);
		KUNIT_EXPECT_EQ(test, usermm_fail_nth(0), 0);
		free_pages_bulk(array, 8);
		memset(array, 0, sizeof(array));
	}
	/* A full array asks for nothing, so nothing fails. */
	KUNIT_ASSERT_EQ(test, alloc_pages_bulk_array(GFP_KERNEL, 8, array), 8);
	usermm_fail_nth(1);
	KUNIT_EXPECT_EQ(test, alloc_pages_bulk_array(GFP_KERNEL, 8, array), 8);
	KUNIT_EXPECT_EQ(test, usermm_fail_nth(0), 1);
	free_pages_bulk(array, 8);
}

/*
 * If a bulk request ends as a single page, that page is a request of its own for fault injection.
 */
static void fault_of_the_single(struct kunit *test)
{
	static struct hoard hoard;

	hoard_init(&hoard);
	arm();
	/* Down to the low mark and a little farther. */
	hoard_take_all(&hoard, GFP_NOWAIT, 0);
	for (unsigned int i = 0; i < 30; i++) {
		struct page *page = list_first_entry(&hoard.blocks[0], struct page, lru);

		list_del(&page->lru);
		put_page(page);
	}
	drain_all_pages(NULL);
	KUNIT_EXPECT_EQ_MSG(test, alloc_pages_bulk_array(GFP_NOWAIT, 8, array), 1,
			    "below its mark");
	usermm_fail_nth(2);
	KUNIT_EXPECT_EQ(test, alloc_pages_bulk_array(GFP_NOWAIT, 8, array), 1);
	KUNIT_EXPECT_EQ(test, usermm_fail_nth(0), 0);
	usermm_fail_nth(3);
	KUNIT_EXPECT_EQ(test, alloc_pages_bulk_array(GFP_NOWAIT, 8, array), 2);
	KUNIT_EXPECT_EQ(test, usermm_fail_nth(0), 1);
	free_pages_bulk(array, 8);
	hoard_give_all(&hoard);
	zones_check_whole(test);
}

/* Every other request fails: callers that go on get all they want, nothing is lost. */
static void every_other(struct kunit *test)
{
	unsigned long got = 0, calls = 0;

	arm();
	while (got < NR && calls++ < 4 * NR) {
		unsigned long wanted = min(got + 7, (unsigned long)NR);
		unsigned long now = alloc_pages_bulk_array(GFP_KERNEL, wanted, array);

		KUNIT_ASSERT_TRUE(test, now == got || now == wanted);
		got = now;
	}
	KUNIT_EXPECT_EQ(test, got, NR);
	free_pages_bulk(array, NR);
	drain_all_pages(NULL);
	zones_check_whole(test);
}

static void test_bulk_hooks_faults(struct kunit *test)
{
	zones_run(test, "", fault_at_gap);
	zones_run(test, "zone_normal=32M:pcp=off", fault_of_the_single);
	zones_run(test, "zone_normal=32M:fail_page_alloc=2,100,0,-1", every_other);
}

/* Pages on several pageblocks, in any order: each goes to its own list. */
static void scattered(struct kunit *test)
{
	static struct page *pages[8 * 64];
	struct page *blocks[8];
	struct prng prng = { 11 };

	for (unsigned int round = 0; round < 20; round++) {
		bool frozen = round & 1;

		for (unsigned int i = 0; i < 8; i++) {
			gfp_t gfp = i % 3 == 1 ? GFP_KERNEL | __GFP_MOVABLE :
				    i % 3 == 2 ? GFP_KERNEL | __GFP_RECLAIMABLE : GFP_KERNEL;

			blocks[i] = alloc_frozen_pages(gfp, 9);
			KUNIT_ASSERT_NOT_NULL(test, blocks[i]);
			for (unsigned int k = 0; k < 64; k++)
				pages[i * 64 + k] = blocks[i] + 8 * k;
		}
		for (unsigned int i = 8 * 64; i-- > 1;) {
			unsigned int other = prng_below(&prng, i + 1);
			struct page *page = pages[i];

			pages[i] = pages[other];
			pages[other] = page;
		}
		for (unsigned int i = 0; i < 8 * 64 && !frozen; i++)
			pages[i]->_refcount = 1;
		if (frozen)
			free_frozen_pages_bulk(pages, 8 * 64);
		else
			free_pages_bulk(pages, 8 * 64);
		for (unsigned int i = 0; i < 8; i++)
			for (unsigned int k = 0; k < 512; k++)
				if (k % 8)
					free_frozen_pages(blocks[i] + k, 0);
		drain_all_pages(NULL);
		zones_check_whole(test);
	}
}

static void test_bulk_hooks_scattered(struct kunit *test)
{
	zones_run(test, "zone_normal=64M", scattered);
	zones_run(test, "zone_normal=64M:page_poison=1", scattered);
}

static struct kunit_case bulk_hooks_cases[] = {
	KUNIT_CASE(test_bulk_hooks_clearing),
	KUNIT_CASE(test_bulk_hooks_order),
	KUNIT_CASE(test_bulk_hooks_owner),
	KUNIT_CASE(test_bulk_hooks_faults),
	KUNIT_CASE(test_bulk_hooks_scattered),
	{ 0 },
};

static struct kunit_suite bulk_hooks_suite = {
	.name = "page_bulk_hooks",
	.test_cases = bulk_hooks_cases,
};

kunit_test_suite(bulk_hooks_suite);
