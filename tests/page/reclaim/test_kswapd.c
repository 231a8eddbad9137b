/* SPDX-License-Identifier: MIT */
/*
 * The background thread's work, node by node: the order and zone that are wanted of a node, when
 * the node is balanced, when it is given up. The test does the thread's work itself where it has to
 * happen at a certain time.
 */
#include <unistd.h>

#include "page/pageblock.h"
#include "page/reclaim/reclaim.h"
#include "page/scopes.h"
#include "page/zonelist.h"
#include "support/kernel.h"
#include "support/zones.h"

#define NODES 2

/* Pages of each node, all of which can go. */
struct pool {
	struct shrinker *shrinker;
	struct list_head pages[NODES];
	unsigned long nr[NODES];
	unsigned long evicted[NODES], asked[NODES];	/* asked: rounds */
	bool refuses[NODES];
	unsigned long own;	/* calls that were not background reclaim's */
};

static struct pool pool;

static unsigned long pool_count(struct shrinker *shrinker, struct shrink_control *sc)
{
	(void)shrinker;
	pool.asked[sc->nid]++;
	if (!(scopes_current() & SCOPE_KSWAPD))
		pool.own++;
	return pool.nr[sc->nid];
}

static unsigned long pool_scan(struct shrinker *shrinker, struct shrink_control *sc)
{
	int nid = sc->nid;
	unsigned long freed = 0;

	(void)shrinker;
	if (pool.refuses[nid])
		return SHRINK_STOP;
	for (; freed < sc->nr_to_scan && pool.nr[nid]; freed++) {
		struct page *page = list_first_entry(&pool.pages[nid], struct page, lru);

		list_del(&page->lru);
		pool.nr[nid]--;
		__free_page(page);
	}
	pool.evicted[nid] += freed;
	return freed;
}

static void pool_start(struct kunit *test)
{
	pool = (struct pool){ .shrinker = shrinker_alloc(SHRINKER_NUMA_AWARE, "pool") };
	for (unsigned int nid = 0; nid < NODES; nid++)
		INIT_LIST_HEAD(&pool.pages[nid]);
	KUNIT_ASSERT_NOT_NULL(test, pool.shrinker);
	pool.shrinker->count_objects = pool_count;
	pool.shrinker->scan_objects = pool_scan;
	pool.shrinker->batch = 16;
	shrinker_register(pool.shrinker);
}

static void pool_add(struct page *page, unsigned int nid)
{
	list_add(&page->lru, &pool.pages[nid]);
	pool.nr[nid]++;
}

/* The node's pages for such requests go to its pool. */
static unsigned long pool_fill(gfp_t gfp, unsigned int nid)
{
	unsigned long before = pool.nr[nid];
	struct page *page;

	while ((page = alloc_pages_node((int)nid, gfp | __GFP_THISNODE | __GFP_NOWARN, 0)))
		pool_add(page, nid);
	return pool.nr[nid] - before;
}

static void pool_stop(struct kunit *test)
{
	shrinker_free(pool.shrinker);
	for (unsigned int nid = 0; nid < NODES; nid++)
		while (pool.nr[nid]) {
			struct page *page = list_first_entry(&pool.pages[nid], struct page, lru);

			list_del(&page->lru);
			pool.nr[nid]--;
			__free_page(page);
		}
	zones_check_whole(test);
}

static bool is_above_high(const struct zone *z)
{
	return z->free_pages > z->watermark[WMARK_HIGH];
}

/* --- Zones ------------------------------------------------------------------------- */

/* A zone that is low needs reclaim even if the zone above has plenty. */
static void low_zone(struct kunit *test)
{
	struct zone *dma32 = zone_at(0, ZONE_DMA32), *normal = zone_at(0, ZONE_NORMAL);
	unsigned long normal_before;
	struct page *page;

	pool_start(test);
	normal_before = normal->free_pages;
	KUNIT_EXPECT_GT(test, pool_fill(GFP_NOWAIT | __GFP_DMA32, 0), 0);
	KUNIT_EXPECT_EQ(test, dma32->free_pages, dma32->watermark[WMARK_MIN]);
	page = alloc_page(GFP_KERNEL | __GFP_DMA32);
	KUNIT_ASSERT_NOT_NULL(test, page);
	KUNIT_EXPECT_TRUE(test, is_above_high(dma32));
	KUNIT_EXPECT_EQ_MSG(test, pool.own, 0, "background reclaim had done it");
	KUNIT_EXPECT_EQ(test, normal->free_pages, normal_before);
	__free_page(page);
	pool_stop(test);
}

/*
 * Pages that a low zone keeps from requests for the zone above do not count when the node is
 * balanced for these.
 */
static void lowmem_reserve_counts(struct kunit *test)
{
	struct zone *dma32 = zone_at(0, ZONE_DMA32), *normal = zone_at(0, ZONE_NORMAL);
	struct page *page;

	pool_start(test);
	KUNIT_ASSERT_GT(test, dma32->lowmem_reserve[ZONE_NORMAL], 0);
	/* Down to the reserve, which is above dma32's own high mark. */
	pool_fill(GFP_NOWAIT, 0);
	KUNIT_ASSERT_TRUE(test, is_above_high(dma32));
	page = alloc_page(GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, page);
	KUNIT_EXPECT_TRUE(test, is_above_high(normal) ||
				dma32->free_pages > dma32->watermark[WMARK_HIGH] +
						    dma32->lowmem_reserve[ZONE_NORMAL]);
	KUNIT_EXPECT_EQ(test, pool.own, 0);
	__free_page(page);
	pool_stop(test);
}

static void test_kswapd_zones(struct kunit *test)
{
	zones_run(test, "zone_dma32=16M:zone_normal=64M:min_free_kbytes=4096:pcp=off:"
			"background=off", low_zone);
	zones_run(test, "zone_dma32=16M:zone_normal=256M:min_free_kbytes=2048:pcp=off:"
			"background=off", lowmem_reserve_counts);
}

/* --- Nodes ------------------------------------------------------------------------- */

/* Reclaim for a request asks the nodes that the request may use. */
static void only_its_nodes(struct kunit *test)
{
	unsigned long mask = 1UL << 0;
	struct page *page;

	pool_start(test);
	pool_fill(GFP_NOWAIT, 0);
	pool_fill(GFP_NOWAIT, 1);
	page = alloc_pages_node(1, GFP_KERNEL | __GFP_THISNODE | __GFP_NORETRY, 0);
	KUNIT_ASSERT_NOT_NULL(test, page);
	KUNIT_EXPECT_GT(test, pool.asked[1], 0);
	KUNIT_EXPECT_EQ(test, pool.asked[0], 0);
	KUNIT_EXPECT_TRUE(test, is_above_high(zone_at(1, ZONE_NORMAL)));
	KUNIT_EXPECT_FALSE(test, is_above_high(zone_at(0, ZONE_NORMAL)));
	__free_page(page);
	pool.asked[1] = 0;
	pool_fill(GFP_NOWAIT, 1);
	/* Without background reclaim the request's own reclaim does the same. */
	page = __alloc_pages(__GFP_DIRECT_RECLAIM, 0, 1, &mask);
	KUNIT_ASSERT_NOT_NULL(test, page);
	KUNIT_EXPECT_EQ(test, page_zone(page)->node, 0);
	KUNIT_EXPECT_GT(test, pool.own, 0);
	KUNIT_EXPECT_EQ(test, pool.asked[0], pool.own);
	KUNIT_EXPECT_EQ(test, pool.asked[1], 0);
	__free_page(page);
	pool_stop(test);
}

/* A request wakes background reclaim for all nodes that it may use, and for no other. */
static void notes_by_node(struct kunit *test)
{
	unsigned long mask = 1UL << 1;

	pool_start(test);
	pool_fill(__GFP_NOWARN, 0);
	pool_fill(__GFP_NOWARN, 1);
	reclaim_background_work();
	KUNIT_EXPECT_EQ_MSG(test, pool.asked[0] + pool.asked[1], 0, "nobody asked for it");
	KUNIT_EXPECT_NULL(test, __alloc_pages(GFP_NOWAIT, 0, 0, &mask));
	reclaim_background_work();
	KUNIT_EXPECT_EQ(test, pool.asked[0], 0);
	KUNIT_EXPECT_TRUE(test, is_above_high(zone_at(1, ZONE_NORMAL)));
	pool_fill(__GFP_NOWARN, 1);
	KUNIT_EXPECT_NULL(test, alloc_pages_node(0, GFP_NOWAIT, 0));
	reclaim_background_work();
	KUNIT_EXPECT_TRUE(test, is_above_high(zone_at(0, ZONE_NORMAL)));
	KUNIT_EXPECT_TRUE(test, is_above_high(zone_at(1, ZONE_NORMAL)));
	KUNIT_EXPECT_EQ(test, pool.own, 0);
	pool_stop(test);
}

/* One run for node nid, which has to want it. */
static unsigned long run_for(unsigned int nid)
{
	unsigned long before = pool.asked[nid];

	if (alloc_pages_node((int)nid, GFP_NOWAIT | __GFP_THISNODE, 0))
		return 0;
	reclaim_background_work();
	return pool.asked[nid] - before;
}

/* After sixteen runs without success the node is left alone, and no other node. */
static void hopeless_node(struct kunit *test)
{
	struct page *page;

	pool_start(test);
	pool_fill(__GFP_NOWARN, 0);
	pool_fill(__GFP_NOWARN, 1);
	pool.refuses[0] = true;
	for (unsigned int i = 0; i < RECLAIM_RETRIES_MAX; i++)
		KUNIT_EXPECT_GT_MSG(test, run_for(0), 0, "run %u", i);
	KUNIT_EXPECT_EQ(test, run_for(0), 0);
	pool.refuses[0] = false;
	KUNIT_EXPECT_EQ_MSG(test, run_for(0), 0, "nobody tries any more");
	KUNIT_EXPECT_GT(test, run_for(1), 0);
	KUNIT_EXPECT_TRUE(test, is_above_high(zone_at(1, ZONE_NORMAL)));
	KUNIT_EXPECT_EQ_MSG(test, pool.evicted[0], 0, "not even when another node is served");
	/* A request's own success, there and nowhere else, is a reason to try again. */
	pool_fill(__GFP_NOWARN, 1);
	page = alloc_pages_node(1, __GFP_DIRECT_RECLAIM | __GFP_THISNODE, 0);
	KUNIT_ASSERT_NOT_NULL(test, page);
	__free_page(page);
	KUNIT_EXPECT_EQ(test, run_for(0), 0);
	page = alloc_pages_node(0, __GFP_DIRECT_RECLAIM | __GFP_THISNODE, 0);
	KUNIT_ASSERT_NOT_NULL(test, page);
	__free_page(page);
	KUNIT_EXPECT_FALSE(test, is_above_high(zone_at(0, ZONE_NORMAL)));
	pool_fill(__GFP_NOWARN, 0);
	KUNIT_EXPECT_GT(test, run_for(0), 0);
	KUNIT_EXPECT_TRUE(test, is_above_high(zone_at(0, ZONE_NORMAL)));
	pool_stop(test);
}

/* Success starts the count anew; finding nothing to do is no failure. */
static void what_is_no_failure(struct kunit *test)
{
	struct hoard hoard;

	hoard_init(&hoard);
	pool_start(test);
	for (unsigned int i = 0; i < 2 * RECLAIM_RETRIES_MAX; i++) {
		hoard_take(&hoard, GFP_NOWAIT, 0, 0, NULL, ~0UL);
		hoard_give_all(&hoard);
		reclaim_background_work();
	}
	KUNIT_EXPECT_EQ(test, pool.asked[0], 0);
	pool_fill(__GFP_NOWARN, 0);
	for (unsigned int i = 0; i < 3 * RECLAIM_RETRIES_MAX; i++) {
		pool.refuses[0] = i % RECLAIM_RETRIES_MAX != 0;
		KUNIT_EXPECT_GT_MSG(test, run_for(0), 0, "run %u", i);
		pool_fill(__GFP_NOWARN, 0);
	}
	pool_stop(test);
}

/*
 * After a run without success the thread tries again after naps, a number of times, without a
 * request. Then it waits for the next request. Only runs that requests asked for make a node
 * hopeless.
 */
static void naps(struct kunit *test)
{
	unsigned int nap;

	pool_start(test);
	pool_fill(__GFP_NOWARN, 0);
	pool_fill(__GFP_NOWARN, 1);
	pool.refuses[0] = true;
	KUNIT_EXPECT_NULL(test, alloc_page(GFP_NOWAIT));
	nap = reclaim_background_work();
	KUNIT_EXPECT_GT(test, nap, 0);
	KUNIT_EXPECT_TRUE_MSG(test, is_above_high(zone_at(1, ZONE_NORMAL)), "the others' turn");
	for (unsigned int i = 2; i < RECLAIM_RETRIES_MAX; i++) {
		unsigned long before = pool.asked[0], other = pool.asked[1];

		KUNIT_EXPECT_EQ_MSG(test, reclaim_background_work(), nap, "run %u", i);
		KUNIT_EXPECT_GT_MSG(test, pool.asked[0], before, "run %u", i);
		KUNIT_EXPECT_EQ(test, pool.asked[1], other);
	}
	pool.refuses[0] = false;
	KUNIT_EXPECT_EQ(test, reclaim_background_work(), 0);
	KUNIT_EXPECT_TRUE(test, is_above_high(zone_at(0, ZONE_NORMAL)));
	pool.refuses[0] = true;
	pool_fill(__GFP_NOWARN, 0);
	KUNIT_EXPECT_GT(test, run_for(0), 0);
	for (unsigned int i = 1; i < RECLAIM_RETRIES_MAX; i++)
		KUNIT_EXPECT_EQ_MSG(test, reclaim_background_work(), nap, "nap %u", i);
	KUNIT_EXPECT_EQ_MSG(test, reclaim_background_work(), 0, "the last one");
	KUNIT_EXPECT_EQ_MSG(test, reclaim_background_work(), 0, "nobody asks");
	KUNIT_EXPECT_FALSE(test, kswapd_gave_up(0));
	for (unsigned int i = 1; i < RECLAIM_RETRIES_MAX; i++)
		KUNIT_EXPECT_GT_MSG(test, run_for(0), 0, "asked %u times", i + 1);
	KUNIT_EXPECT_EQ_MSG(test, reclaim_background_work(), 0, "hopeless");
	KUNIT_EXPECT_TRUE(test, kswapd_gave_up(0));
	pool_stop(test);
}

/* If nothing waits for the nap's end, there is no nap: the next request starts the next run. */
static void no_naps_in_requests(struct kunit *test)
{
	struct page *page;

	pool_start(test);
	pool_fill(__GFP_NOWARN, 0);
	pool.refuses[0] = true;
	KUNIT_EXPECT_NULL(test, alloc_page(GFP_KERNEL | __GFP_NORETRY | __GFP_NOWARN));
	KUNIT_EXPECT_GT(test, pool.asked[0], 0);
	KUNIT_EXPECT_FALSE(test, kswapd_gave_up(0));
	pool.refuses[0] = false;
	page = alloc_page(GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, page);
	KUNIT_EXPECT_TRUE(test, is_above_high(zone_at(0, ZONE_NORMAL)));
	__free_page(page);
	pool_stop(test);
}

static void test_kswapd_nodes(struct kunit *test)
{
	zones_run(test, "nodes=2:zone_normal=16M:min_free_kbytes=2048:pcp=off:background=off",
		  only_its_nodes);
	zones_run(test, "nodes=2:zone_normal=16M:pcp=off:background=off", notes_by_node);
	zones_run(test, "nodes=2:zone_normal=16M:min_free_kbytes=2048:pcp=off:background=off",
		  hopeless_node);
	zones_run(test, "zone_normal=16M:pcp=off:background=off", what_is_no_failure);
	zones_run(test, "nodes=2:zone_normal=16M:pcp=off:background=off", naps);
	zones_run(test, "zone_normal=16M:pcp=off:background=off", no_naps_in_requests);
}

/* --- Orders -------------------------------------------------------------------------- */

/* Pages are free, but no two buddies. */
static void scattered_pages(struct kunit *test)
{
	struct zone *z = zone_at(0, ZONE_NORMAL);
	unsigned long evicted = 0;
	struct page *page, *next;
	LIST_HEAD(rest);
	LIST_HEAD(all);

	pool_start(test);
	while ((page = alloc_page(__GFP_MEMALLOC | __GFP_NOWARN)))
		list_add(&page->lru, &all);
	/* In the upper half the even pages are free; in the lower half the pool's pages are. */
	for (page = list_first_entry(&all, struct page, lru); &page->lru != &all; page = next) {
		unsigned long pfn = page_to_pfn(page);

		next = list_entry(page->lru.next, struct page, lru);
		list_del(&page->lru);
		if (pfn & 1)
			list_add(&page->lru, &rest);
		else if (pfn >= z->start_pfn + z->managed_pages / 2)
			__free_page(page);
		else
			pool_add(page, 0);
	}
	KUNIT_ASSERT_TRUE(test, is_above_high(z));
	KUNIT_ASSERT_GT(test, pool.nr[0], 512);
	for (unsigned int order = 3; order > 0; order--) {
		KUNIT_EXPECT_NULL_MSG(test, alloc_pages(GFP_NOWAIT, order), "order %u", order);
		reclaim_background_work();
		/* After twice the pages that were wanted, order 0 is enough. */
		evicted = pool.evicted[0] - evicted;
		KUNIT_EXPECT_GE(test, evicted, 2UL << order);
		KUNIT_EXPECT_LE(test, evicted, (2UL << order) + 2 * 16);
		evicted = pool.evicted[0];
	}
	page = alloc_page(GFP_NOWAIT);
	KUNIT_EXPECT_NOT_NULL(test, page);
	if (page)
		__free_page(page);
	KUNIT_EXPECT_EQ_MSG(test, pool.evicted[0], evicted, "there is nothing to be done for it");
	while (!list_empty(&rest)) {
		page = list_first_entry(&rest, struct page, lru);
		list_del(&page->lru);
		__free_page(page);
	}
	pool_stop(test);
}

static void test_kswapd_orders(struct kunit *test)
{
	zones_run(test, "zone_normal=16M:pcp=off:background=off", scattered_pages);
}

/* --- Boosts --------------------------------------------------------------------------- */

static void boost(struct zone *z, unsigned long pages)
{
	lock_acquire(&z->lock);
	atomic_store_relaxed(&z->watermark_boost, pages);
	lock_release(&z->lock);
	zone_set_flag(z, ZONE_BOOSTED_WATERMARK);
}

static void boost_without_shrinkers(struct kunit *test)
{
	struct zone *z = zone_at(0, ZONE_NORMAL);
	struct page *page;

	boost(z, 300);
	page = alloc_page(GFP_KERNEL & ~__GFP_KSWAPD_RECLAIM);
	KUNIT_EXPECT_EQ_MSG(test, z->watermark_boost, 300, "it is background reclaim's");
	__free_page(page);
	page = alloc_page(GFP_KERNEL);
	KUNIT_EXPECT_EQ(test, z->watermark_boost, 0);
	KUNIT_EXPECT_FALSE(test, zone_test_flag(z, ZONE_BOOSTED_WATERMARK));
	__free_page(page);
	boost(z, 300);
	zones_set_min_free(400);
	KUNIT_EXPECT_EQ_MSG(test, z->watermark_boost, 0, "new marks have none");
	KUNIT_EXPECT_EQ(test, z->watermark[WMARK_MIN], 400);
	zones_check_whole(test);
}

/*
 * The background thread has changed the value under the zone's lock; it has then finished with the
 * pool.
 */
static bool boost_ends(struct zone *z)
{
	unsigned long left = 1;

	for (unsigned int i = 0; i < 20000 && left; i++) {
		usleep(1000);
		lock_acquire(&z->lock);
		left = z->watermark_boost;
		lock_release(&z->lock);
	}
	return !left;
}

/* A boost wants so many pages, though the zone is balanced, and ends then. */
static void boost_is_reclaimed(struct kunit *test)
{
	struct zone *z = zone_at(0, ZONE_NORMAL);
	struct page *page;

	pool_start(test);
	while (pool.nr[0] < MIB_PAGES(48))
		pool_add(alloc_page(GFP_KERNEL), 0);
	KUNIT_ASSERT_EQ(test, pool.asked[0], 0);
	boost(z, 300);
	page = alloc_page(GFP_NOWAIT);
	KUNIT_EXPECT_TRUE(test, boost_ends(z));
	KUNIT_EXPECT_GE(test, pool.evicted[0], 300);
	KUNIT_EXPECT_LE(test, pool.evicted[0], 300 + 64);
	KUNIT_EXPECT_EQ(test, pool.own, 0);
	__free_page(page);
	/* If nothing can be reclaimed, the boost ends all the same. */
	pool.refuses[0] = true;
	boost(z, 300);
	page = alloc_page(GFP_NOWAIT);
	KUNIT_EXPECT_TRUE(test, boost_ends(z));
	__free_page(page);
	pool_stop(test);
}

static void test_kswapd_boosts(struct kunit *test)
{
	zones_run(test, "zone_normal=64M:pcp=off", boost_without_shrinkers);
	zones_run(test, "zone_normal=64M:pcp=off", boost_is_reclaimed);
}

static struct kunit_case kswapd_cases[] = {
	KUNIT_CASE(test_kswapd_zones),
	KUNIT_CASE(test_kswapd_nodes),
	KUNIT_CASE(test_kswapd_orders),
	KUNIT_CASE(test_kswapd_boosts),
	{ 0 },
};

static struct kunit_suite kswapd_suite = {
	.name = "kswapd",
	.test_cases = kswapd_cases,
};

kunit_test_suite(kswapd_suite);
