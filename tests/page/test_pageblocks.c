/* SPDX-License-Identifier: MIT */
/*
 * Single pageblocks: those that change their type, the reserve for atomic requests from its first
 * pageblock to its last, and boosts of the marks.
 */
#include "mm/page_flags.h"
#include "page/migratetype.h"
#include "page/pageblock.h"
#include "page/zonelist.h"
#include "support/kernel.h"
#include "support/zones.h"
#include "usermm/reclaim.h"

/* May wait, and wakes nobody: boosts stay where they are. */
#define GFP_QUIET (__GFP_DIRECT_RECLAIM | __GFP_IO | __GFP_FS)
/* The smallest order that CPUs' lists do not come before. */
#define UNLISTED_ORDER (PAGE_ALLOC_COSTLY_ORDER + 1)

static struct zone *normal_zone(void)
{
	return zone_at(0, ZONE_NORMAL);
}

/* --- Changes of type --------------------------------------------------------------------- */

static unsigned int list_position(struct zone *z, enum migratetype type, const struct page *wanted)
{
	unsigned int at = 0;
	struct page *page;

	list_for_each_entry(page, &z->free_area[0].free_list[type], lru) {
		if (page == wanted)
			return at;
		at++;
	}
	return UINT32_MAX;
}

/* A list hands out its own blocks before those that are added to it, which keep their order. */
static void go_over_behind(struct kunit *test)
{
	struct zone *z = normal_zone();
	struct page *own = alloc_pages(GFP_KERNEL | __GFP_RECLAIMABLE, 1), *page[4];

	for (unsigned int i = 0; i < 4; i++)
		page[i] = alloc_page(GFP_KERNEL);
	KUNIT_ASSERT_PTR_EQ(test, page[3], page[0] + 3);
	__free_page(page[0]);
	__free_page(page[2]);
	put_page(own);
	KUNIT_ASSERT_EQ(test, list_position(z, MIGRATE_RECLAIMABLE, own), 0);
	pageblock_convert(page[0], MIGRATE_RECLAIMABLE);
	KUNIT_EXPECT_EQ(test, list_position(z, MIGRATE_RECLAIMABLE, own), 0);
	KUNIT_EXPECT_EQ(test, list_position(z, MIGRATE_RECLAIMABLE, page[0]), 1);
	KUNIT_EXPECT_EQ(test, list_position(z, MIGRATE_RECLAIMABLE, page[2]), 2);
	zones_check_lists(test);
}

/* A block whose pageblocks have become different goes back in parts. */
static void free_in_parts(struct kunit *test)
{
	struct page *page = alloc_pages(GFP_KERNEL, MAX_PAGE_ORDER);
	struct zone *z = normal_zone();

	KUNIT_ASSERT_NOT_NULL(test, page);
	pageblock_convert(page + PAGEBLOCK_PAGES, MIGRATE_CMA);
	__free_pages(page, MAX_PAGE_ORDER);
	zones_check_lists(test);
	KUNIT_EXPECT_EQ(test, z->nr_free_cma, PAGEBLOCK_PAGES);
	KUNIT_EXPECT_EQ(test, z->free_pages, z->managed_pages);
	KUNIT_EXPECT_EQ(test, page->order, PAGEBLOCK_ORDER);
	KUNIT_EXPECT_EQ(test, page[PAGEBLOCK_PAGES].order, PAGEBLOCK_ORDER);
}

static void test_pageblocks_go_over(struct kunit *test)
{
	zones_run(test, "zone_normal=64M:pcp=off", go_over_behind);
	zones_run(test, "zone_normal=64M:pcp=off", free_in_parts);
}

/* --- The reserve for atomic requests --------------------------------------------------- */

static struct page *must_take(struct kunit *test, gfp_t gfp, unsigned int order)
{
	struct page *page = alloc_pages(gfp | __GFP_NOWARN, order);

	KUNIT_ASSERT_NOT_NULL(test, page);
	return page;
}

/* With marks that high all requests look at what their flags allow. */
static void raise_marks(struct kunit *test)
{
	const struct zone *z = normal_zone();

	zones_set_min_free(z->managed_pages / 16 * 15);
	KUNIT_ASSERT_GT(test, wmark_pages(z, WMARK_LOW), z->managed_pages);
}

/* A hundredth of the zone in whole pageblocks, beginning with one that is that large. */
static void reserve_up_to(struct kunit *test, unsigned long most)
{
	const struct zone *z = normal_zone();
	unsigned long reserved = 0;

	raise_marks(test);
	for (unsigned int i = 0; i < 6; i++) {
		struct page *page = must_take(test, GFP_ATOMIC, PAGEBLOCK_ORDER);

		if (reserved < most)
			reserved += PAGEBLOCK_PAGES;
		KUNIT_EXPECT_EQ(test, z->nr_reserved_highatomic, reserved);
		KUNIT_EXPECT_EQ(test, get_pageblock_migratetype(page) == MIGRATE_HIGHATOMIC,
				(i + 1) * PAGEBLOCK_PAGES <= most);
	}
	zones_check_lists(test);
}

static void reserve_nothing(struct kunit *test)
{
	reserve_up_to(test, 0);
}

static void reserve_one(struct kunit *test)
{
	reserve_up_to(test, PAGEBLOCK_PAGES);
}

static void reserve_two(struct kunit *test)
{
	reserve_up_to(test, 2 * PAGEBLOCK_PAGES);
}

/* A block of two pageblocks counts as two, and both are kept. */
static void reserve_large(struct kunit *test)
{
	const struct zone *z = normal_zone();
	struct page *page;

	raise_marks(test);
	page = must_take(test, GFP_ATOMIC, MAX_PAGE_ORDER);
	KUNIT_EXPECT_EQ(test, z->nr_reserved_highatomic, 1UL << MAX_PAGE_ORDER);
	for (unsigned int i = 0; i < 2; i++)
		KUNIT_EXPECT_EQ(test, get_pageblock_migratetype(page + i * PAGEBLOCK_PAGES),
				MIGRATE_HIGHATOMIC);
	__free_pages(page, MAX_PAGE_ORDER);
	KUNIT_EXPECT_EQ(test, z->nr_free_highatomic, 1UL << MAX_PAGE_ORDER);
	zones_check_lists(test);
}

/* The reserve serves before other lists, so it does not grow while it has free blocks. */
static void reserve_serves_first(struct kunit *test)
{
	const struct zone *z = normal_zone();

	raise_marks(test);
	for (unsigned int i = 0; i < PAGEBLOCK_PAGES >> UNLISTED_ORDER; i++) {
		struct page *page = must_take(test, GFP_ATOMIC, UNLISTED_ORDER);

		KUNIT_ASSERT_EQ(test, get_pageblock_migratetype(page), MIGRATE_HIGHATOMIC);
		KUNIT_ASSERT_EQ(test, z->nr_reserved_highatomic, PAGEBLOCK_PAGES);
	}
	KUNIT_EXPECT_EQ(test, z->nr_free_highatomic, 0);
	must_take(test, GFP_ATOMIC, UNLISTED_ORDER);
	KUNIT_EXPECT_EQ(test, z->nr_reserved_highatomic, 2 * PAGEBLOCK_PAGES);
}

/* Two free pageblocks of the reserve, which are no buddies, and marks as they were. */
static void make_reserve(struct kunit *test)
{
	const struct zone *z = normal_zone();
	unsigned long min = z->watermark[WMARK_MIN];
	struct page *pages[2];

	raise_marks(test);
	for (unsigned int i = 0; i < 2; i++) {
		pages[i] = must_take(test, GFP_ATOMIC, PAGEBLOCK_ORDER);
		must_take(test, __GFP_MEMALLOC, PAGEBLOCK_ORDER);
	}
	for (unsigned int i = 0; i < 2; i++)
		__free_pages(pages[i], PAGEBLOCK_ORDER);
	zones_set_min_free(min);
	KUNIT_ASSERT_EQ(test, z->watermark[WMARK_MIN], min);
	KUNIT_ASSERT_EQ(test, z->nr_reserved_highatomic, 2 * PAGEBLOCK_PAGES);
	KUNIT_ASSERT_EQ(test, z->nr_free_highatomic, 2 * PAGEBLOCK_PAGES);
}

/*
 * A request that gives up soon and has reclaimed nothing leaves the reserve alone; one that goes on
 * takes all of it.
 */
static void break_up(struct kunit *test)
{
	const struct zone *z = normal_zone();
	unsigned long min = z->watermark[WMARK_MIN];
	struct hoard hoard;

	make_reserve(test);
	hoard_init(&hoard);
	hoard_take_all(&hoard, GFP_QUIET | __GFP_NORETRY, 0);
	KUNIT_EXPECT_EQ(test, z->nr_reserved_highatomic, 2 * PAGEBLOCK_PAGES);
	KUNIT_EXPECT_EQ(test, z->free_pages, min + 2 * PAGEBLOCK_PAGES);
	KUNIT_EXPECT_EQ(test, hoard_take_all(&hoard, GFP_QUIET, 0), 2 * PAGEBLOCK_PAGES);
	KUNIT_EXPECT_EQ(test, z->nr_reserved_highatomic, 0);
	KUNIT_EXPECT_EQ(test, z->free_pages, min);
	zones_check_lists(test);
}

/* A victim gets half of the minimum, and the reserve's pages among them. */
static void victim_gets_it(struct kunit *test)
{
	const struct zone *z = normal_zone();
	unsigned long min = z->watermark[WMARK_MIN];
	struct hoard hoard;

	make_reserve(test);
	hoard_init(&hoard);
	hoard_take_all(&hoard, GFP_QUIET | __GFP_NORETRY, 0);
	usermm_oom_victim_begin();
	KUNIT_EXPECT_EQ(test, hoard_take_all(&hoard, GFP_QUIET | __GFP_NORETRY, 0),
			min / 2 + 2 * PAGEBLOCK_PAGES);
	KUNIT_EXPECT_EQ(test, z->free_pages, min - min / 2);
	KUNIT_EXPECT_LT(test, z->nr_free_highatomic, PAGEBLOCK_PAGES);
	usermm_oom_victim_end();
	zones_check_lists(test);
}

/* A pageblock that is broken up gets the request's type, whatever its size was. */
static void break_up_for(struct kunit *test)
{
	static const gfp_t gfps[MIGRATE_PCPTYPES] = { 0, __GFP_MOVABLE, __GFP_RECLAIMABLE };
	struct alloc_context ac;

	for (unsigned int order = 1; order <= MAX_PAGE_ORDER; order++)
		for (unsigned int type = 0; type < MIGRATE_PCPTYPES; type++) {
			struct page *page;
			unsigned long min = normal_zone()->watermark[WMARK_MIN];

			raise_marks(test);
			page = must_take(test, GFP_ATOMIC, order);
			zones_set_min_free(min);
			__free_pages(page, order);
			alloc_context_prepare(&ac, GFP_KERNEL | gfps[type], -1, NULL);
			KUNIT_EXPECT_TRUE(test, unreserve_highatomic_pageblock(&ac, true));
			KUNIT_EXPECT_EQ(test, get_pageblock_migratetype(page), type);
			KUNIT_EXPECT_EQ(test, get_pageblock_migratetype(page + (1UL << order) - 1),
					type);
			KUNIT_EXPECT_EQ(test, normal_zone()->nr_reserved_highatomic, 0);
			KUNIT_EXPECT_EQ(test, normal_zone()->nr_free_highatomic, 0);
			zones_check_lists(test);
		}
}

static void test_pageblocks_reserve(struct kunit *test)
{
	zones_run(test, "zone_normal=196M:pcp=off", reserve_nothing);
	zones_run(test, "zone_normal=200M:pcp=off", reserve_one);
	zones_run(test, "zone_normal=204M:pcp=off", reserve_two);
	zones_run(test, "zone_normal=256M:pcp=off", reserve_large);
	zones_run(test, "zone_normal=256M:pcp=off", reserve_serves_first);
	zones_run(test, "zone_normal=256M:pcp=off", break_up);
	zones_run(test, "zone_normal=256M:pcp=off", victim_gets_it);
	zones_run(test, "zone_normal=256M:pcp=off", break_up_for);
}

/* --- Boosts --------------------------------------------------------------------------- */

/* The last free pages are movable and a part of a pageblock; then a page of another type. */
static void mix(struct kunit *test, gfp_t gfp)
{
	struct zone *z = normal_zone();
	struct hoard hoard;

	hoard_init(&hoard);
	hoard_take(&hoard, GFP_QUIET | __GFP_MOVABLE, 0, -1, NULL, z->free_pages - 300);
	KUNIT_ASSERT_EQ(test, z->free_pages, 300);
	KUNIT_ASSERT_EQ(test, z->watermark_boost, 0);
	must_take(test, gfp, 0);
	KUNIT_EXPECT_EQ(test, z->claims, 1);
}

/* Too few pageblocks for it to matter. */
static void no_boost(struct kunit *test)
{
	mix(test, GFP_QUIET);
	KUNIT_EXPECT_EQ(test, normal_zone()->watermark_boost, 0);
}

/* A pageblock at least, even where that is more than half of the high mark. */
static void boost(struct kunit *test)
{
	struct zone *z = normal_zone();

	KUNIT_ASSERT_LT(test, z->watermark[WMARK_HIGH] * 3 / 2, PAGEBLOCK_PAGES);
	mix(test, GFP_QUIET);
	KUNIT_EXPECT_EQ(test, z->watermark_boost, PAGEBLOCK_PAGES);
	KUNIT_EXPECT_FALSE(test, zone_test_flag(z, ZONE_BOOSTED_WATERMARK));
	/* It stays until a request wakes the background, which finds nothing to do. */
	KUNIT_EXPECT_NULL(test, alloc_page(GFP_QUIET | __GFP_NOWARN));
	KUNIT_EXPECT_EQ(test, z->watermark_boost, PAGEBLOCK_PAGES);
	KUNIT_EXPECT_NOT_NULL(test, alloc_page(GFP_NOWAIT));
	KUNIT_EXPECT_EQ(test, z->watermark_boost, 0);
}

/* Above the low mark, the request that mixed types wakes it. */
static void boost_ends(struct kunit *test)
{
	struct zone *z = normal_zone();

	KUNIT_ASSERT_LT(test, z->watermark[WMARK_LOW], 300);
	mix(test, GFP_KERNEL);
	KUNIT_EXPECT_EQ(test, z->watermark_boost, 0);
	KUNIT_EXPECT_FALSE(test, zone_test_flag(z, ZONE_BOOSTED_WATERMARK));
}

static void test_pageblocks_boost(struct kunit *test)
{
	zones_run(test, "zone_normal=4M:zone_movable=64M:pcp=off", no_boost);
	zones_run(test, "zone_normal=8M:zone_movable=64M:pcp=off", boost);
	zones_run(test, "zone_normal=16M:pcp=off", boost);
	zones_run(test, "zone_normal=16M:pcp=off", boost_ends);
}

static struct kunit_case pageblocks_cases[] = {
	KUNIT_CASE(test_pageblocks_go_over),
	KUNIT_CASE(test_pageblocks_reserve),
	KUNIT_CASE(test_pageblocks_boost),
	{ 0 },
};

static struct kunit_suite pageblocks_suite = {
	.name = "pageblocks",
	.test_cases = pageblocks_cases,
};

kunit_test_suite(pageblocks_suite);
