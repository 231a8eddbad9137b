// SPDX-License-Identifier: MIT
/* Nodes, zones and what is counted in them: linux/mmzone.h, linux/vmstat.h. */
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/mmzone.h>
#include <linux/swap.h>
#include <linux/vmstat.h>

#include "../conformance.h"

/* The loops over zones call these, which modules cannot link to. */
#define first_online_pgdat() (LINUX_SYMBOL(first_online_pgdat)())
#define next_online_pgdat(pgdat) (LINUX_SYMBOL(next_online_pgdat)(pgdat))
#define next_zone(zone) (LINUX_SYMBOL(next_zone)(zone))

extern int min_free_kbytes;

/* Pages that the rest of the kernel may take or give back meanwhile. */
#define SLACK 32

/* for_each_zone(): all zones of the node, each once, in the order of enum zone_type. */
static void all_zones_in_order(struct kunit *test)
{
	struct zone *zone;
	int nr = 0;

	for_each_zone(zone) {
		KUNIT_EXPECT_EQ(test, zone_idx(zone), nr);
		KUNIT_EXPECT_PTR_EQ(test, zone, &NODE_DATA(0)->node_zones[nr]);
		KUNIT_EXPECT_PTR_EQ(test, zone->zone_pgdat, NODE_DATA(0));
		KUNIT_EXPECT_EQ(test, zone_to_nid(zone), 0);
		KUNIT_EXPECT_NOT_NULL(test, zone->name);
		KUNIT_EXPECT_FALSE(test, is_highmem(zone));
		nr++;
	}
	KUNIT_EXPECT_EQ(test, nr, MAX_NR_ZONES);
	KUNIT_EXPECT_STREQ(test, NODE_DATA(0)->node_zones[ZONE_NORMAL].name, "Normal");
	KUNIT_EXPECT_STREQ(test, NODE_DATA(0)->node_zones[ZONE_MOVABLE].name, "Movable");
}

/* for_each_populated_zone(): those with pages, and no others. */
static void populated_zones(struct kunit *test)
{
	unsigned int seen = 0;
	struct zone *zone;

	for_each_populated_zone(zone) {
		KUNIT_EXPECT_TRUE(test, populated_zone(zone));
		KUNIT_EXPECT_GT(test, zone->present_pages, 0);
		seen |= 1u << zone_idx(zone);
	}
	for_each_zone(zone)
		KUNIT_EXPECT_EQ(test, !!(seen >> zone_idx(zone) & 1), populated_zone(zone));
	KUNIT_EXPECT_NE(test, seen, 0);
	KUNIT_EXPECT_TRUE(test, populated_zone(&NODE_DATA(0)->node_zones[ZONE_NORMAL]));
}

/* for_each_online_pgdat(): one node, whose id is 0. */
static void one_node(struct kunit *test)
{
	struct pglist_data *node;
	int nr = 0, nid;

	for_each_online_pgdat(node) {
		KUNIT_EXPECT_EQ(test, node->node_id, 0);
		nr++;
	}
	KUNIT_EXPECT_EQ(test, nr, 1);
	nr = 0;
	for_each_online_node(nid) {
		KUNIT_EXPECT_EQ(test, nid, 0);
		nr++;
	}
	KUNIT_EXPECT_EQ(test, nr, 1);
	KUNIT_EXPECT_TRUE(test, node_online(0));
	KUNIT_EXPECT_EQ(test, num_online_nodes(), 1);
}

/* managed <= present <= spanned; an empty zone has none of them. */
static void sizes_of_zones(struct kunit *test)
{
	unsigned long present = 0;
	struct zone *zone;

	for_each_zone(zone) {
		KUNIT_EXPECT_LE(test, zone_managed_pages(zone), zone->present_pages);
		KUNIT_EXPECT_LE(test, zone->present_pages, zone->spanned_pages);
		KUNIT_EXPECT_EQ(test, zone_end_pfn(zone),
				zone->zone_start_pfn + zone->spanned_pages);
		KUNIT_EXPECT_EQ(test, managed_zone(zone), zone_managed_pages(zone) > 0);
		if (!populated_zone(zone))
			KUNIT_EXPECT_EQ(test, zone_managed_pages(zone), 0);
		present += zone->present_pages;
	}
	KUNIT_EXPECT_EQ(test, NODE_DATA(0)->node_present_pages, present);
	KUNIT_EXPECT_GE(test, NODE_DATA(0)->node_spanned_pages, present);
}

/* totalram_pages() is what all zones manage, and si_meminfo() says the same. */
static void total_is_the_sum(struct kunit *test)
{
	struct sysinfo info = { 0 };
	unsigned long sum = 0;
	struct zone *zone;
	long free;

	for_each_zone(zone)
		sum += zone_managed_pages(zone);
	KUNIT_EXPECT_EQ(test, totalram_pages(), sum);
	free = free_pages_now();
	si_meminfo(&info);
	KUNIT_EXPECT_EQ(test, info.totalram, sum);
	KUNIT_EXPECT_LE(test, abs((long)info.freeram - free), SLACK);
	KUNIT_EXPECT_EQ(test, info.mem_unit, PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, info.totalhigh, 0);
	KUNIT_EXPECT_EQ(test, info.freehigh, 0);
}

/* The global count of free pages is the sum over the zones, and no more than is managed. */
static void free_is_the_sum(struct kunit *test)
{
	long sum = 0, global = free_pages_now();
	struct zone *zone;

	for_each_zone(zone) {
		sum += (long)zone_page_state(zone, NR_FREE_PAGES);
		KUNIT_EXPECT_LE(test, zone_page_state(zone, NR_FREE_PAGES),
				zone_managed_pages(zone));
	}
	KUNIT_EXPECT_LE(test, abs(sum - global), SLACK);
	KUNIT_EXPECT_LE(test, abs((long)nr_free_pages() - global), SLACK);
	KUNIT_EXPECT_GT(test, global, 0);
}

/* free_area[]: the free blocks of all orders are the zone's free pages. */
static void free_areas_hold_the_free_pages(struct kunit *test)
{
	struct zone *zone;

	free_pages_now();
	for_each_populated_zone(zone) {
		long sum = 0, free = (long)zone_page_state(zone, NR_FREE_PAGES);

		for (unsigned int order = 0; order < NR_PAGE_ORDERS; order++)
			sum += (long)(zone->free_area[order].nr_free << order);
		if (ON_USERMM) {
			DIFFERS(test, "Memory that was never used counts as free");
			KUNIT_EXPECT_LE(test, sum, free + SLACK);
		} else {
			KUNIT_EXPECT_LE(test, abs(sum - free), SLACK);
		}
	}
}

/* A block that is taken leaves free_area[] of its zone, and comes back when it is freed. */
static void free_areas_follow(struct kunit *test)
{
	struct page *blocks[8];
	struct zone *zone;
	long before = 0, after = 0;

	for (unsigned int i = 0; i < ARRAY_SIZE(blocks); i++) {
		blocks[i] = alloc_pages(GFP_KERNEL, MAX_PAGE_ORDER);
		KUNIT_ASSERT_NOT_NULL(test, blocks[i]);
	}
	for_each_populated_zone(zone)
		before += (long)zone->free_area[MAX_PAGE_ORDER].nr_free;
	for (unsigned int i = 0; i < ARRAY_SIZE(blocks); i++)
		__free_pages(blocks[i], MAX_PAGE_ORDER);
	for_each_populated_zone(zone)
		after += (long)zone->free_area[MAX_PAGE_ORDER].nr_free;
	KUNIT_EXPECT_EQ(test, after - before, (long)ARRAY_SIZE(blocks));
}

/* Pages belong to a zone that spans them, and which the request allowed. */
static void pages_know_their_zone(struct kunit *test)
{
	static const gfp_t gfps[] = { GFP_KERNEL, GFP_ATOMIC, GFP_HIGHUSER_MOVABLE, GFP_DMA32,
				      GFP_KERNEL | __GFP_MOVABLE };

	for (unsigned int i = 0; i < ARRAY_SIZE(gfps); i++) {
		for (unsigned int order = 0; order <= MAX_PAGE_ORDER; order++) {
			struct page *page = alloc_pages(gfps[i], order);
			struct zone *zone;

			KUNIT_ASSERT_NOT_NULL(test, page);
			zone = page_zone(page);
			KUNIT_EXPECT_TRUE(test, populated_zone(zone));
			KUNIT_EXPECT_EQ(test, zone_idx(zone), page_zonenum(page));
			KUNIT_EXPECT_LE(test, (int)zone_idx(zone), (int)gfp_zone(gfps[i]));
			KUNIT_EXPECT_TRUE(test, zone_spans_pfn(zone, page_to_pfn(page)));
			KUNIT_EXPECT_TRUE(test, zone_spans_pfn(zone, page_to_pfn(page) +
							       (1UL << order) - 1));
			KUNIT_EXPECT_PTR_EQ(test, page_zone(page + (1UL << order) - 1), zone);
			KUNIT_EXPECT_EQ(test, page_to_nid(page), zone_to_nid(zone));
			__free_pages(page, order);
		}
	}
}

/* A zone ends where it says. */
static void spans(struct kunit *test)
{
	struct zone *zone;

	for_each_populated_zone(zone) {
		KUNIT_EXPECT_TRUE(test, zone_spans_pfn(zone, zone->zone_start_pfn));
		KUNIT_EXPECT_TRUE(test, zone_spans_pfn(zone, zone_end_pfn(zone) - 1));
		KUNIT_EXPECT_FALSE(test, zone_spans_pfn(zone, zone_end_pfn(zone)));
		if (zone->zone_start_pfn)
			KUNIT_EXPECT_FALSE(test, zone_spans_pfn(zone, zone->zone_start_pfn - 1));
	}
}

/* min < low < high < promo, at equal distances: a thousandth of the zone, or min / 4. */
static void marks_are_spaced(struct kunit *test)
{
	struct zone *zone;

	for_each_populated_zone(zone) {
		unsigned long min = zone->_watermark[WMARK_MIN], low = zone->_watermark[WMARK_LOW];
		unsigned long managed = zone_managed_pages(zone);
		unsigned long step = max(min / 4, managed / 1000);

		KUNIT_EXPECT_GT(test, min, 0);
		KUNIT_EXPECT_LT(test, zone->_watermark[WMARK_HIGH], managed);
		/* The zone has grown a little since the marks were set. */
		KUNIT_EXPECT_LE(test, abs((long)(low - min) - (long)step), 2 + (long)step / 50);
		KUNIT_EXPECT_EQ(test, zone->_watermark[WMARK_HIGH] - low, low - min);
		KUNIT_EXPECT_EQ(test, min_wmark_pages(zone), min + zone->watermark_boost);
		KUNIT_EXPECT_EQ(test, low_wmark_pages(zone), low + zone->watermark_boost);
		KUNIT_EXPECT_EQ(test, high_wmark_pages(zone),
				zone->_watermark[WMARK_HIGH] + zone->watermark_boost);
		KUNIT_EXPECT_EQ(test, wmark_pages(zone, WMARK_LOW), low_wmark_pages(zone));
	}
}

/* The mark above high, for pages that move between tiers of memory, is one step farther. */
static void promo_mark_is_spaced(struct kunit *test)
{
	struct zone *zone;

	for_each_populated_zone(zone)
		KUNIT_EXPECT_EQ(test,
				zone->_watermark[WMARK_PROMO] - zone->_watermark[WMARK_HIGH],
				zone->_watermark[WMARK_LOW] - zone->_watermark[WMARK_MIN]);
}

/* min_free_kbytes: the square root of 16 times the memory in KiB, from 128 to 262144. */
static void min_free_follows_memory(struct kunit *test)
{
	long kbytes = *LINUX_SYMBOL(min_free_kbytes);
	long wanted = (long)int_sqrt(totalram_pages() * (PAGE_SIZE / 1024) * 16);
	long pages = 0;
	struct zone *zone;

	wanted = clamp(wanted, 128L, 262144L);
	/* Linux computed it when a few pages still belonged to the boot allocator. */
	KUNIT_EXPECT_LE(test, abs(kbytes - wanted), 1 + wanted / 50);
	for_each_populated_zone(zone)
		if (zone_idx(zone) <= ZONE_NORMAL)
			pages += (long)zone->_watermark[WMARK_MIN];
	KUNIT_EXPECT_LE(test, abs(pages - kbytes / (long)(PAGE_SIZE / 1024)), MAX_NR_ZONES);
}

/* lowmem_reserve[]: a zone keeps nothing from requests that it is the highest zone for. */
static void reserve_for_lower_zones(struct kunit *test)
{
	struct zone *zone;

	for_each_populated_zone(zone) {
		for (int i = 0; i <= (int)zone_idx(zone); i++)
			KUNIT_EXPECT_EQ(test, zone->lowmem_reserve[i], 0);
		for (int i = zone_idx(zone) + 1; i < MAX_NR_ZONES; i++)
			KUNIT_EXPECT_GE(test, zone->lowmem_reserve[i], zone->lowmem_reserve[i - 1]);
	}
}

/* nr_free_buffer_pages(): what zones that GFP_USER may use manage above their high mark. */
static void buffer_pages(struct kunit *test)
{
	unsigned long sum = 0;
	struct zone *zone;

	for_each_populated_zone(zone)
		if (zone_idx(zone) <= gfp_zone(GFP_USER) &&
		    zone_managed_pages(zone) > high_wmark_pages(zone))
			sum += zone_managed_pages(zone) - high_wmark_pages(zone);
	KUNIT_EXPECT_EQ(test, nr_free_buffer_pages(), sum);
}

/* si_mem_available(): less than is free and more than nothing, where memory abounds. */
static void available(struct kunit *test)
{
	long some = si_mem_available();

	KUNIT_EXPECT_GT(test, some, 0);
	KUNIT_EXPECT_LE(test, some, (long)totalram_pages());
}

/* Draining: per-CPU pages count as free afterwards; a second drain finds nothing more. */
static void drain_makes_free(struct kunit *test)
{
	struct page *pages[64];
	long taken, drained;

	free_pages_now();
	for (unsigned int i = 0; i < ARRAY_SIZE(pages); i++)
		pages[i] = alloc_page(GFP_KERNEL);
	taken = free_pages_now();
	for (unsigned int i = 0; i < ARRAY_SIZE(pages); i++) {
		KUNIT_EXPECT_NOT_NULL(test, pages[i]);
		if (pages[i])
			__free_page(pages[i]);
	}
	drained = free_pages_now();
	KUNIT_EXPECT_LE(test, abs(drained - taken - 64), 8);
	KUNIT_EXPECT_LE(test, abs(free_pages_now() - drained), 8);
}

/* drain_local_pages() does it for this CPU, where all of these pages were freed. */
static void local_drain_makes_free(struct kunit *test)
{
	struct page *pages[32];
	long taken;

	for (unsigned int i = 0; i < ARRAY_SIZE(pages); i++)
		pages[i] = alloc_page(GFP_KERNEL);
	taken = free_pages_now();
	preempt_disable();
	for (unsigned int i = 0; i < ARRAY_SIZE(pages); i++)
		if (pages[i])
			__free_page(pages[i]);
	LINUX_SYMBOL(drain_local_pages)(NULL);
	fold_counters();
	preempt_enable();
	KUNIT_EXPECT_LE(test, abs((long)global_zone_page_state(NR_FREE_PAGES) - taken - 32), 8);
}

static struct kunit_case zone_cases[] = {
	KUNIT_CASE(all_zones_in_order),
	KUNIT_CASE(populated_zones),
	KUNIT_CASE(one_node),
	KUNIT_CASE(sizes_of_zones),
	KUNIT_CASE(total_is_the_sum),
	KUNIT_CASE(free_is_the_sum),
	KUNIT_CASE(free_areas_hold_the_free_pages),
	KUNIT_CASE(free_areas_follow),
	KUNIT_CASE(pages_know_their_zone),
	KUNIT_CASE(spans),
	KUNIT_CASE(marks_are_spaced),
	KUNIT_CASE(promo_mark_is_spaced),
	KUNIT_CASE(min_free_follows_memory),
	KUNIT_CASE(reserve_for_lower_zones),
	KUNIT_CASE(buffer_pages),
	KUNIT_CASE(available),
	KUNIT_CASE(drain_makes_free),
	KUNIT_CASE(local_drain_makes_free),
	{}
};

static struct kunit_suite zone_suite = {
	.name = "conformance_page_zone",
	.test_cases = zone_cases,
};
kunit_test_suite(zone_suite);
MODULE_DESCRIPTION("nodes, zones and counts");
MODULE_LICENSE("Dual MIT/GPL");
