/* SPDX-License-Identifier: MIT */
/*
 * Counts reclaim in a request's own thread: how many rounds each kind of request makes, with what
 * pressure, and what follows. The requests wake nobody, so what happens happens in them.
 */
#include <sys/resource.h>

#include "base/upward_hooks.h"
#include "page/pageblock.h"
#include "page/reclaim/reclaim.h"
#include "page/reclaim/release.h"
#include "support/child.h"
#include "support/kernel.h"
#include "support/zones.h"
#include "usermm/reclaim.h"

#define GFP_DIRECT (__GFP_DIRECT_RECLAIM | __GFP_IO | __GFP_FS | __GFP_NOWARN)
/* How often a round without success calls the shrinkers. */
#define PRIORITIES (RECLAIM_PRIORITY_LIGHTEST + 1)
#define ZONES "zone_normal=64M:pcp=off:background=off"

/* Of one node, or of the nearest one with memory. */
static struct zone *normal_zone(void)
{
	return zone_at(numa_mem_id(), ZONE_NORMAL);
}

/* Pages that may go, the last first. */
struct cache {
	struct shrinker *shrinker;
	struct list_head pages;
	unsigned long nr, nr_counts, pretended;
	unsigned int depth, deepest, nested;
};

static unsigned long cache_count(struct shrinker *shrinker, struct shrink_control *sc)
{
	struct cache *cache = shrinker->private_data;

	(void)sc;
	cache->nr_counts++;
	return cache->nr + cache->pretended;
}

/* The shrinker's own requests come from the reserves, and do not call it again. */
static unsigned long cache_scan(struct shrinker *shrinker, struct shrink_control *sc)
{
	struct cache *cache = shrinker->private_data;
	struct page *own = alloc_page(GFP_DIRECT);
	unsigned long freed = 0;

	cache->deepest = max(cache->deepest, ++cache->depth);
	cache->nested += own != NULL;
	if (own)
		__free_page(own);
	for (; freed < sc->nr_to_scan && cache->nr; freed++) {
		struct page *page = list_last_entry(&cache->pages, struct page, lru);

		list_del(&page->lru);
		cache->nr--;
		__free_page(page);
	}
	cache->depth--;
	return freed;
}

static void cache_start(struct kunit *test, struct cache *cache)
{
	*cache = (struct cache){ .pages = LIST_HEAD_INIT(cache->pages) };
	cache->shrinker = shrinker_alloc(0, "cache");
	KUNIT_ASSERT_NOT_NULL(test, cache->shrinker);
	cache->shrinker->count_objects = cache_count;
	cache->shrinker->scan_objects = cache_scan;
	cache->shrinker->private_data = cache;
	cache->shrinker->batch = 1;
	shrinker_register(cache->shrinker);
}

static void cache_fill(struct kunit *test, struct cache *cache, unsigned long nr)
{
	for (; nr; nr--) {
		struct page *page = alloc_page(GFP_DIRECT);

		KUNIT_ASSERT_NOT_NULL(test, page);
		list_add(&page->lru, &cache->pages);
		cache->nr++;
	}
}

/* --- How much ---------------------------------------------------------------------------- */

/* Rounds end when there are RECLAIM_PAGES more pages, not when all are gone. */
static void no_more_than_needed(struct kunit *test)
{
	struct cache cache;
	struct hoard hoard;

	hoard_init(&hoard);
	cache_start(test, &cache);
	cache_fill(test, &cache, 8000);
	hoard_take_all(&hoard, GFP_NOWAIT & ~__GFP_KSWAPD_RECLAIM, 0);
	KUNIT_ASSERT_EQ(test, cache.nr, 8000);
	KUNIT_EXPECT_NOT_NULL(test, alloc_page(GFP_DIRECT));
	KUNIT_EXPECT_LE(test, cache.nr, 8000 - RECLAIM_PAGES);
	KUNIT_EXPECT_GE(test, cache.nr, 8000 - 8 * RECLAIM_PAGES);
	KUNIT_EXPECT_EQ(test, cache.deepest, 1);
	KUNIT_EXPECT_GT(test, cache.nested, 0);
}

/* A single object is seen at the last priority alone, and that is enough. */
static void last_object(struct kunit *test)
{
	struct cache cache;
	struct hoard hoard;

	hoard_init(&hoard);
	cache_start(test, &cache);
	cache_fill(test, &cache, 1);
	hoard_take_all(&hoard, GFP_NOWAIT & ~__GFP_KSWAPD_RECLAIM, 0);
	KUNIT_EXPECT_NOT_NULL(test, alloc_page(GFP_DIRECT));
	KUNIT_EXPECT_EQ(test, cache.nr, 0);
	KUNIT_EXPECT_EQ(test, cache.nr_counts, PRIORITIES);
}

static void test_rounds_amount(struct kunit *test)
{
	zones_run(test, ZONES, no_more_than_needed);
	zones_run(test, ZONES, last_object);
}

/* --- How often ------------------------------------------------------------------------------- */

static unsigned long rounds_for(struct kunit *test, struct cache *cache, gfp_t gfp,
				unsigned int order)
{
	unsigned long before = cache->nr_counts;

	KUNIT_EXPECT_NULL(test, alloc_pages(gfp, order));
	KUNIT_EXPECT_EQ(test, (cache->nr_counts - before) % PRIORITIES, 0);
	return (cache->nr_counts - before) / PRIORITIES;
}

/* The shrinker always counts many objects, but frees none. */
static void in_vain(struct kunit *test)
{
	const unsigned long all = RECLAIM_RETRIES_MAX + 1;
	struct cache cache;
	struct hoard hoard;

	hoard_init(&hoard);
	cache_start(test, &cache);
	hoard_take_all(&hoard, GFP_NOWAIT & ~__GFP_KSWAPD_RECLAIM, 4);
	KUNIT_ASSERT_GT(test, normal_zone()->free_pages, 1UL << 4);
	cache.pretended = 4000;
	KUNIT_EXPECT_EQ(test, rounds_for(test, &cache, GFP_DIRECT, 4), 1);
	KUNIT_EXPECT_EQ(test, rounds_for(test, &cache, GFP_DIRECT | __GFP_RETRY_MAYFAIL, 4), all);
	KUNIT_EXPECT_EQ(test, rounds_for(test, &cache, GFP_DIRECT & ~__GFP_DIRECT_RECLAIM, 4), 0);
	hoard_take_all(&hoard, GFP_NOWAIT & ~__GFP_KSWAPD_RECLAIM, 0);
	KUNIT_EXPECT_EQ(test, rounds_for(test, &cache, GFP_DIRECT, 0), all);
	KUNIT_EXPECT_EQ(test, rounds_for(test, &cache, GFP_DIRECT | __GFP_NORETRY, 0), 1);
	KUNIT_EXPECT_EQ(test, rounds_for(test, &cache, GFP_DIRECT, 3), all);
	KUNIT_EXPECT_EQ(test, rounds_for(test, &cache, GFP_DIRECT | __GFP_RETRY_MAYFAIL, 0), all);
	/*
	 * All that the cache says it has would not be enough, so there is one round and no second.
	 */
	cache.pretended = 0;
	KUNIT_EXPECT_EQ(test, rounds_for(test, &cache, GFP_DIRECT, 0), 1);
}

static void test_rounds_in_vain(struct kunit *test)
{
	zones_run(test, ZONES, in_vain);
}

/* --- Behind them -------------------------------------------------------------------------- */

static unsigned int nr_asked;

static bool no_victim(gfp_t gfp, unsigned int order)
{
	(void)gfp;
	(void)order;
	nr_asked++;
	return false;
}

/* Was the program asked whom to take memory from? */
static bool asks_for_victim(struct kunit *test, gfp_t gfp, unsigned int order)
{
	nr_asked = 0;
	KUNIT_EXPECT_NULL(test, alloc_pages(gfp, order));
	return nr_asked;
}

static void who_asks(struct kunit *test)
{
	struct hoard hoard;

	hoard_init(&hoard);
	hoard_take_all(&hoard, GFP_NOWAIT, 0);
	usermm_set_oom_victim(no_victim);
	for (unsigned int order = 0; order <= MAX_PAGE_ORDER; order++)
		KUNIT_EXPECT_EQ_MSG(test, asks_for_victim(test, GFP_DIRECT, order),
				    order <= PAGE_ALLOC_COSTLY_ORDER, "order %u", order);
	KUNIT_EXPECT_FALSE(test, asks_for_victim(test, GFP_DIRECT | __GFP_RETRY_MAYFAIL, 0));
	KUNIT_EXPECT_FALSE(test, asks_for_victim(test, GFP_DIRECT | __GFP_NORETRY, 0));
	KUNIT_EXPECT_FALSE(test, asks_for_victim(test, GFP_DIRECT | __GFP_THISNODE, 0));
	/* The request relies on other threads for a while, and does not ask for a victim itself. */
	KUNIT_EXPECT_FALSE(test, asks_for_victim(test, GFP_DIRECT & ~__GFP_FS, 0));
	KUNIT_EXPECT_FALSE(test, asks_for_victim(test, GFP_NOWAIT, 0));
	hoard_give_all(&hoard);
	zones_check_whole(test);
}

/* For a zone that is small by its nature, no victim is asked for. */
static void low_zones(struct kunit *test)
{
	struct hoard hoard;

	hoard_init(&hoard);
	hoard_take_all(&hoard, GFP_NOWAIT, 0);
	hoard_take_all(&hoard, GFP_DMA32 | GFP_NOWAIT, 0);
	hoard_take_all(&hoard, GFP_DMA | GFP_NOWAIT, 0);
	usermm_set_oom_victim(no_victim);
	KUNIT_EXPECT_TRUE(test, asks_for_victim(test, GFP_DIRECT, 0));
	KUNIT_EXPECT_FALSE(test, asks_for_victim(test, GFP_DIRECT | __GFP_DMA, 0));
	hoard_give_all(&hoard);
	zones_check_whole(test);
}

static int order_of_calls[4], nr_calls;

static int notified(struct notifier_block *nb, unsigned long action, void *freed);

static struct notifier_block notifiers[] = {
	{ .notifier_call = notified, .priority = 1 },
	{ .notifier_call = notified, .priority = 1 },
	{ .notifier_call = notified, .priority = 5 },
	{ .notifier_call = notified, .priority = 0 },
};

/* The one of priority 1 that was registered later ends it, if there are to be no more. */
static bool stops;

static int notified(struct notifier_block *nb, unsigned long action, void *freed)
{
	(void)action;
	(void)freed;
	order_of_calls[nr_calls++ % 4] = (int)(nb - notifiers);
	return stops && nb == &notifiers[1] ? NOTIFY_STOP : NOTIFY_OK;
}

/*
 * The notifiers with the highest priority come first, among equal ones the oldest, until one says
 * stop.
 */
static void who_is_notified(struct kunit *test)
{
	static const int expected[] = { 2, 0, 1, 3 };
	struct hoard hoard;

	hoard_init(&hoard);
	for (unsigned int i = 0; i < ARRAY_SIZE(notifiers); i++)
		KUNIT_ASSERT_EQ(test, register_oom_notifier(&notifiers[i]), 0);
	hoard_take_all(&hoard, GFP_NOWAIT, 0);
	for (unsigned int i = 0; i < 2; i++) {
		nr_calls = 0;
		stops = i;
		KUNIT_EXPECT_NULL(test, alloc_page(GFP_DIRECT));
		KUNIT_EXPECT_EQ(test, nr_calls, stops ? 3 : 4);
		for (int k = 0; k < nr_calls; k++)
			KUNIT_EXPECT_EQ(test, order_of_calls[k], expected[k]);
	}
	hoard_give_all(&hoard);
	zones_check_whole(test);
}

static bool pretends(gfp_t gfp, unsigned int order)
{
	(void)gfp;
	(void)order;
	nr_asked++;
	return true;
}

/* A victim may need some time; meanwhile a request that must not fail gets the last pages. */
static void nofail_behind_victim(struct kunit *test)
{
	unsigned long left = wmark_pages(normal_zone(), WMARK_MIN);
	struct hoard hoard;

	hoard_init(&hoard);
	hoard_take_all(&hoard, GFP_NOWAIT, 0);
	KUNIT_ASSERT_EQ(test, normal_zone()->free_pages, left);
	usermm_set_oom_victim(pretends);
	nr_asked = 0;
	for (unsigned long i = 0; i < left; i++) {
		struct page *page = alloc_page(GFP_DIRECT | __GFP_NOFAIL);

		KUNIT_ASSERT_NOT_NULL(test, page);
		list_add(&page->lru, &hoard.blocks[0]);
	}
	KUNIT_EXPECT_EQ(test, nr_asked, left);
	KUNIT_EXPECT_EQ(test, normal_zone()->free_pages, 0);
	hoard_give_all(&hoard);
	zones_check_whole(test);
}

static void test_rounds_victims(struct kunit *test)
{
	zones_run(test, ZONES, who_is_notified);
	zones_run(test, ZONES, nofail_behind_victim);
	zones_run(test, ZONES, who_asks);
	zones_run(test, "zone_dma=4M:zone_dma32=8M:zone_normal=16M:pcp=off", low_zones);
}

/*
 * --- Memory that keepers have ------------------------------------------------------------------
 */

/* The keeper has its memory only after it was asked so often. */
static struct page *kept;
static unsigned int nr_asked_for_kept, comes_after;

static unsigned long give_kept_back(void)
{
	if (nr_asked_for_kept++ < comes_after || !kept)
		return 0;
	__free_page(kept);
	kept = NULL;
	return 0;
}

static size_t decay_nothing(void)
{
	return 0;
}

static void keep_one(struct kunit *test, struct hoard *hoard, unsigned int asked)
{
	release_set_keeper(give_kept_back, decay_nothing);
	nr_asked_for_kept = 0;
	comes_after = asked;
	kept = alloc_page(GFP_DIRECT);
	KUNIT_ASSERT_NOT_NULL(test, kept);
	hoard_init(hoard);
	hoard_take_all(hoard, GFP_NOWAIT, 0);
}

static void take_kept(struct kunit *test, struct hoard *hoard, gfp_t gfp)
{
	struct page *page = alloc_page(gfp);

	KUNIT_EXPECT_NOT_NULL(test, page);
	KUNIT_EXPECT_NULL(test, kept);
	KUNIT_EXPECT_EQ(test, normal_zone()->free_pages, wmark_pages(normal_zone(), WMARK_MIN));
	if (page)
		__free_page(page);
	hoard_give_all(hoard);
	zones_check_whole(test);
}

/* Before that no victim is asked for. */
static void kept_comes_first(struct kunit *test)
{
	struct hoard hoard;

	usermm_set_oom_victim(no_victim);
	keep_one(test, &hoard, 0);
	nr_asked = 0;
	take_kept(test, &hoard, GFP_DIRECT | __GFP_RETRY_MAYFAIL);
	keep_one(test, &hoard, 0);
	take_kept(test, &hoard, GFP_DIRECT);
	KUNIT_EXPECT_EQ(test, nr_asked, 0);
	/* A request that should not try hard does not. */
	keep_one(test, &hoard, 0);
	KUNIT_EXPECT_NULL(test, alloc_page(GFP_DIRECT | __GFP_NORETRY));
	KUNIT_EXPECT_NULL(test, alloc_page(GFP_NOWAIT));
	KUNIT_EXPECT_EQ(test, nr_asked_for_kept, 0);
	take_kept(test, &hoard, GFP_DIRECT);
}

static int frees_what_is_kept(struct notifier_block *nb, unsigned long action, void *freed)
{
	(void)nb;
	(void)action;
	*(unsigned long *)freed += nr_calls++ == 0;
	return NOTIFY_OK;
}

/* Memory that is freed for a request may first be kept by a layer, as objects are. */
static void what_victims_free_is_kept(struct kunit *test)
{
	struct notifier_block nb = { .notifier_call = frees_what_is_kept };
	struct hoard hoard;

	nr_calls = 0;
	KUNIT_ASSERT_EQ(test, register_oom_notifier(&nb), 0);
	keep_one(test, &hoard, 1);
	take_kept(test, &hoard, GFP_DIRECT);
	KUNIT_EXPECT_EQ(test, nr_calls, 1);
	KUNIT_EXPECT_EQ(test, unregister_oom_notifier(&nb), 0);
}

/* So may memory that is freed while the request waits; the reserve then stays untouched. */
static void kept_meanwhile(struct kunit *test)
{
	struct hoard hoard;

	keep_one(test, &hoard, 3);
	take_kept(test, &hoard, GFP_DIRECT | __GFP_NOFAIL);
}

static void test_rounds_kept(struct kunit *test)
{
	zones_run(test, ZONES, kept_comes_first);
	zones_run(test, ZONES, what_victims_free_is_kept);
	zones_run(test, ZONES, kept_meanwhile);
}

/* --- Blocks on CPUs' lists ------------------------------------------------------------------ */

/*
 * Blocks on a list serve single pages, also for requests that may not wait, or that are made in
 * reclaim.
 */
static void lists_are_emptied(struct kunit *test)
{
	static const struct {
		gfp_t gfp;
		bool in_reclaim;
	} rows[] = { { GFP_NOWAIT, false }, { GFP_DIRECT, false }, { GFP_DIRECT, true } };
	struct page *block = alloc_pages(GFP_KERNEL, PAGE_ALLOC_COSTLY_ORDER);
	struct hoard hoard;

	KUNIT_ASSERT_NOT_NULL(test, block);
	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++) {
		unsigned int saved = rows[i].in_reclaim ? memalloc_noreclaim_save() : 0;
		struct page *page;

		hoard_init(&hoard);
		hoard_take_all(&hoard, rows[i].gfp, 0);
		__free_pages(block, PAGE_ALLOC_COSTLY_ORDER);
		page = alloc_page(rows[i].gfp);
		KUNIT_EXPECT_NOT_NULL_MSG(test, page, "row %u", i);
		if (page)
			__free_page(page);
		if (rows[i].in_reclaim)
			memalloc_noreclaim_restore(saved);
		hoard_give_all(&hoard);
		block = alloc_pages(GFP_KERNEL, PAGE_ALLOC_COSTLY_ORDER);
		KUNIT_ASSERT_NOT_NULL(test, block);
	}
	__free_pages(block, PAGE_ALLOC_COSTLY_ORDER);
	drain_all_pages(NULL);
	zones_check_whole(test);
}

static void test_rounds_lists(struct kunit *test)
{
	zones_run(test, "zone_normal=64M", lists_are_emptied);
}

/* --- Memory that the system refuses ----------------------------------------------- */

static void limit_addresses(struct kunit *test, rlim_t bytes)
{
	struct rlimit limit;

	KUNIT_ASSERT_EQ(test, getrlimit(RLIMIT_AS, &limit), 0);
	limit.rlim_cur = min(bytes, limit.rlim_max);
	KUNIT_ASSERT_EQ(test, setrlimit(RLIMIT_AS, &limit), 0);
}

static unsigned long rounds_of_request(gfp_t gfp, unsigned int order, struct page **page)
{
	unsigned long before = atomic_load_relaxed(&reclaim_events.allocstall[ZONE_NORMAL]);

	*page = alloc_pages(gfp, order);
	return atomic_load_relaxed(&reclaim_events.allocstall[ZONE_NORMAL]) - before;
}

/*
 * A request does not wait for free memory that the system refuses; when the system grants it, the
 * request takes it.
 */
static void growth_is_refused(struct kunit *test, void *arg)
{
	static const unsigned int orders[] = { 0, PAGE_ALLOC_COSTLY_ORDER };
	const char *error;
	struct hoard hoard;
	struct page *page;

	(void)arg;
	limit_addresses(test, GIB);	/* or the window is reserved: then nobody can refuse it */
	KUNIT_ASSERT_EQ(test, usermm_set_options("limit=64M:pcp=off:background=off", &error), 0);
	KUNIT_ASSERT_EQ(test, page_init(), 0);
	limit_addresses(test, 1);
	hoard_init(&hoard);
	hoard_take_all(&hoard, GFP_DIRECT, 0);
	KUNIT_ASSERT_GT(test, zone_offline_pages(normal_zone()), 0UL);
	for (unsigned int i = 0; i < ARRAY_SIZE(orders); i++) {
		unsigned long rounds = rounds_of_request(GFP_DIRECT, orders[i], &page);

		KUNIT_EXPECT_NULL(test, page);
		KUNIT_EXPECT_GE(test, rounds, 1UL);
		KUNIT_EXPECT_LE(test, rounds, 2UL);
	}
	limit_addresses(test, RLIM_INFINITY);
	KUNIT_EXPECT_EQ(test, rounds_of_request(GFP_DIRECT, 0, &page), 0UL);
	KUNIT_ASSERT_NOT_NULL(test, page);
	/* With several nodes it is the nearest one's. */
	KUNIT_EXPECT_FALSE(test, zone_test_flag(page_zone(page), ZONE_GROWTH_REFUSED));
	__free_page(page);
	hoard_give_all(&hoard);
}

static void test_rounds_refused_growth(struct kunit *test)
{
	if (!ADDRESSES_MAY_BE_FEW)
		kunit_skip(test, "the sanitizer needs more than any limit");
	CHILD_EXPECT_SUCCESS(test, growth_is_refused, NULL);
}

static struct kunit_case rounds_cases[] = {
	KUNIT_CASE(test_rounds_amount),
	KUNIT_CASE(test_rounds_in_vain),
	KUNIT_CASE(test_rounds_victims),
	KUNIT_CASE(test_rounds_kept),
	KUNIT_CASE(test_rounds_lists),
	KUNIT_CASE(test_rounds_refused_growth),
	{ 0 },
};

static struct kunit_suite rounds_suite = {
	.name = "rounds",
	.test_cases = rounds_cases,
};

kunit_test_suite(rounds_suite);
