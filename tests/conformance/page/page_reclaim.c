// SPDX-License-Identifier: MIT
/*
 * A request that finds no memory asks shrinkers in its own thread, then the notifiers. As in
 * page_marks.c, memory is not used up: the marks are raised above the free pages.
 */
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/oom.h>
#include <linux/sched/mm.h>
#include <linux/shrinker.h>
#include <linux/vmstat.h>

#include "../conformance.h"

extern int min_free_kbytes;
void setup_per_zone_wmarks(void);

/* Farther below the mark than anything that reclaim could find in this machine. */
#define FAR 65536
/* Direct reclaim alone, without waking kswapd. */
#define GFP_ALONE (GFP_KERNEL & ~__GFP_KSWAPD_RECLAIM)

static int kbytes_before;

static void set_min_pages(unsigned long pages)
{
	*LINUX_SYMBOL(min_free_kbytes) = (int)(pages << (PAGE_SHIFT - 10));
	LINUX_SYMBOL(setup_per_zone_wmarks)();
}

static void restore_marks(void)
{
	*LINUX_SYMBOL(min_free_kbytes) = kbytes_before;
	LINUX_SYMBOL(setup_per_zone_wmarks)();
}

static int reclaim_init(struct kunit *test)
{
	kbytes_before = *LINUX_SYMBOL(min_free_kbytes);
	return 0;
}

static void reclaim_exit(struct kunit *test)
{
	restore_marks();
}

static unsigned long free_now(void)
{
	drain_lists();
	return global_zone_page_state(NR_FREE_PAGES);
}

/* One request with the marks so far above (or below) what is free; was it served? */
static bool ask(long above, gfp_t gfp, unsigned int order)
{
	struct page *page;

	set_min_pages(free_now() + above);
	page = alloc_pages(gfp | __GFP_NOWARN, order);
	restore_marks();
	if (page)
		__free_pages(page, order);
	return page;
}

/* --- Shrinkers ------------------------------------------------------------------- */

#define RECORDS 1000

/* A shrinker whose objects are only counted, or are real pages. It answers one task alone. */
struct cache {
	struct shrinker *shrinker;
	struct task_struct *task;
	unsigned long objects;
	unsigned long stop_after;	/* calls of one round until SHRINK_STOP */
	unsigned long percent;		/* looked at, of what was asked for */
	struct list_head pages;
	bool has_pages, allocates;

	unsigned int nr_rounds, nr_scans;
	struct {
		unsigned int round;
		unsigned long nr;
	} scans[RECORDS];
	gfp_t gfp;
	unsigned int flags;		/* of the task, meanwhile */
	int nid;
	struct mem_cgroup *memcg;
	unsigned int depth, deepest;
	unsigned long nested;		/* pages it got for itself */
	unsigned int in_round;
};

static unsigned long count_cache(struct shrinker *shrinker, struct shrink_control *sc)
{
	struct cache *cache = shrinker->private_data;

	if (current != cache->task)
		return 0;
	cache->nr_rounds++;
	cache->in_round = 0;
	cache->gfp = sc->gfp_mask;
	cache->nid = sc->nid;
	cache->memcg = sc->memcg;
	cache->flags = current->flags;
	return cache->objects ? cache->objects : SHRINK_EMPTY;
}

static unsigned long scan_cache(struct shrinker *shrinker, struct shrink_control *sc)
{
	struct cache *cache = shrinker->private_data;
	unsigned long freed = 0;

	if (cache->in_round++ >= cache->stop_after || cache->nr_scans >= RECORDS)
		return SHRINK_STOP;
	cache->scans[cache->nr_scans].round = cache->nr_rounds;
	cache->scans[cache->nr_scans++].nr = sc->nr_to_scan;
	if (sc->nr_scanned != sc->nr_to_scan)
		cache->nid = -2;
	sc->nr_scanned = sc->nr_to_scan * cache->percent / 100;
	if (++cache->depth > cache->deepest)
		cache->deepest = cache->depth;
	if (cache->allocates) {
		struct page *own = alloc_page(GFP_KERNEL | __GFP_NOWARN);

		cache->nested += !!own;
		if (own)
			__free_page(own);
	}
	for (; cache->has_pages && freed < sc->nr_to_scan && cache->objects; freed++) {
		struct page *page = list_first_entry(&cache->pages, struct page, lru);

		list_del(&page->lru);
		cache->objects--;
		__free_page(page);
	}
	/* Pages on per-CPU lists are not counted by the marks. */
	if (freed)
		drain_lists();
	cache->depth--;
	return freed;
}

static struct cache cache;

static void cache_start(struct kunit *test, unsigned long objects, int seeks, long batch)
{
	cache = (struct cache){ .task = current, .objects = objects, .stop_after = ULONG_MAX,
				.percent = 100 };
	INIT_LIST_HEAD(&cache.pages);
	cache.shrinker = shrinker_alloc(0, "conformance");
	KUNIT_ASSERT_NOT_NULL(test, cache.shrinker);
	cache.shrinker->count_objects = count_cache;
	cache.shrinker->scan_objects = scan_cache;
	cache.shrinker->seeks = seeks;
	cache.shrinker->batch = batch;
	cache.shrinker->private_data = &cache;
	shrinker_register(cache.shrinker);
}

static void cache_stop(void)
{
	shrinker_free(cache.shrinker);
	while (!list_empty(&cache.pages)) {
		struct page *page = list_first_entry(&cache.pages, struct page, lru);

		list_del(&page->lru);
		__free_page(page);
	}
}

/* DEFAULT_SEEKS and no batch, and flags of the shrinker's own. */
static void a_new_shrinker(struct kunit *test)
{
	struct shrinker *shrinker = shrinker_alloc(SHRINKER_NUMA_AWARE, "conformance-%d", 1);

	KUNIT_ASSERT_NOT_NULL(test, shrinker);
	KUNIT_EXPECT_EQ(test, shrinker->seeks, DEFAULT_SEEKS);
	KUNIT_EXPECT_EQ(test, shrinker->batch, 0);
	KUNIT_EXPECT_EQ(test, shrinker->flags, SHRINKER_ALLOCATED | SHRINKER_NUMA_AWARE);
	shrinker->count_objects = count_cache;
	shrinker->scan_objects = scan_cache;
	shrinker->private_data = &cache;
	cache.task = NULL;
	shrinker_register(shrinker);
	KUNIT_EXPECT_EQ(test, shrinker->flags,
			SHRINKER_ALLOCATED | SHRINKER_REGISTERED | SHRINKER_NUMA_AWARE);
	shrinker_free(shrinker);
	shrinker_free(NULL);
}

/* Without memory cgroups nobody is aware of them. */
static void memcg_aware_without_memcg(struct kunit *test)
{
	struct shrinker *shrinker = shrinker_alloc(SHRINKER_MEMCG_AWARE, "conformance");

	KUNIT_ASSERT_NOT_NULL(test, shrinker);
	KUNIT_EXPECT_EQ(test, shrinker->flags, SHRINKER_ALLOCATED);
	shrinker_free(shrinker);
}

/* One that was not made by shrinker_alloc() is not registered. */
static void only_allocated_ones(struct kunit *test)
{
	static struct shrinker own;

	own.count_objects = count_cache;
	own.scan_objects = scan_cache;
	shrinker_register(&own);
	KUNIT_EXPECT_EQ(test, own.flags, 0);
}

/*
 * The number of objects that the rounds ask for, by Linux's definition: a share by priority, from
 * 12 to 0, plus a share of what earlier rounds left undone; in whole batches, or all.
 */
static void expect_rounds(struct kunit *test, int seeks, long batch)
{
	long freeable = (long)cache.objects, deferred = 0;
	unsigned int at = 0;

	KUNIT_EXPECT_GE(test, cache.nr_rounds, 13);
	for (unsigned int round = 1; round <= cache.nr_rounds; round++) {
		int priority = 12 - (int)((round - 1) % 13);
		long delta = freeable / 2, total, scanned = 0;
		unsigned long calls = 0;

		if (seeks)
			delta = (freeable >> priority) * 4 / seeks;
		total = min((deferred >> priority) + delta, 2 * freeable);
		while (total >= (batch ?: 128) || total >= freeable) {
			long nr = min(total, batch ?: 128L);

			if (calls++ >= cache.stop_after)
				break;
			if (at == RECORDS)
				return;
			KUNIT_ASSERT_LT_MSG(test, at, cache.nr_scans, "round %u", round);
			KUNIT_ASSERT_EQ_MSG(test, cache.scans[at].round, round, "scan %u", at);
			KUNIT_ASSERT_EQ_MSG(test, cache.scans[at].nr, nr, "scan %u", at);
			at++;
			nr = nr * (long)cache.percent / 100;
			total -= nr;
			scanned += nr;
		}
		deferred = clamp(deferred + delta - scanned, 0L, 2 * freeable);
	}
	KUNIT_EXPECT_EQ(test, at, cache.nr_scans);
}

static void amounts(struct kunit *test, unsigned long objects, int seeks, long batch,
		    unsigned long stop_after, unsigned long percent)
{
	cache_start(test, objects, seeks, batch);
	cache.stop_after = stop_after;
	cache.percent = percent;
	for (unsigned int i = 0; i < 3; i++)
		KUNIT_EXPECT_FALSE(test, ask(FAR, GFP_ALONE | __GFP_NORETRY, 0));
	expect_rounds(test, seeks, batch);
	cache_stop();
}

static void amounts_by_priority(struct kunit *test)
{
	static const unsigned long objects[] = { 1, 63, 64, 127, 128, 129, 1000, 5000, 20000 };

	for (unsigned int i = 0; i < ARRAY_SIZE(objects); i++)
		amounts(test, objects[i], DEFAULT_SEEKS, 0, ULONG_MAX, 100);
}

static void amounts_by_seeks(struct kunit *test)
{
	for (int seeks = 1; seeks <= 9; seeks++)
		amounts(test, 3000, seeks, 0, ULONG_MAX, 100);
	amounts(test, 10, 1000, 0, ULONG_MAX, 100);
}

/* Objects that cost nothing to make again: each round asks for half of them. */
static void amounts_without_seeks(struct kunit *test)
{
	amounts(test, 1, 0, 0, ULONG_MAX, 100);
	amounts(test, 300, 0, 0, ULONG_MAX, 100);
	amounts(test, 3000, 0, 0, ULONG_MAX, 100);
}

static void amounts_by_batch(struct kunit *test)
{
	static const long batches[] = { 64, 100, 1024, 100000 };

	for (unsigned int i = 0; i < ARRAY_SIZE(batches); i++)
		amounts(test, 3000, DEFAULT_SEEKS, batches[i], ULONG_MAX, 100);
}

/* What SHRINK_STOP left undone comes again, up to twice of what there is. */
static void work_is_deferred(struct kunit *test)
{
	amounts(test, 3000, DEFAULT_SEEKS, 0, 0, 100);
	amounts(test, 3000, DEFAULT_SEEKS, 0, 1, 100);
	amounts(test, 3000, DEFAULT_SEEKS, 1000, 2, 100);
}

/* nr_scanned counts, not what was asked for. */
static void looked_at_counts(struct kunit *test)
{
	amounts(test, 1000, DEFAULT_SEEKS, 0, ULONG_MAX, 200);
	amounts(test, 1000, DEFAULT_SEEKS, 0, ULONG_MAX, 50);
}

static void empty_is_not_scanned(struct kunit *test)
{
	cache_start(test, 0, DEFAULT_SEEKS, 0);
	KUNIT_EXPECT_FALSE(test, ask(FAR, GFP_ALONE | __GFP_NORETRY, 0));
	KUNIT_EXPECT_GE(test, cache.nr_rounds, 13);
	KUNIT_EXPECT_EQ(test, cache.nr_scans, 0);
	cache_stop();
}

/* The shrinker learns what the request may do, in its thread's scopes. */
static void who_asks(struct kunit *test)
{
	static const gfp_t gfps[] = { GFP_ALONE, GFP_ALONE & ~__GFP_FS, __GFP_DIRECT_RECLAIM,
				      GFP_ALONE | __GFP_HIGHMEM | __GFP_MOVABLE };
	unsigned int saved;

	cache_start(test, 100, DEFAULT_SEEKS, 0);
	for (unsigned int i = 0; i < ARRAY_SIZE(gfps); i++) {
		gfp_t gfp = gfps[i] | __GFP_NORETRY | __GFP_NOWARN;

		KUNIT_EXPECT_FALSE(test, ask(FAR, gfp, 0));
		KUNIT_EXPECT_EQ(test, (__force u32)cache.gfp, (__force u32)gfp);
		KUNIT_EXPECT_EQ(test, cache.nid, 0);
		KUNIT_EXPECT_NULL(test, cache.memcg);
		KUNIT_EXPECT_TRUE(test, cache.flags & PF_MEMALLOC);
		KUNIT_EXPECT_FALSE(test, cache.flags & PF_KSWAPD);
	}
	saved = memalloc_nofs_save();
	ask(FAR, GFP_ALONE | __GFP_NORETRY, 0);
	memalloc_nofs_restore(saved);
	KUNIT_EXPECT_FALSE(test, (__force u32)(cache.gfp & __GFP_FS));
	KUNIT_EXPECT_TRUE(test, (__force u32)(cache.gfp & __GFP_IO));
	saved = memalloc_noio_save();
	ask(FAR, GFP_ALONE | __GFP_NORETRY, 0);
	memalloc_noio_restore(saved);
	KUNIT_EXPECT_FALSE(test, (__force u32)(cache.gfp & (__GFP_FS | __GFP_IO)));
	KUNIT_EXPECT_FALSE(test, current->flags & PF_MEMALLOC);
	cache_stop();
}

/*
 * Only a request that may wait, and whose thread is not in reclaim already, asks shrinkers in its
 * thread.
 */
static void who_does_not_ask(struct kunit *test)
{
	static const gfp_t gfps[] = { GFP_NOWAIT, GFP_ATOMIC, __GFP_HIGH | __GFP_NOMEMALLOC, 0,
				      __GFP_IO | __GFP_FS, GFP_NOWAIT | __GFP_NOFAIL };
	unsigned int saved;

	cache_start(test, 100, DEFAULT_SEEKS, 0);
	for (unsigned int i = 0; i < ARRAY_SIZE(gfps); i++)
		ask((long)free_now() * 2 + FAR, gfps[i], 0);
	saved = memalloc_noreclaim_save();
	KUNIT_EXPECT_TRUE(test, ask(FAR, GFP_ALONE, 0));
	KUNIT_EXPECT_FALSE(test, ask(FAR, GFP_ALONE | __GFP_NOMEMALLOC, 0));
	memalloc_noreclaim_restore(saved);
	KUNIT_EXPECT_TRUE(test, ask(FAR, GFP_ALONE | __GFP_MEMALLOC, 0));
	KUNIT_EXPECT_TRUE(test, ask(-16, GFP_ALONE, 0));
	KUNIT_EXPECT_EQ(test, cache.nr_rounds, 0);
	cache_stop();
}

/* What a shrinker allocates comes from the reserves, and asks nobody. */
static void shrinkers_may_allocate(struct kunit *test)
{
	cache_start(test, 1000, DEFAULT_SEEKS, 0);
	cache.allocates = true;
	KUNIT_EXPECT_FALSE(test, ask(FAR, GFP_ALONE | __GFP_NORETRY, 0));
	KUNIT_EXPECT_GT(test, cache.nr_scans, 0);
	KUNIT_EXPECT_EQ(test, cache.nested, cache.nr_scans);
	KUNIT_EXPECT_EQ(test, cache.deepest, 1);
	cache_stop();
}

/* A request that may try again gets what the shrinker freed. */
static void shrinkers_make_room(struct kunit *test)
{
	static const gfp_t gfps[] = { GFP_ALONE, GFP_ALONE | __GFP_RETRY_MAYFAIL,
				      GFP_ALONE & ~__GFP_FS, GFP_ALONE | __GFP_THISNODE };

	for (unsigned int i = 0; i < ARRAY_SIZE(gfps); i++) {
		cache_start(test, 0, DEFAULT_SEEKS, 0);
		for (; cache.objects < 4096; cache.objects++) {
			struct page *page = alloc_page(GFP_KERNEL);

			KUNIT_ASSERT_NOT_NULL(test, page);
			list_add(&page->lru, &cache.pages);
		}
		cache.has_pages = true;
		KUNIT_EXPECT_FALSE(test, ask(1024, GFP_NOWAIT, 0));
		KUNIT_EXPECT_EQ(test, cache.objects, 4096);
		KUNIT_EXPECT_TRUE(test, ask(1024, gfps[i], 0));
		KUNIT_EXPECT_LT(test, cache.objects, 4096);
		cache_stop();
	}
}

/* Requests that give up after one round of reclaim; in Linux after two if nothing was found. */
static void one_round(struct kunit *test)
{
	static const struct {
		gfp_t gfp;
		unsigned int order;
	} rows[] = {
		{ GFP_ALONE | __GFP_NORETRY, 0 },
		{ GFP_ALONE | __GFP_NORETRY, PAGE_ALLOC_COSTLY_ORDER },
		{ GFP_ALONE | __GFP_NORETRY, PAGE_ALLOC_COSTLY_ORDER + 1 },
		{ GFP_ALONE | __GFP_NORETRY | __GFP_RETRY_MAYFAIL, 0 },
		{ GFP_ALONE, PAGE_ALLOC_COSTLY_ORDER + 1 },
		{ GFP_ALONE & ~__GFP_FS, MAX_PAGE_ORDER },
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++) {
		cache_start(test, 1000, DEFAULT_SEEKS, 0);
		KUNIT_EXPECT_FALSE(test, ask(FAR, rows[i].gfp, rows[i].order));
		KUNIT_EXPECT_GE_MSG(test, cache.nr_rounds, 13, "row %u", i);
		KUNIT_EXPECT_LE_MSG(test, cache.nr_rounds, 26, "row %u", i);
		cache_stop();
	}
}

/* --- Notifiers --------------------------------------------------------------------- */

static unsigned int nr_notified, nr_second;
static bool lowers_marks, stops;

static int notified(struct notifier_block *nb, unsigned long unused, void *freed)
{
	nr_notified++;
	if (lowers_marks)
		restore_marks();
	/* Nobody has to be killed then. */
	*(unsigned long *)freed += 1;
	return stops ? NOTIFY_STOP : NOTIFY_OK;
}

static int notified_later(struct notifier_block *nb, unsigned long unused, void *freed)
{
	nr_second += !!*(unsigned long *)freed;
	return NOTIFY_OK;
}

static struct notifier_block notifier = { .notifier_call = notified, .priority = 1 };
static struct notifier_block later = { .notifier_call = notified_later };

static void notifiers_start(struct kunit *test, bool lower)
{
	nr_notified = 0;
	nr_second = 0;
	lowers_marks = lower;
	stops = false;
	KUNIT_ASSERT_EQ(test, register_oom_notifier(&later), 0);
	KUNIT_ASSERT_EQ(test, register_oom_notifier(&notifier), 0);
}

static void notifiers_stop(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, unregister_oom_notifier(&later), 0);
	KUNIT_EXPECT_EQ(test, unregister_oom_notifier(&notifier), 0);
	KUNIT_EXPECT_EQ(test, unregister_oom_notifier(&notifier), -ENOENT);
}

/* A request that could have a process killed calls the notifiers first, and tries again. */
static void who_has_notifiers_called(struct kunit *test)
{
	static const gfp_t gfps[] = { GFP_KERNEL, GFP_ALONE, GFP_NOFS, GFP_NOIO, GFP_USER,
				      GFP_KERNEL | __GFP_HIGH, GFP_KERNEL | __GFP_NOMEMALLOC };

	notifiers_start(test, true);
	for (unsigned int i = 0; i < ARRAY_SIZE(gfps); i++) {
		for (unsigned int order = 0; order <= PAGE_ALLOC_COSTLY_ORDER; order++) {
			nr_notified = 0;
			/* With __GFP_HIGH half of the mark counts. */
			KUNIT_EXPECT_TRUE(test, ask((long)free_now() + FAR, gfps[i], order));
			KUNIT_EXPECT_EQ_MSG(test, nr_notified, 1, "gfp %#x order %u",
					    (__force u32)gfps[i], order);
		}
	}
	notifiers_stop(test);
}

/* The flag counts as the zone that it means: where there is one zone, that is Normal. */
static void low_zones_that_are_normal(struct kunit *test)
{
	static const gfp_t gfps[] = { GFP_KERNEL | __GFP_DMA, GFP_KERNEL | __GFP_DMA32 };

	notifiers_start(test, true);
	for (unsigned int i = 0; i < ARRAY_SIZE(gfps); i++) {
		KUNIT_ASSERT_EQ(test, (int)gfp_zone(gfps[i]), (int)ZONE_NORMAL);
		nr_notified = 0;
		KUNIT_EXPECT_TRUE(test, ask(FAR, gfps[i], 0));
		KUNIT_EXPECT_EQ(test, nr_notified, 1);
	}
	notifiers_stop(test);
}

static void who_has_nobody_called(struct kunit *test)
{
	static const gfp_t gfps[] = { GFP_NOWAIT, GFP_KERNEL | __GFP_NORETRY,
				      GFP_KERNEL | __GFP_RETRY_MAYFAIL,
				      GFP_KERNEL | __GFP_THISNODE, __GFP_NOMEMALLOC };

	notifiers_start(test, true);
	for (unsigned int i = 0; i < ARRAY_SIZE(gfps); i++)
		KUNIT_EXPECT_FALSE(test, ask(FAR, gfps[i], 0));
	for (unsigned int order = PAGE_ALLOC_COSTLY_ORDER + 1; order <= MAX_PAGE_ORDER; order++)
		KUNIT_EXPECT_FALSE(test, ask(FAR, GFP_KERNEL, order));
	KUNIT_EXPECT_FALSE(test, ask(FAR, GFP_KERNEL, MAX_PAGE_ORDER + 1));
	KUNIT_EXPECT_EQ(test, nr_notified, 0);
	notifiers_stop(test);
}

/* By priority, until one says stop; each adds to what the others freed. */
static void notifiers_in_order(struct kunit *test)
{
	notifiers_start(test, true);
	KUNIT_EXPECT_TRUE(test, ask(FAR, GFP_KERNEL, 0));
	KUNIT_EXPECT_EQ(test, nr_notified, 1);
	KUNIT_EXPECT_EQ(test, nr_second, 1);
	stops = true;
	KUNIT_EXPECT_TRUE(test, ask(FAR, GFP_KERNEL, 0));
	KUNIT_EXPECT_EQ(test, nr_notified, 2);
	KUNIT_EXPECT_EQ(test, nr_second, 1);
	notifiers_stop(test);
}

/* As long as a notifier says that it freed something the request goes on. */
static int notified_until(struct notifier_block *nb, unsigned long unused, void *freed)
{
	if (++nr_notified == 5)
		restore_marks();
	*(unsigned long *)freed += 1;
	return NOTIFY_OK;
}

static void goes_on_while_told_so(struct kunit *test)
{
	struct notifier_block nb = { .notifier_call = notified_until };

	nr_notified = 0;
	KUNIT_ASSERT_EQ(test, register_oom_notifier(&nb), 0);
	KUNIT_EXPECT_TRUE(test, ask(FAR, GFP_KERNEL, 0));
	KUNIT_EXPECT_EQ(test, unregister_oom_notifier(&nb), 0);
	KUNIT_EXPECT_EQ(test, nr_notified, 5);
}

/* A request that must not fail may then use the reserves, whatever the marks are. */
static void nofail_has_the_reserves(struct kunit *test)
{
	notifiers_start(test, false);
	KUNIT_EXPECT_TRUE(test, ask(FAR, GFP_KERNEL | __GFP_NOFAIL, 0));
	KUNIT_EXPECT_EQ(test, nr_notified, 1);
	KUNIT_EXPECT_TRUE(test, ask(FAR, GFP_NOFS | __GFP_NOFAIL, 1));
	KUNIT_EXPECT_EQ(test, nr_notified, 2);
	notifiers_stop(test);
}

static struct kunit_case reclaim_cases[] = {
	KUNIT_CASE(a_new_shrinker),
	KUNIT_CASE(memcg_aware_without_memcg),
	KUNIT_CASE(only_allocated_ones),
	KUNIT_CASE(amounts_by_priority),
	KUNIT_CASE(amounts_by_seeks),
	KUNIT_CASE(amounts_without_seeks),
	KUNIT_CASE(amounts_by_batch),
	KUNIT_CASE(work_is_deferred),
	KUNIT_CASE(looked_at_counts),
	KUNIT_CASE(empty_is_not_scanned),
	KUNIT_CASE(who_asks),
	KUNIT_CASE(who_does_not_ask),
	KUNIT_CASE(shrinkers_may_allocate),
	KUNIT_CASE(shrinkers_make_room),
	KUNIT_CASE(one_round),
	KUNIT_CASE(who_has_notifiers_called),
	KUNIT_CASE(low_zones_that_are_normal),
	KUNIT_CASE(who_has_nobody_called),
	KUNIT_CASE(notifiers_in_order),
	KUNIT_CASE(goes_on_while_told_so),
	KUNIT_CASE(nofail_has_the_reserves),
	{}
};

static struct kunit_suite reclaim_suite = {
	.name = "conformance_page_reclaim",
	.init = reclaim_init,
	.exit = reclaim_exit,
	.test_cases = reclaim_cases,
};
kunit_test_suite(reclaim_suite);
MODULE_DESCRIPTION("shrinkers and notifiers");
MODULE_LICENSE("Dual MIT/GPL");
