/* SPDX-License-Identifier: MIT */
/*
 * Effects of a zone's watermarks on other things than single requests: bulk requests, the budget
 * for memory outside of the window, CPUs' lists; and the order in which zones are searched.
 */
#include "mm/page_flags.h"
#include "page/api/exact.h"
#include "page/buddy.h"
#include "page/migratetype.h"
#include "page/rmqueue.h"
#include "page/zonelist.h"
#include "support/handler.h"
#include "support/kernel.h"
#include "support/zones.h"
#include "usermm/reclaim.h"

#define GFP_QUIET (__GFP_DIRECT_RECLAIM | __GFP_IO | __GFP_FS | __GFP_NOWARN)
#define NR 10
/* Behind them four are left of a power of two. */
#define HOLE_PAGES 12

static struct zone *normal_zone(void)
{
	return zone_at(0, ZONE_NORMAL);
}

/* --- Bulk requests --------------------------------------------------------------------- */

/* All pages but that many of the zone's are in use. */
static void leave(struct kunit *test, struct hoard *hoard, struct zone *z, unsigned long pages)
{
	hoard_init(hoard);
	hoard_take(hoard, GFP_QUIET | __GFP_THISNODE, 0, (int)z->node, NULL,
		   z->free_pages - pages);
	KUNIT_ASSERT_EQ(test, z->free_pages, pages);
}

/* All of them or, if the zone would come down to its low mark, one the normal way. */
static void bulk_at_low(struct kunit *test)
{
	struct zone *z = normal_zone();
	unsigned long low = wmark_pages(z, WMARK_LOW);

	for (unsigned long above = NR - 1; above <= NR + 1; above++) {
		struct page *array[NR] = { NULL };
		struct hoard hoard;

		leave(test, &hoard, z, low + above);
		KUNIT_EXPECT_EQ_MSG(test, alloc_pages_bulk_array(GFP_KERNEL, NR, array),
				    above > NR ? NR : 1, "%lu above the low mark", above);
		for (unsigned int i = 0; i < NR && array[i]; i++)
			KUNIT_EXPECT_EQ(test, page_flags(array[i]), 0);
		free_pages_bulk(array, NR);
		hoard_give_all(&hoard);
	}
	zones_check_whole(test);
}

/* A request that looked at the mark before others took their pages gets fewer pages. */
static void late_take_at_low(struct kunit *test)
{
	struct zone *z = normal_zone();
	unsigned long low = wmark_pages(z, WMARK_LOW);
	static const unsigned long above[] = { 0, 1, 2, NR / 2, NR, NR + 1, 2 * NR };

	for (unsigned int i = 0; i < ARRAY_SIZE(above); i++) {
		struct page *pages[NR];
		unsigned long taken;
		struct hoard hoard;

		leave(test, &hoard, z, low + above[i]);
		taken = rmqueue_bulk(z, 0, MIGRATE_UNMOVABLE, 0, pages, NR);
		KUNIT_EXPECT_EQ_MSG(test, taken,
				    above[i] > 1 ? min(above[i] - 1, (unsigned long)NR) : 1,
				    "%lu above the low mark", above[i]);
		buddy_give_blocks(z, 1, pages, taken);
		hoard_give_all(&hoard);
	}
	zones_check_whole(test);
}

/* The pages of a bulk are all of one node; another node's is got one at a time. */
static void bulk_stays_at_home(struct kunit *test)
{
	struct page *array[NR] = { NULL };
	struct hoard hoard;

	leave(test, &hoard, normal_zone(), wmark_pages(normal_zone(), WMARK_LOW));
	KUNIT_EXPECT_EQ(test, __alloc_pages_bulk(GFP_KERNEL, 0, NULL, NR, NULL, array), 1);
	KUNIT_EXPECT_EQ(test, page_zone(array[0])->node, 1);
	free_pages_bulk(array, NR);
	hoard_give_all(&hoard);
	zones_check_whole(test);
}

/* The walk of the zonelist skips the zones that the request may not use, and no others. */
static void bulk_by_mask(struct kunit *test)
{
	const unsigned long second = 2;
	struct page *array[NR] = { NULL };

	KUNIT_EXPECT_EQ(test, __alloc_pages_bulk(GFP_KERNEL, 0, &second, NR, NULL, array), NR);
	for (unsigned int i = 0; i < NR; i++)
		KUNIT_EXPECT_EQ(test, page_zone(array[i])->node, 1);
	free_pages_bulk(array, NR);
}

static void test_marks_bulk(struct kunit *test)
{
	zones_run(test, "zone_normal=64M:pcp=off", bulk_at_low);
	zones_run(test, "zone_normal=64M:pcp=off", late_take_at_low);
	zones_run(test, "nodes=2:zone_normal=32M:pcp=off", bulk_stays_at_home);
	zones_run(test, "nodes=2:zone_normal=32M:pcp=off", bulk_by_mask);
}

/* Room between blocks in use is taken above the low mark only. */
static void hole_at_low(struct kunit *test)
{
	struct zone *z = normal_zone();
	unsigned long low = wmark_pages(z, WMARK_LOW);
	struct page *page, *behind, *again;
	struct hoard hoard;
	bool zeroed;

	for (unsigned long above = HOLE_PAGES - 1; above <= HOLE_PAGES + 1; above++) {
		page = alloc_frozen_exact(GFP_KERNEL, HOLE_PAGES, 0, &zeroed);
		behind = alloc_frozen_exact(GFP_KERNEL, 4, 0, &zeroed);
		KUNIT_ASSERT_PTR_EQ(test, behind, page + HOLE_PAGES);
		leave(test, &hoard, z, low + above - HOLE_PAGES);
		free_frozen_exact(page, HOLE_PAGES);
		again = alloc_frozen_hole(GFP_KERNEL, HOLE_PAGES, 0, &zeroed);
		KUNIT_EXPECT_PTR_EQ_MSG(test, again, above > HOLE_PAGES ? page : NULL,
					"%lu above the low mark", above);
		if (again)
			free_frozen_exact(again, HOLE_PAGES);
		free_frozen_exact(behind, 4);
		hoard_give_all(&hoard);
	}
	zones_check_whole(test);
}

static void test_marks_holes(struct kunit *test)
{
	zones_run(test, "zone_normal=64M:pcp=off", hole_at_low);
}

/* --- Memory outside of the window -------------------------------------------------------- */

/* The last page above the minimum may be charged, and no page below it. */
static void charge(struct kunit *test)
{
	struct zone *z = normal_zone();
	unsigned long min = wmark_pages(z, WMARK_MIN), start = z->free_pages;

	KUNIT_EXPECT_FALSE(test, zone_charge(z, start - min));
	KUNIT_EXPECT_EQ(test, z->free_pages, start);
	KUNIT_EXPECT_TRUE(test, zone_charge(z, start - min - 1));
	KUNIT_EXPECT_EQ(test, z->free_pages, min + 1);
	KUNIT_EXPECT_FALSE(test, zone_charge(z, 1));
	zone_uncharge(z, start - min - 1);
	KUNIT_EXPECT_EQ(test, z->free_pages, start);
	/* More than there is at all. */
	KUNIT_EXPECT_FALSE(test, zone_charge(z, start + 1));
	KUNIT_EXPECT_EQ(test, z->free_pages, start);
}

static void charge_twice(void *arg)
{
	struct zone *z = normal_zone();
	unsigned long half = (z->free_pages - wmark_pages(z, WMARK_MIN)) / 2 + 1;

	KUNIT_EXPECT_TRUE(arg, zone_charge(z, half));
	KUNIT_EXPECT_FALSE(arg, zone_charge(z, half));
	zone_uncharge(z, half);
	KUNIT_EXPECT_TRUE(arg, zone_charge(z, half));
	zone_uncharge(z, half);
}

/* A handler's charges count for its next ones, though nobody has seen to them yet. */
static void charge_in_handler(struct kunit *test)
{
	struct zone *z = normal_zone();
	unsigned long start = z->free_pages;

	lock_acquire(&z->lock);
	run_in_handler(charge_twice, test);
	lock_release(&z->lock);
	KUNIT_EXPECT_EQ(test, z->charged, 0);
	KUNIT_EXPECT_EQ(test, z->free_pages, start);
}

/* Of several zones the largest has the budget, of equal ones the first. */
static void budget_of_first(struct kunit *test)
{
	KUNIT_EXPECT_PTR_EQ(test, budget_zone(), zone_at(0, ZONE_NORMAL));
}

static void budget_of_largest(struct kunit *test)
{
	KUNIT_EXPECT_PTR_EQ(test, budget_zone(), zone_at(0, ZONE_MOVABLE));
}

static void test_marks_charge(struct kunit *test)
{
	zones_run(test, "zone_normal=64M:pcp=off", charge);
	zones_run(test, "zone_normal=64M", charge_in_handler);
	zones_run(test, "nodes=3:zone_normal=16M", budget_of_first);
	zones_run(test, "zone_normal=16M:zone_movable=32M", budget_of_largest);
}

/* --- Below the high mark ------------------------------------------------------------------ */

static bool is_below_high(void)
{
	return zone_test_flag(normal_zone(), ZONE_BELOW_HIGH);
}

/*
 * A request that finds the zone at its high mark sets a flag, and a CPU that empties its lists
 * above the mark clears it. Pages that are kept from requests for a higher zone count here.
 */
static void below_high(struct kunit *test)
{
	struct zone *z = normal_zone();
	unsigned long high = wmark_pages(z, WMARK_HIGH);
	unsigned long back = high + z->lowmem_reserve[ZONE_MOVABLE];
	struct page *page;
	struct hoard hoard;

	leave(test, &hoard, z, high + 1);
	list_add(&alloc_page(GFP_KERNEL)->lru, &hoard.blocks[0]);
	KUNIT_EXPECT_EQ(test, z->free_pages, high);
	KUNIT_EXPECT_FALSE(test, is_below_high());
	list_add(&alloc_page(GFP_KERNEL)->lru, &hoard.blocks[0]);
	KUNIT_EXPECT_TRUE(test, is_below_high());
	while (z->free_pages <= back) {
		drain_local_pages(NULL);
		KUNIT_ASSERT_TRUE_MSG(test, is_below_high(), "with %lu pages", z->free_pages);
		page = list_first_entry(&hoard.blocks[0], struct page, lru);
		list_del(&page->lru);
		__free_page(page);
	}
	drain_local_pages(NULL);
	KUNIT_EXPECT_FALSE(test, is_below_high());
	hoard_give_all(&hoard);
	zones_check_whole(test);
}

/* A list that overflows sets the flag as well. */
static void above_high_again(struct kunit *test)
{
	struct zone *z = normal_zone();
	struct hoard hoard;

	hoard_init(&hoard);
	hoard_take_all(&hoard, GFP_NOWAIT, 0);
	KUNIT_EXPECT_TRUE(test, is_below_high());
	while (!list_empty(&hoard.blocks[0])) {
		struct page *page = list_first_entry(&hoard.blocks[0], struct page, lru);

		list_del(&page->lru);
		__free_page(page);
	}
	KUNIT_EXPECT_GT(test, z->free_pages, wmark_pages(z, WMARK_HIGH));
	KUNIT_EXPECT_FALSE(test, is_below_high());
	drain_all_pages(NULL);
	zones_check_whole(test);
}

static void test_marks_below_high(struct kunit *test)
{
	zones_run(test, "zone_normal=64M", above_high_again);
	zones_run(test, "zone_normal=64M:pcp=off", below_high);
	zones_run(test, "zone_normal=64M:zone_movable=64M:pcp=off", below_high);
}

/* --- Where memory is looked for -------------------------------------------------------------- */

/*
 * A request prefers another zone of the node to mixing types in a pageblock, and prefers mixing to
 * another node.
 */
static void mix_at_home(struct kunit *test)
{
	struct zone *z = normal_zone(), *dma32 = zone_at(0, ZONE_DMA32);
	unsigned long remote = zone_at(1, ZONE_NORMAL)->free_pages;
	struct hoard hoard;
	struct page *page;

	hoard_init(&hoard);
	hoard_take(&hoard, GFP_QUIET | __GFP_MOVABLE | __GFP_THISNODE, 0, 0, NULL,
		   z->free_pages - 300);
	KUNIT_ASSERT_EQ(test, z->free_pages, 300);
	while ((page = __alloc_pages(GFP_QUIET, 0, 0, NULL)) && page_zone(page) == dma32)
		list_add(&page->lru, &hoard.blocks[0]);
	KUNIT_ASSERT_NOT_NULL(test, page);
	list_add(&page->lru, &hoard.blocks[0]);
	KUNIT_EXPECT_PTR_EQ(test, page_zone(page), z);
	KUNIT_EXPECT_EQ(test, zone_at(1, ZONE_NORMAL)->free_pages, remote);
	hoard_give_all(&hoard);
	zones_check_whole(test);
}

/* Above all marks and masks: a request that may have the reserves. */
static void reserves_of_all_nodes(struct kunit *test)
{
	const unsigned long first = 1;
	struct hoard hoard;

	hoard_init(&hoard);
	KUNIT_EXPECT_EQ(test, hoard_take(&hoard, GFP_QUIET | __GFP_MEMALLOC, 0, 0, &first, ~0UL),
			2 * MIB_PAGES(16));
	hoard_give_all(&hoard);
	zones_check_whole(test);
}

/* Memory that is asked for by address is never in the Movable zone, whatever the flags are. */
static void addresses(struct kunit *test)
{
	unsigned long at = __get_free_pages(GFP_HIGHUSER_MOVABLE, 0);
	void *exact = alloc_pages_exact(PAGE_SIZE, GFP_HIGHUSER_MOVABLE);
	struct page *page = alloc_page(GFP_HIGHUSER_MOVABLE);

	KUNIT_EXPECT_EQ(test, page_zone(virt_to_page((void *)at))->index, ZONE_NORMAL);
	KUNIT_EXPECT_EQ(test, page_zone(virt_to_page(exact))->index, ZONE_NORMAL);
	KUNIT_EXPECT_EQ(test, page_zone(page)->index, ZONE_MOVABLE);
	free_page(at);
	free_pages_exact(exact, PAGE_SIZE);
	__free_page(page);
}

/* A thread that pins its pages gets none from where they would have to move. */
static void pinned(struct kunit *test)
{
	struct page *page, *pages[8] = { NULL };
	unsigned int saved;

	/* Lists that have something to give. */
	KUNIT_EXPECT_EQ(test, alloc_pages_bulk_array(GFP_HIGHUSER_MOVABLE, 8, pages), 8);
	free_pages_bulk(pages, 8);
	saved = memalloc_pin_save();
	page = alloc_page(GFP_HIGHUSER_MOVABLE);
	KUNIT_EXPECT_EQ(test, page_zone(page)->index, ZONE_NORMAL);
	KUNIT_EXPECT_EQ(test, get_pageblock_migratetype(page), MIGRATE_UNMOVABLE);
	__free_page(page);
	memset(pages, 0, sizeof(pages));
	KUNIT_EXPECT_EQ(test, alloc_pages_bulk_array(GFP_HIGHUSER_MOVABLE, 8, pages), 8);
	for (unsigned int i = 0; i < 8; i++)
		KUNIT_EXPECT_EQ(test, page_zone(pages[i])->index, ZONE_NORMAL);
	free_pages_bulk(pages, 8);
	memalloc_pin_restore(saved);
	page = alloc_page(GFP_HIGHUSER_MOVABLE);
	KUNIT_EXPECT_EQ(test, page_zone(page)->index, ZONE_MOVABLE);
	__free_page(page);
}

/* It gets no pages of CMA pageblocks either, because these have to move. */
static void pinned_without_cma(struct kunit *test)
{
	struct zone *z = normal_zone();
	unsigned int saved;

	for (unsigned long i = 0; i < z->managed_pages; i += PAGEBLOCK_PAGES)
		if (i / PAGEBLOCK_PAGES % 8)
			pageblock_convert(pfn_to_page(i), MIGRATE_CMA);
	saved = memalloc_pin_save();
	for (unsigned long nr = 1; nr <= 64; nr *= 8) {
		struct page *pages[64] = { NULL };
		unsigned long got = alloc_pages_bulk_array(GFP_KERNEL | __GFP_MOVABLE, nr, pages);

		KUNIT_EXPECT_EQ(test, got, nr);
		for (unsigned long i = 0; i < got; i++)
			KUNIT_ASSERT_NE(test, get_pageblock_migratetype(pages[i]), MIGRATE_CMA);
		free_pages_bulk(pages, got);
	}
	memalloc_pin_restore(saved);
}

/* And of CMA pageblocks, if its pages are movable. */
static void reserves_with_cma(struct kunit *test)
{
	struct zone *z = normal_zone();
	struct hoard hoard;

	hoard_init(&hoard);
	pageblock_convert(pfn_to_page(0), MIGRATE_CMA);
	hoard_take_all(&hoard, GFP_QUIET | __GFP_MEMALLOC, 0);
	KUNIT_EXPECT_EQ(test, z->free_pages, PAGEBLOCK_PAGES);
	hoard_take_all(&hoard, GFP_QUIET | __GFP_MEMALLOC | __GFP_MOVABLE, 0);
	KUNIT_EXPECT_EQ(test, z->free_pages, 0);
	hoard_give_all(&hoard);
	zones_check_lists(test);
}

/* A bulk of movable pages may count on CMA pageblocks, and no other one may. */
static void bulk_with_cma(struct kunit *test)
{
	struct zone *z = normal_zone();
	struct page *array[100] = { NULL };

	for (unsigned long i = 0; i < z->managed_pages; i += PAGEBLOCK_PAGES)
		pageblock_convert(pfn_to_page(z->start_pfn + i), MIGRATE_CMA);
	KUNIT_ASSERT_EQ(test, z->nr_free_cma, z->free_pages);
	KUNIT_EXPECT_EQ(test, alloc_pages_bulk_array(GFP_QUIET, 100, array), 0);
	KUNIT_EXPECT_EQ(test, alloc_pages_bulk_array(GFP_QUIET | __GFP_MOVABLE, 100, array), 100);
	free_pages_bulk(array, 100);
	drain_all_pages(NULL);
	zones_check_lists(test);
}

static void test_marks_places(struct kunit *test)
{
	zones_run(test, "nodes=2:zone_dma32=8M:zone_normal=16M:pcp=off", mix_at_home);
	zones_run(test, "nodes=2:zone_normal=16M:pcp=off", reserves_of_all_nodes);
	zones_run(test, "zone_normal=64M:pcp=off", reserves_with_cma);
	zones_run(test, "zone_normal=64M", bulk_with_cma);
	zones_run(test, "zone_normal=64M:pcp=off", bulk_with_cma);
	zones_run(test, "zone_normal=16M:zone_movable=16M", addresses);
	zones_run(test, "zone_normal=16M:zone_movable=16M:pcp=off", pinned);
	zones_run(test, "zone_normal=16M:zone_movable=16M", pinned);
	zones_run(test, "zone_normal=64M", pinned_without_cma);
}

/* Types are kept apart only if there are at least as many pageblocks as types. */
static void grouping(struct kunit *test)
{
	KUNIT_EXPECT_FALSE(test, page_group_by_mobility_disabled);
	KUNIT_EXPECT_EQ(test, nodes_managed_pages(), MIGRATE_TYPES * PAGEBLOCK_PAGES);
}

static void test_marks_grouping(struct kunit *test)
{
	zones_run(test, "zone_normal=12M", grouping);
}

static struct kunit_case marks_cases[] = {
	KUNIT_CASE(test_marks_bulk),
	KUNIT_CASE(test_marks_holes),
	KUNIT_CASE(test_marks_charge),
	KUNIT_CASE(test_marks_below_high),
	KUNIT_CASE(test_marks_places),
	KUNIT_CASE(test_marks_grouping),
	{ 0 },
};

static struct kunit_suite marks_suite = {
	.name = "marks",
	.test_cases = marks_cases,
};

kunit_test_suite(marks_suite);
