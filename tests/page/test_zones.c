/* SPDX-License-Identifier: MIT */
/*
 * Which zone a request gets its pages from, how far down it may take the zone, and which pages
 * zones keep from which requests: exact counts, in small zones, with nothing on CPUs' lists.
 */
#include <sched.h>

#include "mm/memmap.h"
#include "page/pageblock.h"
#include "page/pcp/pcp.h"
#include "page/zonelist.h"
#include "support/kernel.h"
#include "support/zones.h"

#define FOUR_ZONES "zone_dma=4M:zone_dma32=16M:zone_normal=64M:zone_movable=32M:pcp=off"

static unsigned long free_of(enum zone_type index)
{
	return zone_at(0, index)->free_pages;
}

/* --- The staircase ---------------------------------------------------------------- */

/* Each step gets exactly the pages between its mark and that of the step before. */
static void staircase(struct kunit *test)
{
	struct zone *z = zone_at(0, ZONE_NORMAL);
	unsigned long min = z->watermark[WMARK_MIN], left = MIB_PAGES(64);
	const struct {
		const char *name;
		gfp_t gfp;
		unsigned long mark;
	} steps[] = {
		{ "NOWAIT", GFP_NOWAIT, min },
		{ "no bits", 0, min },
		{ "KERNEL", GFP_KERNEL, min },
		{ "NOIO", GFP_NOIO, min },
		{ "KERNEL | NOMEMALLOC | MEMALLOC", GFP_KERNEL | __GFP_NOMEMALLOC | __GFP_MEMALLOC,
		  min },
		{ "HIGH | NOMEMALLOC", __GFP_HIGH | __GFP_NOMEMALLOC, min / 2 },
		{ "KERNEL | HIGH", GFP_KERNEL | __GFP_HIGH, min / 2 },
		{ "ATOMIC", GFP_ATOMIC, min / 2 - min / 8 },
		{ "HIGH", __GFP_HIGH, min / 2 - min / 8 },
		{ "KERNEL again", GFP_KERNEL, min / 2 - min / 8 },
		{ "MEMALLOC", __GFP_MEMALLOC, 0 },
		{ "KERNEL | MEMALLOC", GFP_KERNEL | __GFP_MEMALLOC, 0 },
	};
	struct hoard hoard;

	KUNIT_ASSERT_EQ(test, min, 256);
	KUNIT_ASSERT_EQ(test, z->free_pages, left);
	hoard_init(&hoard);
	for (unsigned int i = 0; i < ARRAY_SIZE(steps); i++) {
		KUNIT_EXPECT_EQ_MSG(test, hoard_take_all(&hoard, steps[i].gfp, 0),
				    left - steps[i].mark, "%s", steps[i].name);
		KUNIT_EXPECT_EQ_MSG(test, z->free_pages, steps[i].mark, "%s", steps[i].name);
		left = steps[i].mark;
	}
	hoard_give_all(&hoard);
	zones_check_whole(test);
}

/* Order 3: usable pages are those beyond a block, so the steps are the same less 7. */
static void staircase_of_blocks(struct kunit *test)
{
	struct zone *z = zone_at(0, ZONE_NORMAL);
	unsigned long min = z->watermark[WMARK_MIN];
	const struct {
		gfp_t gfp;
		unsigned long mark;
	} steps[] = {
		{ GFP_KERNEL, min }, { GFP_NOWAIT, min }, { GFP_KERNEL | __GFP_HIGH, min / 2 },
		{ GFP_ATOMIC, min / 2 - min / 8 }, { __GFP_MEMALLOC, 0 },
	};
	struct hoard hoard;

	hoard_init(&hoard);
	for (unsigned int i = 0; i < ARRAY_SIZE(steps); i++) {
		hoard_take_all(&hoard, steps[i].gfp, 3);
		/* The first of free, free - 8, ... that is not above mark + 7. */
		KUNIT_EXPECT_EQ(test, z->free_pages, steps[i].mark);
		KUNIT_EXPECT_EQ(test, z->free_pages % 8, 0);
	}
	hoard_give_all(&hoard);
	zones_check_whole(test);
}

static void test_zones_staircase(struct kunit *test)
{
	zones_run(test, "zone_normal=64M:pcp=off", staircase);
	zones_run(test, "zone_normal=64M:pcp=off", staircase_of_blocks);
	zones_run(test, "nodes=1:limit=64M:reserve=64M:pcp=off", staircase);
}

/* With per-CPU lists no request gets further down than without. */
static void staircase_with_lists(struct kunit *test)
{
	struct zone *z = zone_at(0, ZONE_NORMAL);
	unsigned long min = z->watermark[WMARK_MIN];
	struct hoard hoard;

	hoard_init(&hoard);
	KUNIT_EXPECT_EQ(test, hoard_take_all(&hoard, GFP_NOWAIT, 0), MIB_PAGES(64) - min);
	KUNIT_EXPECT_EQ(test, hoard_take_all(&hoard, GFP_KERNEL, 0), 0);
	KUNIT_EXPECT_EQ(test, hoard_take_all(&hoard, GFP_ATOMIC, 0), min - (min / 2 - min / 8));
	hoard_give_all(&hoard);
	zones_check_whole(test);
}

static void test_zones_staircase_with_lists(struct kunit *test)
{
	zones_run(test, "zone_normal=64M", staircase_with_lists);
}

/* A realtime thread that may wait goes as far as __GFP_HIGH. */
static void realtime_thread(struct kunit *test)
{
	struct sched_param param = { .sched_priority = 1 };
	struct zone *z = zone_at(0, ZONE_NORMAL);
	unsigned long min = z->watermark[WMARK_MIN];
	struct hoard hoard;

	hoard_init(&hoard);
	KUNIT_ASSERT_EQ(test, sched_setscheduler(0, SCHED_FIFO, &param), 0);
	hoard_take_all(&hoard, GFP_NOWAIT, 0);
	KUNIT_EXPECT_EQ_MSG(test, z->free_pages, min, "who may not wait gets no more than others");
	hoard_take_all(&hoard, GFP_KERNEL, 0);
	KUNIT_EXPECT_EQ(test, z->free_pages, min / 2);
	hoard_give_all(&hoard);
}

static void test_zones_realtime(struct kunit *test)
{
	struct sched_param param = { .sched_priority = 1 };

	if (sched_setscheduler(0, SCHED_FIFO, &param))
		kunit_skip(test, "no realtime policy here");
	param.sched_priority = 0;
	sched_setscheduler(0, SCHED_OTHER, &param);
	zones_run(test, "zone_normal=64M:pcp=off", realtime_thread);
}

/* min_free_kbytes raises all marks of a zone, and never lowers them. */
static void user_min(struct kunit *test)
{
	struct zone *z = zone_at(0, ZONE_NORMAL);

	KUNIT_EXPECT_EQ(test, z->watermark[WMARK_MIN], 1000);
	KUNIT_EXPECT_EQ(test, z->watermark[WMARK_LOW], 1250);
	KUNIT_EXPECT_EQ(test, z->watermark[WMARK_HIGH], 1500);
	KUNIT_EXPECT_EQ(test, z->watermark[WMARK_PROMO], 1750);
}

static void user_min_too_small(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, zone_at(0, ZONE_NORMAL)->watermark[WMARK_MIN], 256);
}

static void test_zones_min_free_kbytes(struct kunit *test)
{
	zones_run(test, "zone_normal=64M:min_free_kbytes=4000", user_min);
	zones_run(test, "zone_normal=64M:min_free_kbytes=1000", user_min_too_small);
}

/* --- Several zones ------------------------------------------------------------------ */

static void shares_of_min(struct kunit *test)
{
	static const enum zone_type low[] = { ZONE_DMA, ZONE_DMA32, ZONE_NORMAL };
	static const unsigned long mib[] = { 4, 16, 64 };
	/* 4 * root(84 MiB in KiB), in pages */
	unsigned long pages = 1173 / 4;

	for (unsigned int i = 0; i < ARRAY_SIZE(low); i++)
		KUNIT_EXPECT_EQ(test, zone_at(0, low[i])->watermark[WMARK_MIN],
				pages * mib[i] / (4 + 16 + 64));
	KUNIT_EXPECT_EQ(test, zone_at(0, ZONE_MOVABLE)->watermark[WMARK_MIN], 32);
}

/* Zones lie in the order of their kinds and next to each other. */
static void places(struct kunit *test)
{
	unsigned long pfn = 0;

	for (unsigned int i = 0; i < MAX_NR_ZONES; i++) {
		struct zone *z = zone_at(0, i);

		KUNIT_EXPECT_EQ(test, z->start_pfn, pfn);
		KUNIT_EXPECT_EQ(test, z->end_pfn, pfn + z->managed_pages);
		for (; pfn < z->end_pfn; pfn += PAGEBLOCK_PAGES)
			KUNIT_ASSERT_PTR_EQ(test, page_zone(pfn_to_page(pfn)), z);
	}
	KUNIT_EXPECT_EQ(test, pfn << PAGE_SHIFT, mm_window.online_bytes);
}

/* Takes pages until they come from another zone; returns that zone, or NULL at the end. */
static struct zone *take_from_one(struct hoard *hoard, gfp_t gfp)
{
	struct zone *z = NULL;
	struct page *page;

	while ((page = alloc_pages(gfp | __GFP_NOWARN, 0))) {
		if (z && page_zone(page) != z) {
			__free_page(page);
			return z;
		}
		z = page_zone(page);
		list_add(&page->lru, &hoard->blocks[0]);
	}
	return z;
}

struct stair {
	enum zone_type index;
	unsigned long mark;	/* what is left there afterwards */
};

static void expect_stairs(struct kunit *test, gfp_t gfp, const struct stair *stairs,
			  unsigned int nr)
{
	struct hoard hoard;

	hoard_init(&hoard);
	for (unsigned int i = 0; i < nr; i++) {
		struct zone *z = zone_at(0, stairs[i].index);

		KUNIT_EXPECT_PTR_EQ_MSG(test, take_from_one(&hoard, gfp), z, "stair %u", i);
		KUNIT_EXPECT_EQ_MSG(test, z->free_pages, stairs[i].mark, "stair %u, zone %s", i,
				    z->name);
	}
	KUNIT_EXPECT_NULL(test, alloc_pages(gfp | __GFP_NOWARN, 0));
	hoard_give_all(&hoard);
	zones_check_whole(test);
}

/* The mark of a zone for requests that could have had pages of the other. */
static unsigned long mark(enum zone_type index, enum zone_watermark mark, enum zone_type highest)
{
	const struct zone *z = zone_at(0, index);

	return z->watermark[mark] + z->lowmem_reserve[highest];
}

static void fall_down(struct kunit *test)
{
	const struct stair normal[] = {
		{ ZONE_NORMAL, mark(ZONE_NORMAL, WMARK_LOW, ZONE_NORMAL) },
		{ ZONE_DMA32, mark(ZONE_DMA32, WMARK_LOW, ZONE_NORMAL) },
		{ ZONE_DMA, mark(ZONE_DMA, WMARK_LOW, ZONE_NORMAL) },
		{ ZONE_NORMAL, mark(ZONE_NORMAL, WMARK_MIN, ZONE_NORMAL) },
		{ ZONE_DMA32, mark(ZONE_DMA32, WMARK_MIN, ZONE_NORMAL) },
		{ ZONE_DMA, mark(ZONE_DMA, WMARK_MIN, ZONE_NORMAL) },
	};
	const struct stair movable[] = {
		{ ZONE_MOVABLE, mark(ZONE_MOVABLE, WMARK_LOW, ZONE_MOVABLE) },
		{ ZONE_NORMAL, mark(ZONE_NORMAL, WMARK_LOW, ZONE_MOVABLE) },
		{ ZONE_DMA32, mark(ZONE_DMA32, WMARK_LOW, ZONE_MOVABLE) },
		{ ZONE_DMA, mark(ZONE_DMA, WMARK_LOW, ZONE_MOVABLE) },
		{ ZONE_MOVABLE, mark(ZONE_MOVABLE, WMARK_MIN, ZONE_MOVABLE) },
		{ ZONE_NORMAL, mark(ZONE_NORMAL, WMARK_MIN, ZONE_MOVABLE) },
		{ ZONE_DMA32, mark(ZONE_DMA32, WMARK_MIN, ZONE_MOVABLE) },
		{ ZONE_DMA, mark(ZONE_DMA, WMARK_MIN, ZONE_MOVABLE) },
	};
	const struct stair dma32[] = {
		{ ZONE_DMA32, mark(ZONE_DMA32, WMARK_LOW, ZONE_DMA32) },
		{ ZONE_DMA, mark(ZONE_DMA, WMARK_LOW, ZONE_DMA32) },
		{ ZONE_DMA32, mark(ZONE_DMA32, WMARK_MIN, ZONE_DMA32) },
		{ ZONE_DMA, mark(ZONE_DMA, WMARK_MIN, ZONE_DMA32) },
	};
	const struct stair dma[] = { { ZONE_DMA, mark(ZONE_DMA, WMARK_MIN, ZONE_DMA) } };

	KUNIT_EXPECT_EQ(test, zone_at(0, ZONE_DMA)->lowmem_reserve[ZONE_NORMAL],
			MIB_PAGES(80) / 256);
	expect_stairs(test, GFP_NOWAIT, normal, ARRAY_SIZE(normal));
	expect_stairs(test, GFP_NOWAIT | __GFP_HIGHMEM, normal, ARRAY_SIZE(normal));
	expect_stairs(test, GFP_NOWAIT | __GFP_HIGHMEM | __GFP_MOVABLE, movable,
		      ARRAY_SIZE(movable));
	expect_stairs(test, GFP_NOWAIT | __GFP_DMA32, dma32, ARRAY_SIZE(dma32));
	expect_stairs(test, GFP_NOWAIT | __GFP_DMA, dma, ARRAY_SIZE(dma));
	expect_stairs(test, GFP_DMA, dma, ARRAY_SIZE(dma));
}

/* MOVABLE alone does not make a request leave Normal. */
static void movable_bit_alone(struct kunit *test)
{
	struct page *page = alloc_pages(GFP_KERNEL | __GFP_MOVABLE, 0);

	KUNIT_ASSERT_NOT_NULL(test, page);
	KUNIT_EXPECT_PTR_EQ(test, page_zone(page), zone_at(0, ZONE_NORMAL));
	KUNIT_EXPECT_EQ(test, get_pageblock_migratetype(page), MIGRATE_MOVABLE);
	__free_page(page);
	KUNIT_EXPECT_EQ(test, free_of(ZONE_NORMAL), MIB_PAGES(64));
}

/*
 * Only single requests go to the zone below before they mix types: a bulk stays in the
 * first zone that is above its mark.
 */
static void bulk_mixes_types(struct kunit *test)
{
	struct page *pages[32] = { NULL }, *page, *next;
	struct hoard hoard;

	hoard_init(&hoard);
	hoard_take(&hoard, GFP_NOWAIT | __GFP_MOVABLE, 0, -1, NULL,
		   MIB_PAGES(16) - zone_at(0, ZONE_NORMAL)->watermark[WMARK_LOW]);
	for (page = list_first_entry(&hoard.blocks[0], struct page, lru);
	     &page->lru != &hoard.blocks[0]; page = next) {
		next = list_entry(page->lru.next, struct page, lru);
		if (page_to_pfn(page) & 1)
			continue;
		list_del(&page->lru);
		__free_page(page);
	}
	page = alloc_page(GFP_NOWAIT);
	KUNIT_ASSERT_NOT_NULL(test, page);
	KUNIT_EXPECT_PTR_EQ(test, page_zone(page), zone_at(0, ZONE_DMA32));
	__free_page(page);
	KUNIT_EXPECT_EQ(test, alloc_pages_bulk_array(GFP_NOWAIT, 32, pages), 32);
	for (unsigned int i = 0; i < 32 && pages[i]; i++) {
		KUNIT_EXPECT_PTR_EQ(test, page_zone(pages[i]), zone_at(0, ZONE_NORMAL));
		__free_page(pages[i]);
	}
	hoard_give_all(&hoard);
	zones_check_lists(test);
}

static void test_zones_fallback(struct kunit *test)
{
	zones_run(test, FOUR_ZONES, shares_of_min);
	zones_run(test, FOUR_ZONES, places);
	zones_run(test, FOUR_ZONES, fall_down);
	zones_run(test, FOUR_ZONES, movable_bit_alone);
	zones_run(test, "zone_dma32=8M:zone_normal=16M:pcp=off", bulk_mixes_types);
}

/* A kind of zone that no node has means Normal. */
static void no_dma_zones(struct kunit *test)
{
	static const gfp_t gfps[] = { GFP_DMA, GFP_DMA32, GFP_KERNEL | __GFP_DMA };

	for (unsigned int i = 0; i < ARRAY_SIZE(gfps); i++) {
		struct page *page = alloc_pages(gfps[i], 2);

		KUNIT_ASSERT_NOT_NULL(test, page);
		KUNIT_EXPECT_PTR_EQ(test, page_zone(page), zone_at(0, ZONE_NORMAL));
		__free_pages(page, 2);
	}
}

/* The missing zone's structure is all zeros: otherwise each process would need a page for it. */
static void others_stay_zero(struct kunit *test)
{
	for (unsigned int i = 0; i < MAX_NR_ZONES; i++) {
		const unsigned char *bytes = (const void *)zone_at(0, i);
		size_t n = sizeof(struct zone);

		while (n && !bytes[n - 1])
			n--;
		KUNIT_EXPECT_EQ(test, n > 0, i == ZONE_NORMAL);
	}
}

static void movable_zone_only(struct kunit *test)
{
	struct page *page;

	KUNIT_EXPECT_NULL(test, alloc_pages(GFP_NOWAIT, 0));
	KUNIT_EXPECT_NULL_MSG(test, alloc_pages(GFP_KERNEL | __GFP_NOFAIL | __GFP_NOWARN, 0),
			      "no zone: waiting would not help");
	page = alloc_pages(GFP_HIGHUSER_MOVABLE, 0);
	KUNIT_ASSERT_NOT_NULL(test, page);
	__free_page(page);
}

static void test_zones_missing(struct kunit *test)
{
	zones_run(test, "zone_normal=16M", no_dma_zones);
	zones_run(test, "nodes=1:limit=16M", no_dma_zones);
	zones_run(test, "zone_normal=16M", others_stay_zero);
	zones_run(test, "nodes=1:limit=16M", others_stay_zero);
	zones_run(test, "zone_movable=16M", movable_zone_only);
}

/* Bits that exclude each other: one warning, and pages of some zone or none. */
static void bad_bits(struct kunit *test)
{
	for (gfp_t bits = 0; bits <= GFP_PLACE_MASK; bits++) {
		struct page *page = alloc_pages(GFP_KERNEL | bits, 0);

		KUNIT_ASSERT_NOT_NULL(test, page);
		__free_page(page);
	}
	drain_all_pages(NULL);
	zones_check_whole(test);
}

static void test_zones_bad_bits(struct kunit *test)
{
	zones_run(test, "zone_dma=4M:zone_dma32=16M:zone_normal=64M:zone_movable=32M", bad_bits);
}

/* --- Nodes ----------------------------------------------------------------------------- */

static void expect_nodes(struct kunit *test, unsigned int from, const unsigned int *nodes,
			 unsigned int nr)
{
	const struct zoneref *ref = NODE_DATA(from)->node_zonelists[ZONELIST_FALLBACK].refs;

	for (unsigned int i = 0; i < nr; i++, ref++) {
		KUNIT_ASSERT_NOT_NULL(test, ref->zone);
		KUNIT_EXPECT_EQ_MSG(test, ref->zone->node, nodes[i], "from %u, place %u", from, i);
	}
	KUNIT_EXPECT_NULL(test, ref->zone);
	ref = NODE_DATA(from)->node_zonelists[ZONELIST_NOFALLBACK].refs;
	KUNIT_EXPECT_PTR_EQ(test, ref[0].zone, zone_at(from, ZONE_NORMAL));
	KUNIT_EXPECT_NULL(test, ref[1].zone);
}

/* By distance; the next one up before the next one down. */
static void node_order(struct kunit *test)
{
	static const unsigned int order[4][4] = {
		{ 0, 1, 2, 3 }, { 1, 2, 0, 3 }, { 2, 3, 1, 0 }, { 3, 2, 1, 0 },
	};

	KUNIT_EXPECT_EQ(test, node_distance(2, 2), 10);
	KUNIT_EXPECT_EQ(test, node_distance(1, 3), 30);
	for (unsigned int node = 0; node < 4; node++)
		expect_nodes(test, node, order[node], 4);
}

static void nodes_and_masks(struct kunit *test)
{
	static const unsigned int order[3] = { 1, 2, 0 };
	unsigned long mask = 1UL << 0 | 1UL << 2, none = 1UL << 3;
	struct hoard hoard;

	hoard_init(&hoard);
	for (unsigned int round = 0; round < 3; round++) {
		struct zone *z = zone_at(order[round], ZONE_NORMAL);
		unsigned long part = z->managed_pages - z->watermark[WMARK_LOW];

		KUNIT_EXPECT_EQ(test, hoard_take(&hoard, GFP_NOWAIT, 0, 1, NULL, part), part);
		KUNIT_EXPECT_EQ(test, z->free_pages, z->watermark[WMARK_LOW]);
	}
	hoard_give_all(&hoard);
	zones_check_whole(test);

	hoard_take(&hoard, GFP_NOWAIT | __GFP_THISNODE, 0, 1, NULL, ~0UL);
	KUNIT_EXPECT_EQ(test, zone_at(1, ZONE_NORMAL)->free_pages,
			zone_at(1, ZONE_NORMAL)->watermark[WMARK_MIN]);
	KUNIT_EXPECT_EQ(test, zone_at(0, ZONE_NORMAL)->free_pages, MIB_PAGES(16));
	KUNIT_EXPECT_EQ(test, zone_at(2, ZONE_NORMAL)->free_pages, MIB_PAGES(16));
	hoard_give_all(&hoard);

	/* From node 1, which is not in the mask: to 2, the nearer one, then 0. */
	KUNIT_EXPECT_EQ(test, hoard_take(&hoard, GFP_NOWAIT, 0, 1, &mask, 1000), 1000);
	KUNIT_EXPECT_EQ(test, zone_at(2, ZONE_NORMAL)->free_pages, MIB_PAGES(16) - 1000);
	hoard_take(&hoard, GFP_NOWAIT, 0, 1, &mask, ~0UL);
	KUNIT_EXPECT_EQ(test, zone_at(1, ZONE_NORMAL)->free_pages, MIB_PAGES(16));
	KUNIT_EXPECT_EQ(test, zone_at(0, ZONE_NORMAL)->free_pages,
			zone_at(0, ZONE_NORMAL)->watermark[WMARK_MIN]);
	KUNIT_EXPECT_NULL(test, __alloc_pages(GFP_NOWAIT, 0, 1, &none));
	KUNIT_EXPECT_NULL(test, alloc_pages_node(3, GFP_KERNEL | __GFP_NOWARN, 0));
	KUNIT_EXPECT_NULL(test, alloc_pages_node(-2, GFP_KERNEL | __GFP_NOWARN, 0));
	hoard_give_all(&hoard);
	zones_check_whole(test);
}

/* All zones of a node before any of another. */
static void nodes_with_zones(struct kunit *test)
{
	static const struct {
		unsigned int node;
		enum zone_type index;
	} order[] = {
		{ 1, ZONE_NORMAL }, { 1, ZONE_DMA32 }, { 0, ZONE_NORMAL }, { 0, ZONE_DMA32 },
	};
	struct hoard hoard;

	hoard_init(&hoard);
	for (unsigned int i = 0; i < ARRAY_SIZE(order); i++) {
		struct zone *z = zone_at(order[i].node, order[i].index);
		unsigned long part = z->managed_pages - z->watermark[WMARK_LOW] -
				     z->lowmem_reserve[ZONE_NORMAL];

		KUNIT_EXPECT_EQ(test, hoard_take(&hoard, GFP_NOWAIT, 0, 1, NULL, part), part);
		KUNIT_EXPECT_EQ(test, z->free_pages, z->managed_pages - part);
	}
	hoard_give_all(&hoard);
	zones_check_whole(test);
}

/* Nodes that share the window and grow on demand. */
static void growing_nodes(struct kunit *test)
{
	struct hoard hoard;

	KUNIT_EXPECT_EQ(test, mm_window.online_bytes, 0);
	KUNIT_EXPECT_EQ(test, zone_at(0, ZONE_NORMAL)->managed_pages, MIB_PAGES(32));
	KUNIT_EXPECT_EQ(test, zone_at(1, ZONE_NORMAL)->managed_pages, MIB_PAGES(32));
	hoard_init(&hoard);
	for (unsigned int i = 0; i < 5000; i++) {
		int nid = i % 2;

		KUNIT_ASSERT_EQ(test, hoard_take(&hoard, GFP_KERNEL, 0, nid, NULL, 1), 1);
		KUNIT_ASSERT_EQ(test, page_zone(list_first_entry(&hoard.blocks[0], struct page,
								 lru))->node, (unsigned int)nid);
	}
	KUNIT_EXPECT_GT(test, pcp_zone_pages(zone_at(1, ZONE_NORMAL)), 0);
	zones_check_lists(test);
	hoard_give_all(&hoard);
	zones_check_whole(test);
}

static void test_zones_nodes(struct kunit *test)
{
	zones_run(test, "nodes=4:zone_normal=4M", node_order);
	zones_run(test, "nodes=3:zone_normal=16M:pcp=off", nodes_and_masks);
	zones_run(test, "nodes=2:zone_dma32=8M:zone_normal=16M:pcp=off", nodes_with_zones);
	zones_run(test, "nodes=2:limit=64M", growing_nodes);
}

static struct kunit_case zones_cases[] = {
	KUNIT_CASE(test_zones_staircase),
	KUNIT_CASE(test_zones_staircase_with_lists),
	KUNIT_CASE(test_zones_realtime),
	KUNIT_CASE(test_zones_min_free_kbytes),
	KUNIT_CASE(test_zones_fallback),
	KUNIT_CASE(test_zones_missing),
	KUNIT_CASE(test_zones_bad_bits),
	KUNIT_CASE(test_zones_nodes),
	{ 0 },
};

static struct kunit_suite zones_suite = {
	.name = "zones",
	.test_cases = zones_cases,
};

kunit_test_suite(zones_suite);
