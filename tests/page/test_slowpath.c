/* SPDX-License-Identifier: MIT */
/*
 * A request that finds no zone above its low mark: which nodes and reserves it may use, whom it
 * asks, and what is reported when it gets nothing. In small zones, with nothing on CPUs' lists.
 */
#include "page/migratetype.h"
#include "page/pageblock.h"
#include "page/zonelist.h"
#include "support/child.h"
#include "support/kernel.h"
#include "support/text.h"
#include "support/zones.h"

/* --- Nodes ------------------------------------------------------------------------- */

/* A request that ignores cpusets ignores its set of nodes as well, unless it names one. */
static void urgent_requests_go_anywhere(struct kunit *test)
{
	struct zone *far = zone_at(1, ZONE_NORMAL), *near = zone_at(0, ZONE_NORMAL);
	unsigned long mask = 1UL << 0, min = near->watermark[WMARK_MIN];
	static const struct {
		gfp_t gfp;
		bool anywhere;
	} rows[] = {
		{ GFP_NOWAIT, false },
		{ GFP_KERNEL | __GFP_NORETRY, false },
		{ GFP_KERNEL | __GFP_HIGH | __GFP_NORETRY, false },
		{ __GFP_MEMALLOC | __GFP_NOMEMALLOC, false },
		{ GFP_ATOMIC | __GFP_THISNODE, false },
		{ GFP_ATOMIC, true },
		{ __GFP_HIGH | __GFP_NOMEMALLOC, true },
		{ __GFP_MEMALLOC | __GFP_THISNODE, false },
		{ __GFP_MEMALLOC, true },
		{ GFP_KERNEL | __GFP_MEMALLOC, true },
	};
	struct hoard hoard;

	hoard_init(&hoard);
	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++) {
		unsigned long before = far->free_pages;

		/* The request is for more than the node in the mask has left. */
		hoard_take(&hoard, rows[i].gfp, 0, 0, &mask, MIB_PAGES(16) + 1);
		KUNIT_EXPECT_EQ_MSG(test, far->free_pages < before, rows[i].anywhere, "row %u", i);
		KUNIT_EXPECT_LE(test, near->free_pages, min);
		hoard_give_all(&hoard);
	}
	zones_check_whole(test);
}

/* The own node first, down to the mark that the flags allow; then the others. */
static void own_node_first(struct kunit *test)
{
	struct zone *far = zone_at(1, ZONE_NORMAL), *near = zone_at(0, ZONE_NORMAL);
	unsigned long mask = 1UL << 0, min = near->watermark[WMARK_MIN];
	struct hoard hoard;

	hoard_init(&hoard);
	hoard_take(&hoard, GFP_NOWAIT, 0, 0, &mask, ~0UL);
	KUNIT_EXPECT_EQ(test, near->free_pages, min);
	KUNIT_EXPECT_EQ(test, hoard_take(&hoard, GFP_ATOMIC, 0, 0, &mask, min - min * 3 / 8),
			min - min * 3 / 8);
	KUNIT_EXPECT_EQ(test, near->free_pages, min * 3 / 8);
	KUNIT_EXPECT_EQ(test, far->free_pages, far->managed_pages);
	KUNIT_EXPECT_EQ(test, hoard_take(&hoard, GFP_ATOMIC, 0, 0, &mask, 1), 1);
	KUNIT_EXPECT_EQ(test, far->free_pages, far->managed_pages - 1);
	hoard_give_all(&hoard);
	zones_check_whole(test);
}

static void test_slowpath_nodes(struct kunit *test)
{
	zones_run(test, "nodes=2:zone_normal=16M:min_free_kbytes=2048:pcp=off",
		  urgent_requests_go_anywhere);
	zones_run(test, "nodes=2:zone_normal=16M:min_free_kbytes=2048:pcp=off", own_node_first);
}

/* --- Reserves -------------------------------------------------------------------------- */

static struct page *pageblock_of(struct zone *z, unsigned int nr)
{
	return pfn_to_page(z->start_pfn + nr * PAGEBLOCK_PAGES);
}

/* Two pageblocks are kept for atomic requests; nobody has used them. */
static void keep_two_pageblocks(struct zone *z)
{
	pageblock_convert(pageblock_of(z, 2), MIGRATE_HIGHATOMIC);
	pageblock_convert(pageblock_of(z, 5), MIGRATE_HIGHATOMIC);
	z->nr_reserved_highatomic = 2 * PAGEBLOCK_PAGES;
}

static unsigned long nr_objects;

static unsigned long count_objects(struct shrinker *shrinker, struct shrink_control *sc)
{
	(void)shrinker;
	(void)sc;
	return nr_objects;
}

static unsigned long free_one_page(struct shrinker *shrinker, struct shrink_control *sc)
{
	struct list_head *pages = shrinker->private_data;
	struct page *page;

	if (list_empty(pages))
		return SHRINK_STOP;
	page = list_first_entry(pages, struct page, lru);
	list_del(&page->lru);
	__free_page(page);
	nr_objects--;
	sc->nr_scanned = 1;
	return 1;
}

/*
 * A request that does not try again leaves them alone if reclaim found nothing, and breaks up all
 * but one if reclaim did not find enough. A request that goes on breaks up the last one, too.
 */
static void highatomic_reserve_is_given_up_late(struct kunit *test)
{
	struct zone *z = zone_at(0, ZONE_NORMAL);
	struct shrinker *shrinker;
	struct hoard hoard;
	LIST_HEAD(pages);
	struct page *page;

	hoard_init(&hoard);
	keep_two_pageblocks(z);
	shrinker = shrinker_alloc(0, "one page");
	KUNIT_ASSERT_NOT_NULL(test, shrinker);
	shrinker->count_objects = count_objects;
	shrinker->scan_objects = free_one_page;
	shrinker->private_data = &pages;
	shrinker->batch = 1;
	page = alloc_page(GFP_KERNEL);
	list_add(&page->lru, &pages);
	hoard_take_all(&hoard, GFP_KERNEL | __GFP_NORETRY, 0);
	KUNIT_EXPECT_EQ(test, z->nr_reserved_highatomic, 2 * PAGEBLOCK_PAGES);
	KUNIT_EXPECT_EQ(test, z->free_pages, z->watermark[WMARK_MIN] + 2 * PAGEBLOCK_PAGES);
	/* One page is progress, but does not serve a request for two. */
	nr_objects = 1;
	shrinker_register(shrinker);
	page = alloc_pages(__GFP_DIRECT_RECLAIM | __GFP_NORETRY | __GFP_NOWARN, 1);
	KUNIT_EXPECT_NOT_NULL(test, page);
	KUNIT_EXPECT_EQ(test, z->nr_reserved_highatomic, PAGEBLOCK_PAGES);
	if (page)
		__free_pages(page, 1);
	shrinker_free(shrinker);
	hoard_take_all(&hoard, GFP_KERNEL | __GFP_NORETRY, 0);
	KUNIT_EXPECT_EQ(test, z->nr_reserved_highatomic, PAGEBLOCK_PAGES);
	page = alloc_page(GFP_KERNEL | __GFP_RETRY_MAYFAIL | __GFP_NOWARN);
	KUNIT_EXPECT_NOT_NULL(test, page);
	KUNIT_EXPECT_EQ(test, z->nr_reserved_highatomic, 0);
	if (page)
		__free_page(page);
	hoard_give_all(&hoard);
	zones_check_lists(test);
	KUNIT_EXPECT_EQ(test, z->free_pages, z->managed_pages);
}

/* Boosted marks stop all requests except an urgent one for a single page. */
static void urgent_page_ignores_boost(struct kunit *test)
{
	struct zone *z = zone_at(0, ZONE_NORMAL);
	unsigned long min = z->watermark[WMARK_MIN], left = min / 2 - min / 8 + 1;
	struct hoard hoard;

	hoard_init(&hoard);
	hoard_take(&hoard, __GFP_MEMALLOC, 0, -1, NULL, z->free_pages - left);
	z->watermark_boost = 1024;
	KUNIT_EXPECT_EQ(test, hoard_take(&hoard, __GFP_NOWARN, 0, -1, NULL, 1), 0);
	KUNIT_EXPECT_EQ(test, hoard_take(&hoard, __GFP_DIRECT_RECLAIM | __GFP_NORETRY, 0, -1, NULL,
					 1), 0);
	KUNIT_EXPECT_EQ(test, hoard_take(&hoard, __GFP_HIGH, 1, -1, NULL, 1), 0);
	KUNIT_EXPECT_EQ(test, z->watermark_boost, 1024);
	KUNIT_EXPECT_EQ(test, hoard_take(&hoard, __GFP_HIGH, 0, -1, NULL, 1), 1);
	KUNIT_EXPECT_EQ(test, z->free_pages, left - 1);
	KUNIT_EXPECT_EQ(test, hoard_take(&hoard, __GFP_HIGH, 0, -1, NULL, 1), 0);
	KUNIT_EXPECT_EQ(test, z->watermark_boost, 1024);
	hoard_give_all(&hoard);
	zones_check_whole(test);
}

static void test_slowpath_reserves(struct kunit *test)
{
	zones_run(test, "zone_normal=256M:pcp=off:background=off",
		  highatomic_reserve_is_given_up_late);
	zones_run(test, "zone_normal=64M:pcp=off:background=off", urgent_page_ignores_boost);
}

/* --- Low zones --------------------------------------------------------------------------- */

static unsigned int nr_notified;

static int notified(struct notifier_block *nb, unsigned long unused, void *freed)
{
	(void)nb;
	(void)unused;
	(void)freed;
	nr_notified++;
	return NOTIFY_OK;
}

static struct notifier_block notifier = { .notifier_call = notified };

static bool asks_notifiers(gfp_t gfp)
{
	struct page *page;

	nr_notified = 0;
	page = alloc_page(gfp | __GFP_NOWARN);
	if (page)
		__free_page(page);
	return nr_notified;
}

static void low_zones(struct kunit *test)
{
	bool has_dma32 = populated_zone(zone_at(0, ZONE_DMA32));
	struct hoard hoard;

	hoard_init(&hoard);
	KUNIT_ASSERT_EQ(test, register_oom_notifier(&notifier), 0);
	hoard_take_all(&hoard, GFP_NOWAIT, 0);
	hoard_take_all(&hoard, GFP_NOWAIT | __GFP_DMA32, 0);
	KUNIT_EXPECT_TRUE(test, asks_notifiers(GFP_KERNEL));
	KUNIT_EXPECT_TRUE(test, asks_notifiers(GFP_HIGHUSER_MOVABLE));
	/* A kind of zone that no node has means Normal, for this rule as well. */
	KUNIT_EXPECT_EQ(test, asks_notifiers(GFP_KERNEL | __GFP_DMA32), !has_dma32);
	KUNIT_EXPECT_TRUE(test, asks_notifiers(GFP_KERNEL | __GFP_DMA));
	unregister_oom_notifier(&notifier);
	hoard_give_all(&hoard);
}

static void test_slowpath_low_zones(struct kunit *test)
{
	zones_run(test, "zone_normal=16M:pcp=off", low_zones);
	zones_run(test, "zone_dma32=16M:zone_normal=16M:pcp=off", low_zones);
}

/* --- Reports ---------------------------------------------------------------------- */

struct failing {
	const char *options;
	gfp_t gfp;
	unsigned int order;
	const unsigned long *nodes;
};

static void fail(struct kunit *test, void *arg)
{
	const struct failing *failing = arg;
	const char *error = NULL;
	struct hoard hoard;

	KUNIT_ASSERT_EQ(test, usermm_set_options(failing->options, &error), 0);
	KUNIT_ASSERT_EQ(test, page_init(), 0);
	hoard_init(&hoard);
	hoard_take_all(&hoard, __GFP_MEMALLOC | __GFP_NOWARN, 0);
	for (unsigned int i = 0; i < 20; i++)
		KUNIT_EXPECT_NULL(test, __alloc_pages(failing->gfp, failing->order, 0,
						      failing->nodes));
	KUNIT_EXPECT_EQ(test, page_failures, 20 + 1);
}

/* The report has the caller: this program's frames, between the first line and the zones' lines. */
static void expect_stack_before_zones(struct kunit *test, const char *report)
{
#ifdef USERMM_UNWINDER
	const char *frame = strstr(strstr(report, "nodemask="), "test_slowpath");

	KUNIT_EXPECT_NOT_NULL_MSG(test, frame, "%s", report);
	KUNIT_EXPECT_TRUE_MSG(test, frame < strstr(report, " free:"), "%s", report);
#else
	(void)test;
	(void)report;
#endif
}

static void expect_report(struct kunit *test, const struct failing *failing, const char *names,
			  const char *nodes)
{
	struct child_result result;
	char text[512];

	child_run(test, fail, (void *)failing, &result);
	KUNIT_EXPECT_EQ_MSG(test, result.status, 0, "%s", result.err);
	KUNIT_EXPECT_EQ_MSG(test, count_text(result.err, "page allocation failure"), names ? 1 : 0,
			    "%s", result.err);
	if (!names)
		return;
	snprintf(text, sizeof(text), "test_slowpath: page allocation failure: order:%u, "
		 "mode:0x%x(%s), nodemask=%s\n", failing->order, failing->gfp, names, nodes);
	KUNIT_EXPECT_EQ_MSG(test, count_text(result.err, text), 1, "%s", result.err);
	KUNIT_EXPECT_GE(test, count_text(result.err, " free:"), 1);
	expect_stack_before_zones(test, result.err);
}

static void fail_by_fragmentation(struct kunit *test, void *arg)
{
	struct page *page, *next;
	const char *error = NULL;
	struct hoard hoard;

	(void)arg;
	KUNIT_ASSERT_EQ(test, usermm_set_options("zone_normal=16M:pcp=off", &error), 0);
	KUNIT_ASSERT_EQ(test, page_init(), 0);
	hoard_init(&hoard);
	hoard_take_all(&hoard, __GFP_MEMALLOC | __GFP_NOWARN | __GFP_MOVABLE, 0);
	page = list_first_entry(&hoard.blocks[0], struct page, lru);
	for (; &page->lru != &hoard.blocks[0]; page = next) {
		next = list_entry(page->lru.next, struct page, lru);
		if (page_to_pfn(page) & 1)
			continue;
		list_del(&page->lru);
		__free_page(page);
	}
	KUNIT_EXPECT_NULL(test, alloc_pages(GFP_ATOMIC, 1));
}

/*
 * The report has the free blocks by order and type, because marks do not show that there are none.
 */
static void test_slowpath_report_of_blocks(struct kunit *test)
{
	struct child_result result;

	child_run(test, fail_by_fragmentation, NULL, &result);
	KUNIT_EXPECT_EQ_MSG(test, result.status, 0, "%s", result.err);
	KUNIT_EXPECT_EQ_MSG(test, count_text(result.err, "Node 0 Normal: 2048*4kB (M) 0*8kB 0*16kB "
					     "0*32kB 0*64kB 0*128kB 0*256kB 0*512kB 0*1024kB "
					     "0*2048kB 0*4096kB = 8192kB\n"), 1, "%s", result.err);
}

/* In Linux's words, once in ten seconds. */
static void test_slowpath_report(struct kunit *test)
{
	static const unsigned long pair = 0x3, some = 0xd, one = 0x4, nothing;
	const char *plain = "zone_normal=8M:pcp=off", *four = "nodes=4:zone_normal=4M:pcp=off";

	expect_report(test, &(struct failing){ plain, GFP_ATOMIC, 2, NULL }, "GFP_ATOMIC",
		      "(null)");
	expect_report(test, &(struct failing){ plain, 0, 0, NULL }, "", "(null)");
	expect_report(test, &(struct failing){ plain, GFP_KERNEL | __GFP_RETRY_MAYFAIL | __GFP_ZERO,
					       0, NULL },
		      "GFP_KERNEL|__GFP_RETRY_MAYFAIL|__GFP_ZERO", "(null)");
	expect_report(test, &(struct failing){ four, GFP_KERNEL | __GFP_NORETRY, 1, &pair },
		      "GFP_KERNEL|__GFP_NORETRY", "0-1");
	expect_report(test, &(struct failing){ four, __GFP_COMP, 1, &some }, "__GFP_COMP", "0,2-3");
	expect_report(test, &(struct failing){ four, __GFP_COMP, 1, &one }, "__GFP_COMP", "2");
	/* A set without an existing node: there is nowhere to look, and the report says so. */
	expect_report(test, &(struct failing){ four, GFP_KERNEL, 0, &nothing }, "GFP_KERNEL", "");
	expect_report(test, &(struct failing){ plain, GFP_ATOMIC | __GFP_NOWARN, 2, NULL }, NULL,
		      NULL);
	/* Failing for lack of a DMA zone is not reported; failing in an existing one is. */
	expect_report(test, &(struct failing){ plain, GFP_DMA, 0, NULL }, NULL, NULL);
	expect_report(test, &(struct failing){ "zone_dma=4M:zone_normal=8M:pcp=off", GFP_DMA, 0,
					       NULL }, "GFP_DMA", "(null)");
}

static struct kunit_case slowpath_cases[] = {
	KUNIT_CASE(test_slowpath_nodes),
	KUNIT_CASE(test_slowpath_reserves),
	KUNIT_CASE(test_slowpath_low_zones),
	KUNIT_CASE(test_slowpath_report),
	KUNIT_CASE(test_slowpath_report_of_blocks),
	{ 0 },
};

static struct kunit_suite slowpath_suite = {
	.name = "slowpath",
	.test_cases = slowpath_cases,
};

kunit_test_suite(slowpath_suite);
