/* SPDX-License-Identifier: MIT */
/* Nodes and zones as text: Linux's columns, with the right numbers. */
#include <unistd.h>

#include "page/migratetype.h"
#include "page/pageblock.h"
#include "page/pcp/pcp.h"
#include "page/reclaim/reclaim.h"
#include "support/kernel.h"
#include "support/report.h"
#include "support/threads.h"
#include "support/zones.h"

static char *printed(struct kunit *test, void (*print)(int fd))
{
	static char text[1 << 16];

	test_read_report(test, text, sizeof(text), print);
	return text;
}

/* The number behind name, in the text from `at` on. */
static unsigned long number(struct kunit *test, const char *at, const char *name)
{
	const char *found = strstr(at, name);

	KUNIT_ASSERT_NOT_NULL_MSG(test, found, "%s", name);
	return strtoul(found + strlen(name), NULL, 10);
}

static void zoneinfo(struct kunit *test)
{
	struct page *page = alloc_pages(GFP_KERNEL, 0);
	const char *text = printed(test, usermm_print_zoneinfo), *at = text;
	char line[80];

	for (unsigned int i = 0; i < MAX_NR_ZONES; i++) {
		const struct zone *z = zone_at(0, i);

		snprintf(line, sizeof(line), "Node 0, zone %8s\n", z->name);
		at = strstr(text, line);
		if (i == ZONE_DMA) {
			KUNIT_EXPECT_NULL_MSG(test, at, "no node has one");
			continue;
		}
		KUNIT_ASSERT_NOT_NULL_MSG(test, at, "%s in %s", line, text);
		KUNIT_EXPECT_EQ(test, number(test, at, "  pages free "), z->free_pages);
		KUNIT_EXPECT_EQ(test, number(test, at, "boost "), 0);
		KUNIT_EXPECT_EQ(test, number(test, at, "min "), z->watermark[WMARK_MIN]);
		KUNIT_EXPECT_EQ(test, number(test, at, "low "), z->watermark[WMARK_LOW]);
		KUNIT_EXPECT_EQ(test, number(test, at, "high "), z->watermark[WMARK_HIGH]);
		KUNIT_EXPECT_EQ(test, number(test, at, "promo "), z->watermark[WMARK_PROMO]);
		KUNIT_EXPECT_EQ(test, number(test, at, "spanned "), z->managed_pages);
		KUNIT_EXPECT_EQ(test, number(test, at, "present "), z->managed_pages);
		KUNIT_EXPECT_EQ(test, number(test, at, "managed "), z->managed_pages);
		snprintf(line, sizeof(line), "protection: (%lu, %lu, %lu, %lu)\n",
			 z->lowmem_reserve[0], z->lowmem_reserve[1], z->lowmem_reserve[2],
			 z->lowmem_reserve[3]);
		KUNIT_EXPECT_NOT_NULL_MSG(test, strstr(at, line), "%s in %s", line, at);
		KUNIT_EXPECT_EQ(test, number(test, at, "start_pfn: "), z->start_pfn);
		KUNIT_EXPECT_EQ(test, number(test, at, "batch: "), (unsigned long)z->pcp_batch);
	}
	__free_page(page);
}

/* Pages of CMA pageblocks, also those that are not free; nr_free_cma is the free ones. */
static void zoneinfo_cma(struct kunit *test)
{
	const struct zone *z = zone_at(0, ZONE_NORMAL);

	KUNIT_EXPECT_EQ(test, number(test, printed(test, usermm_print_zoneinfo), "cma  "), 0);
	for (unsigned int i = 0; i < 3; i++)
		pageblock_convert(pfn_to_page(z->start_pfn + i * PAGEBLOCK_PAGES), MIGRATE_CMA);
	/* Only CMA pageblocks are left for it. */
	while (z->nr_free_cma == 3 * PAGEBLOCK_PAGES)
		KUNIT_ASSERT_NOT_NULL(test, alloc_pages(GFP_NOWAIT | __GFP_MOVABLE, 3));
	KUNIT_EXPECT_EQ(test, number(test, printed(test, usermm_print_zoneinfo), "cma  "),
			3 * PAGEBLOCK_PAGES);
	KUNIT_EXPECT_EQ(test, number(test, printed(test, usermm_print_zoneinfo), "nr_free_cma  "),
			3 * PAGEBLOCK_PAGES - 8);
}

static unsigned long always_one(struct shrinker *shrinker, struct shrink_control *sc)
{
	(void)shrinker;
	(void)sc;
	return 1;
}

static unsigned long never_any(struct shrinker *shrinker, struct shrink_control *sc)
{
	(void)shrinker;
	(void)sc;
	return SHRINK_STOP;
}

static unsigned long unreclaimable(struct kunit *test, unsigned int node)
{
	const char *at = strstr(printed(test, usermm_print_zoneinfo),
				node ? "Node 1, zone   Normal\n" : "Node 0, zone   Normal\n");

	KUNIT_ASSERT_NOT_NULL(test, at);
	return number(test, at, "node_unreclaimable:  ");
}

/*
 * A node that background reclaim has given up is shown as unreclaimable, until reclaim succeeds
 * there.
 */
static void zoneinfo_unreclaimable(struct kunit *test)
{
	struct shrinker *shrinker = shrinker_alloc(0, "in vain");
	struct hoard hoard;

	KUNIT_ASSERT_NOT_NULL(test, shrinker);
	shrinker->count_objects = always_one;
	shrinker->scan_objects = never_any;
	shrinker_register(shrinker);
	hoard_init(&hoard);
	hoard_take(&hoard, __GFP_NOWARN | __GFP_THISNODE, 0, 1, NULL, ~0UL);
	for (unsigned int i = 0; i < RECLAIM_RETRIES_MAX; i++) {
		KUNIT_EXPECT_EQ_MSG(test, unreclaimable(test, 1), 0, "after %u in vain", i);
		/* Wakes it for this node alone; the work is done here. */
		KUNIT_EXPECT_NULL(test, alloc_pages_node(1, GFP_NOWAIT | __GFP_THISNODE, 0));
		reclaim_background_work();
	}
	KUNIT_EXPECT_EQ(test, unreclaimable(test, 1), 1);
	KUNIT_EXPECT_EQ(test, unreclaimable(test, 0), 0);
	kswapd_revive(1);
	KUNIT_EXPECT_EQ(test, unreclaimable(test, 1), 0);
	shrinker_free(shrinker);
	hoard_give_all(&hoard);
}

static void pagetypeinfo(struct kunit *test)
{
	struct page *page = alloc_pages(GFP_KERNEL | __GFP_RECLAIMABLE, 4);
	const char *text = printed(test, usermm_print_pagetypeinfo), *at;
	const struct zone *z = zone_at(0, ZONE_NORMAL);
	const char *numbers;
	char *rest;

	KUNIT_EXPECT_EQ(test, number(test, text, "Page block order: "), 9);
	KUNIT_EXPECT_EQ(test, number(test, text, "Pages per block:  "), 512);
	at = strstr(text, "Node    0, zone   Normal, type  Reclaimable ");
	KUNIT_ASSERT_NOT_NULL_MSG(test, at, "%s", text);
	numbers = strstr(at, "Reclaimable") + strlen("Reclaimable");
	for (unsigned int order = 0; order < NR_PAGE_ORDERS; order++) {
		KUNIT_EXPECT_EQ(test, strtoul(numbers, &rest, 10),
				z->free_area[order].nr_of_type[MIGRATE_RECLAIMABLE]);
		numbers = rest;
	}
	KUNIT_EXPECT_EQ(test, *numbers, ' ');
	at = strstr(text, "\nNumber of blocks type ");
	KUNIT_ASSERT_NOT_NULL(test, at);
	at = strstr(at, "Node 0, zone   Normal ");
	KUNIT_ASSERT_NOT_NULL(test, at);
	/* A section of two pageblocks was claimed; the other 30 are as they were. */
	KUNIT_EXPECT_NOT_NULL_MSG(test, strstr(at, "           0           30            2 "
						   "           0            0            0 \n"),
				  "%s", at);
	__free_pages(page, 4);
}

static void buddyinfo(struct kunit *test)
{
	const char *text = printed(test, usermm_print_buddyinfo);

	KUNIT_EXPECT_STREQ(test, text,
			   "Node 0, zone    DMA32      0      0      0      0      0      0      0 "
			   "     0      0      0      2 \n"
			   "Node 0, zone   Normal      0      0      0      0      0      0      0 "
			   "     0      0      0      4 \n"
			   "Node 1, zone    DMA32      0      0      0      0      0      0      0 "
			   "     0      0      0      2 \n"
			   "Node 1, zone   Normal      0      0      0      0      0      0      0 "
			   "     0      0      0      4 \n");
}

static unsigned long vmstat(struct kunit *test, const char *name)
{
	char line[80];

	snprintf(line, sizeof(line), "\n%s ", name);
	return number(test, printed(test, usermm_print_vmstat), line);
}

/* Pages that leave the zone's lists and come back are counted, each once. */
static void vmstat_pages(struct kunit *test)
{
	unsigned long taken = vmstat(test, "pgalloc_normal"), given = vmstat(test, "pgfree");
	struct page *blocks[20];

	for (unsigned int i = 0; i < 20; i++)
		blocks[i] = alloc_pages(GFP_KERNEL, 4);
	KUNIT_EXPECT_EQ(test, vmstat(test, "pgalloc_normal"), taken + 20 * 16);
	KUNIT_EXPECT_EQ(test, vmstat(test, "numa_hit"), vmstat(test, "numa_local"));
	KUNIT_EXPECT_EQ(test, vmstat(test, "pgalloc_dma"), 0);
	for (unsigned int i = 0; i < 20; i++)
		__free_pages(blocks[i], 4);
	usermm_trim(0);
	KUNIT_EXPECT_GE(test, vmstat(test, "pgfree"), given + 20 * 16);
	drain_all_pages(NULL);
	KUNIT_EXPECT_EQ_MSG(test, vmstat(test, "pgalloc_normal") - vmstat(test, "pgfree"), 0,
			    "all are back");
}

/* With several nodes every request that goes to the zones is seen: preferred, and got. */
static void vmstat_nodes(struct kunit *test)
{
	unsigned int here = numa_node_id(), there = !here;
	unsigned long hit = vmstat(test, "numa_hit"), miss = vmstat(test, "numa_miss");
	unsigned long local = vmstat(test, "numa_local"), other = vmstat(test, "numa_other");
	unsigned long foreign = vmstat(test, "numa_foreign"), only_here = 1UL << here;
	struct page *pages[60], *array[10] = { NULL };

	for (unsigned int i = 0; i < 10; i++)
		pages[i] = alloc_pages(GFP_KERNEL, 0);
	for (unsigned int i = 10; i < 30; i++)
		pages[i] = alloc_pages_node((int)there, GFP_KERNEL, 0);
	KUNIT_EXPECT_EQ(test, vmstat(test, "numa_hit"), hit + 30);
	KUNIT_EXPECT_EQ(test, vmstat(test, "numa_local"), local + 10);
	KUNIT_EXPECT_EQ(test, vmstat(test, "numa_other"), other + 20);
	KUNIT_EXPECT_EQ(test, vmstat(test, "numa_miss"), miss);
	/* A node mask moves the preference, as in Linux. */
	for (unsigned int i = 30; i < 60; i++)
		pages[i] = __alloc_pages(GFP_KERNEL, 0, (int)there, &only_here);
	KUNIT_EXPECT_EQ(test, vmstat(test, "numa_hit"), hit + 60);
	KUNIT_EXPECT_EQ(test, vmstat(test, "numa_local"), local + 40);
	KUNIT_EXPECT_EQ(test, vmstat(test, "numa_foreign"), foreign);
	for (unsigned int i = 0; i < 60; i++)
		__free_page(pages[i]);
	KUNIT_EXPECT_EQ(test, alloc_pages_bulk_array(GFP_KERNEL, 10, array), 10);
	KUNIT_EXPECT_EQ(test, vmstat(test, "numa_local"), local + 50);
	free_pages_bulk(array, 10);
}

/* Pages that a CPU's list passes on to the next owner are not counted. */
static void vmstat_lists(struct kunit *test)
{
	unsigned long hit, taken;
	struct page *pages[10];

	test_pin(0);
	for (unsigned int i = 0; i < 10; i++)
		pages[i] = alloc_pages(GFP_KERNEL, 0);
	hit = vmstat(test, "numa_hit");
	KUNIT_EXPECT_GE(test, hit, 1);
	for (unsigned int i = 0; i < 10; i++)
		__free_page(pages[i]);
	taken = vmstat(test, "pgalloc_normal");
	for (unsigned int i = 0; i < 10; i++)
		pages[i] = alloc_pages(GFP_KERNEL, 0);
	KUNIT_EXPECT_EQ(test, vmstat(test, "pgalloc_normal"), taken);
	KUNIT_EXPECT_EQ(test, vmstat(test, "numa_hit"), hit);
	KUNIT_EXPECT_EQ(test, vmstat(test, "numa_local"), hit);
	for (unsigned int i = 0; i < 10; i++)
		__free_page(pages[i]);
}

/* Requests that the node cannot serve count as misses there, and as foreign on the other node. */
static void vmstat_misses(struct kunit *test)
{
	struct hoard hoard;

	hoard_init(&hoard);
	hoard_take_all(&hoard, GFP_KERNEL, 4);
	KUNIT_EXPECT_GT(test, vmstat(test, "numa_miss"), 0);
	KUNIT_EXPECT_EQ(test, vmstat(test, "numa_miss"), vmstat(test, "numa_foreign"));
	KUNIT_EXPECT_EQ(test, vmstat(test, "numa_hit") + vmstat(test, "numa_miss"),
			vmstat(test, "numa_local") + vmstat(test, "numa_other"));
	KUNIT_EXPECT_GT(test, vmstat(test, "allocstall_normal"), 0);
	hoard_give_all(&hoard);
}

static void test_zones_vmstat(struct kunit *test)
{
	zones_run(test, "zone_normal=64M", vmstat_pages);
	zones_run(test, "nodes=2:zone_normal=32M:pcp=off", vmstat_nodes);
	zones_run(test, "nodes=2:zone_normal=32M", vmstat_lists);
	zones_run(test, "nodes=2:zone_normal=32M", vmstat_misses);
}

static void pagetypeinfo_of_nodes(struct kunit *test)
{
	const char *text = printed(test, usermm_print_pagetypeinfo), *second;

	second = strstr(text + 1, "Page block order: 9\n");
	KUNIT_ASSERT_NOT_NULL_MSG(test, second, "one part for each node: %s", text);
	KUNIT_EXPECT_NOT_NULL(test, strstr(second, "Node    1, zone   Normal, type"));
	KUNIT_EXPECT_NULL(test, strstr(second, "Node    0, zone"));
}

static void test_zones_text(struct kunit *test)
{
	zones_run(test, "nodes=2:zone_normal=16M", pagetypeinfo_of_nodes);
	zones_run(test, "zone_dma32=16M:zone_normal=64M:zone_movable=32M", zoneinfo);
	zones_run(test, "nodes=2:zone_normal=16M:pcp=off:background=off", zoneinfo_unreclaimable);
	zones_run(test, "zone_normal=64M:pcp=off", pagetypeinfo);
	zones_run(test, "zone_normal=64M:pcp=off", zoneinfo_cma);
	zones_run(test, "nodes=2:zone_dma32=8M:zone_normal=16M", buddyinfo);
}

static struct kunit_case zones_text_cases[] = {
	KUNIT_CASE(test_zones_text),
	KUNIT_CASE(test_zones_vmstat),
	{ 0 },
};

static struct kunit_suite zones_text_suite = {
	.name = "zones_text",
	.test_cases = zones_text_cases,
};

kunit_test_suite(zones_text_suite);
