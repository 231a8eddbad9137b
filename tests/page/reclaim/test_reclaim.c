/* SPDX-License-Identifier: MIT */
/*
 * Running short of memory with a cache that can shrink, in a budget of 64 MiB: which requests are
 * served, wait or fail; and what follows when reclaim does not help.
 */
#include <sys/wait.h>
#include <unistd.h>

#include "page/zone.h"
#include "support/child.h"
#include "support/kernel.h"
#include "support/text.h"
#include "support/threads.h"

#define BUDGET_PAGES (64UL << 20 >> PAGE_SHIFT)

static int set_small_budget(struct kunit_suite *suite)
{
	const char *error = NULL;

	(void)suite;
	test_pin(0);
	return usermm_set_options("limit=64M:background=off", &error);
}

static struct page *hoard[BUDGET_PAGES + 1];
static unsigned long nr_hoarded;

static unsigned long take_all(gfp_t gfp)
{
	unsigned long start = nr_hoarded;
	struct page *page;

	while (nr_hoarded < BUDGET_PAGES && (page = alloc_page(gfp | __GFP_NOWARN)))
		hoard[nr_hoarded++] = page;
	return nr_hoarded - start;
}

static void give_all(void)
{
	while (nr_hoarded)
		__free_page(hoard[--nr_hoarded]);
	drain_all_pages(NULL);
}

/* --- A cache of pages, the least recently used of which can go ----------------- */

struct lru {
	struct shrinker *shrinker;
	struct list_head pages;
	unsigned long nr, evicted;
	unsigned int depth, deepest;	/* calls within calls */
	unsigned long nested;		/* pages that scan_objects() got for itself */
	gfp_t gfp;			/* of the last request that asked */
	bool need_fs, allocates;
};

static unsigned long lru_count(struct shrinker *shrinker, struct shrink_control *sc)
{
	struct lru *lru = shrinker->private_data;

	lru->gfp = sc->gfp_mask;
	return lru->nr;
}

static unsigned long lru_scan(struct shrinker *shrinker, struct shrink_control *sc)
{
	struct lru *lru = shrinker->private_data;
	unsigned long freed = 0;

	if (lru->need_fs && !(sc->gfp_mask & __GFP_FS))
		return SHRINK_STOP;
	if (++lru->depth > lru->deepest)
		lru->deepest = lru->depth;
	if (lru->allocates) {
		struct page *own = alloc_page(GFP_KERNEL | __GFP_NOWARN);

		lru->nested += own != NULL;
		if (own)
			__free_page(own);
	}
	for (; freed < sc->nr_to_scan && lru->nr; freed++) {
		struct page *page = list_last_entry(&lru->pages, struct page, lru);

		list_del(&page->lru);
		lru->nr--;
		__free_page(page);
	}
	lru->evicted += freed;
	lru->depth--;
	return freed;
}

static void lru_start(struct kunit *test, struct lru *lru)
{
	*lru = (struct lru){ .pages = LIST_HEAD_INIT(lru->pages) };
	lru->shrinker = shrinker_alloc(0, "lru");
	KUNIT_ASSERT_NOT_NULL(test, lru->shrinker);
	lru->shrinker->count_objects = lru_count;
	lru->shrinker->scan_objects = lru_scan;
	lru->shrinker->private_data = lru;
	shrinker_register(lru->shrinker);
}

/* So many pages; false if one could not be had. */
static bool lru_fill(struct lru *lru, unsigned long nr, gfp_t gfp)
{
	for (; nr; nr--) {
		struct page *page = alloc_page(gfp | __GFP_NOWARN);

		if (!page)
			return false;
		list_add(&page->lru, &lru->pages);
		lru->nr++;
	}
	return true;
}

static void lru_stop(struct lru *lru)
{
	shrinker_free(lru->shrinker);
	while (lru->nr) {
		struct page *page = list_first_entry(&lru->pages, struct page, lru);

		list_del(&page->lru);
		lru->nr--;
		__free_page(page);
	}
	drain_all_pages(NULL);
}

static void check_all_free(struct kunit *test)
{
	struct usermm_stats stats;

	usermm_stats_read(&stats);
	KUNIT_EXPECT_EQ(test, stats.free_bytes + stats.pcp_bytes, BUDGET_PAGES * PAGE_SIZE);
}

/* Three budgets' worth goes through the cache, and no request fails. */
static void test_reclaim_lru(struct kunit *test)
{
	struct lru lru;

	lru_start(test, &lru);
	KUNIT_EXPECT_TRUE(test, lru_fill(&lru, 3 * BUDGET_PAGES, GFP_KERNEL));
	KUNIT_EXPECT_GT(test, lru.evicted, 2 * BUDGET_PAGES - 1);
	KUNIT_EXPECT_GT_MSG(test, lru.nr, BUDGET_PAGES / 2, "more was taken than needed");
	KUNIT_EXPECT_EQ(test, lru.deepest, 1);
	lru_stop(&lru);
	check_all_free(test);
}

static void test_reclaim_who_is_served(struct kunit *test)
{
	struct page *atomic[16], *page;
	struct lru lru;

	lru_start(test, &lru);
	KUNIT_ASSERT_TRUE(test, lru_fill(&lru, BUDGET_PAGES / 2, GFP_KERNEL));
	take_all(GFP_NOWAIT);
	KUNIT_EXPECT_EQ_MSG(test, lru.evicted, 0, "a request that may not wait reclaimed");
	KUNIT_EXPECT_NULL(test, alloc_page(GFP_NOWAIT));
	for (unsigned int i = 0; i < 16; i++) {
		atomic[i] = alloc_page(GFP_ATOMIC);
		KUNIT_EXPECT_NOT_NULL(test, atomic[i]);
	}
	KUNIT_EXPECT_EQ(test, lru.evicted, 0);
	KUNIT_EXPECT_NULL(test, alloc_page(GFP_NOWAIT));
	page = alloc_page(GFP_KERNEL);
	KUNIT_EXPECT_NOT_NULL(test, page);
	KUNIT_EXPECT_GT(test, lru.evicted, 0);
	KUNIT_EXPECT_LT_MSG(test, lru.evicted, BUDGET_PAGES / 4, "more was taken than needed");
	if (page)
		__free_page(page);
	page = alloc_page(GFP_NOWAIT);
	KUNIT_EXPECT_NOT_NULL_MSG(test, page, "the way is free again");
	if (page)
		__free_page(page);
	for (unsigned int i = 0; i < 16; i++)
		if (atomic[i])
			__free_page(atomic[i]);
	give_all();
	lru_stop(&lru);
	check_all_free(test);
}

/* A shrinker's own requests come from the reserves, and reclaim nothing. */
static void test_reclaim_shrinker_allocates(struct kunit *test)
{
	struct page *page;
	struct lru lru;

	lru_start(test, &lru);
	lru.allocates = true;
	KUNIT_ASSERT_TRUE(test, lru_fill(&lru, BUDGET_PAGES / 4, GFP_KERNEL));
	take_all(GFP_NOWAIT);
	page = alloc_page(GFP_KERNEL);
	KUNIT_EXPECT_NOT_NULL(test, page);
	KUNIT_EXPECT_GT(test, lru.nested, 0);
	KUNIT_EXPECT_EQ(test, lru.deepest, 1);
	if (page)
		__free_page(page);
	give_all();
	lru_stop(&lru);
	check_all_free(test);
}

static void expect_mask(struct kunit *test, struct lru *lru, gfp_t gfp, gfp_t expected, int line)
{
	struct page *page;

	lru->gfp = 0;
	take_all(GFP_NOWAIT);
	page = alloc_page(gfp);
	KUNIT_EXPECT_EQ_MSG(test, lru->gfp, expected, "line %d", line);
	if (page)
		__free_page(page);
}

/* A request may do only what its thread's scopes allow. */
static void test_reclaim_scopes(struct kunit *test)
{
	unsigned int outer, inner, pin;
	struct lru lru;

	lru_start(test, &lru);
	KUNIT_ASSERT_TRUE(test, lru_fill(&lru, BUDGET_PAGES / 2, GFP_KERNEL));
	expect_mask(test, &lru, GFP_KERNEL, GFP_KERNEL, __LINE__);
	expect_mask(test, &lru, GFP_NOFS, GFP_NOFS, __LINE__);
	outer = memalloc_nofs_save();
	expect_mask(test, &lru, GFP_KERNEL, GFP_NOFS, __LINE__);
	inner = memalloc_nofs_save();
	memalloc_nofs_restore(inner);
	expect_mask(test, &lru, GFP_KERNEL, GFP_NOFS, __LINE__);
	inner = memalloc_noio_save();
	expect_mask(test, &lru, GFP_KERNEL, GFP_NOIO, __LINE__);
	memalloc_noio_restore(inner);
	memalloc_nofs_restore(outer);
	pin = memalloc_pin_save();
	expect_mask(test, &lru, GFP_HIGHUSER_MOVABLE, GFP_HIGHUSER_MOVABLE & ~__GFP_MOVABLE,
		    __LINE__);
	memalloc_pin_restore(pin);
	expect_mask(test, &lru, GFP_HIGHUSER_MOVABLE, GFP_HIGHUSER_MOVABLE, __LINE__);
	gfp_allowed_mask = __GFP_BITS_MASK & ~__GFP_FS;
	expect_mask(test, &lru, GFP_KERNEL, GFP_NOFS, __LINE__);
	gfp_allowed_mask = __GFP_BITS_MASK;
	/* In this scope no shrinker is asked, and the reserves are open. */
	outer = memalloc_noreclaim_save();
	lru.gfp = 0;
	KUNIT_EXPECT_GT(test, take_all(GFP_KERNEL), budget_zone()->watermark[WMARK_MIN] / 2);
	KUNIT_EXPECT_EQ(test, lru.gfp, 0);
	memalloc_noreclaim_restore(outer);
	KUNIT_EXPECT_EQ(test, current_gfp_context(GFP_KERNEL), GFP_KERNEL);
	give_all();
	lru_stop(&lru);
	check_all_free(test);
}

/* A shrinker that needs __GFP_FS refuses other requests; such a request still ends. */
static void test_reclaim_without_fs(struct kunit *test)
{
	struct page *page;
	struct lru lru;

	lru_start(test, &lru);
	lru.need_fs = true;
	KUNIT_ASSERT_TRUE(test, lru_fill(&lru, BUDGET_PAGES / 2, GFP_KERNEL));
	take_all(GFP_NOWAIT);
	KUNIT_EXPECT_NULL(test, alloc_page(GFP_NOFS | __GFP_NOWARN));
	KUNIT_EXPECT_EQ(test, lru.evicted, 0);
	page = alloc_page(GFP_KERNEL);
	KUNIT_EXPECT_NOT_NULL(test, page);
	if (page)
		__free_page(page);
	give_all();
	lru_stop(&lru);
	check_all_free(test);
}

static unsigned long liar_count(struct shrinker *shrinker, struct shrink_control *sc)
{
	(void)shrinker;
	(void)sc;
	return 1000;
}

static unsigned long nr_asked;

/* private_data: the number that it claims to have freed. */
static unsigned long liar_scan(struct shrinker *shrinker, struct shrink_control *sc)
{
	nr_asked++;
	return shrinker->private_data ? sc->nr_to_scan : 0;
}

static unsigned long asked_for(struct kunit *test, gfp_t gfp, unsigned int order)
{
	nr_asked = 0;
	KUNIT_EXPECT_NULL(test, alloc_pages(gfp | __GFP_NOWARN, order));
	return nr_asked;
}

/* A shrinker that frees nothing, whatever it returns, is asked often, but not for ever. */
static void test_reclaim_in_vain(struct kunit *test)
{
	struct shrinker *liar = shrinker_alloc(0, "liar");
	unsigned long once;

	KUNIT_ASSERT_NOT_NULL(test, liar);
	liar->count_objects = liar_count;
	liar->scan_objects = liar_scan;
	shrinker_register(liar);
	take_all(GFP_NOWAIT);
	asked_for(test, GFP_KERNEL | __GFP_NORETRY, 0);	/* from here on work is left undone */
	once = asked_for(test, GFP_KERNEL | __GFP_NORETRY, 0);
	KUNIT_EXPECT_GT(test, once, 0);
	KUNIT_EXPECT_GT(test, asked_for(test, GFP_KERNEL, 0), 8 * once);
	KUNIT_EXPECT_GT(test, asked_for(test, GFP_KERNEL | __GFP_RETRY_MAYFAIL, 0), 8 * once);
	/* An order of which there is no block, too large to hope for one: one round. */
	KUNIT_EXPECT_LE(test, asked_for(test, GFP_KERNEL, 9), once + once / 4);
	KUNIT_EXPECT_LE(test, asked_for(test, GFP_KERNEL | __GFP_RETRY_MAYFAIL, 9),
			once + once / 4);
	liar->private_data = liar;
	KUNIT_EXPECT_GT(test, asked_for(test, GFP_KERNEL, 0), 0);
	shrinker_free(liar);
	give_all();
	check_all_free(test);
}

/* --- When reclaim does not help -------------------------------------------------------- */

static unsigned int nr_notified, nr_victims, notified_order[4];
static struct page *kept[600];
static unsigned long nr_kept;

static void keep(struct kunit *test, unsigned long nr)
{
	for (; nr; nr--) {
		kept[nr_kept] = alloc_page(GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, kept[nr_kept]);
		nr_kept++;
	}
}

static unsigned long give_kept(unsigned long nr)
{
	unsigned long given = 0;

	for (; given < nr && nr_kept; given++)
		__free_page(kept[--nr_kept]);
	return given;
}

static int notified_first(struct notifier_block *nb, unsigned long action, void *data)
{
	(void)nb;
	(void)action;
	(void)data;
	notified_order[nr_notified++ % 4] = 1;
	return NOTIFY_OK;
}

static int notified_second(struct notifier_block *nb, unsigned long action, void *data)
{
	(void)nb;
	(void)action;
	notified_order[nr_notified++ % 4] = 2;
	*(unsigned long *)data += give_kept(100);
	return NOTIFY_OK;
}

static void test_reclaim_notifiers(struct kunit *test)
{
	struct notifier_block second = { .notifier_call = notified_second };
	struct notifier_block first = { .notifier_call = notified_first, .priority = 1 };
	struct page *page;

	keep(test, 100);
	KUNIT_EXPECT_EQ(test, register_oom_notifier(&second), 0);
	KUNIT_EXPECT_EQ(test, register_oom_notifier(&first), 0);
	KUNIT_EXPECT_NE(test, register_oom_notifier(&first), 0);
	take_all(GFP_NOWAIT);
	nr_notified = 0;
	/* For these requests no victim is asked for. */
	KUNIT_EXPECT_NULL(test, alloc_page(GFP_KERNEL | __GFP_NOWARN | __GFP_NORETRY));
	KUNIT_EXPECT_NULL(test, alloc_page(GFP_KERNEL | __GFP_NOWARN | __GFP_RETRY_MAYFAIL));
	KUNIT_EXPECT_NULL(test, alloc_pages(GFP_KERNEL | __GFP_NOWARN, 4));
	KUNIT_EXPECT_EQ(test, nr_notified, 0);
	page = alloc_page(GFP_KERNEL | __GFP_NOWARN);
	KUNIT_EXPECT_NOT_NULL(test, page);
	KUNIT_EXPECT_EQ(test, nr_notified, 2);
	KUNIT_EXPECT_EQ(test, notified_order[0], 1);
	KUNIT_EXPECT_EQ(test, notified_order[1], 2);
	if (page)
		__free_page(page);
	KUNIT_EXPECT_EQ(test, unregister_oom_notifier(&first), 0);
	KUNIT_EXPECT_NE(test, unregister_oom_notifier(&first), 0);
	KUNIT_EXPECT_EQ(test, unregister_oom_notifier(&second), 0);
	give_all();
	check_all_free(test);
}

static bool victim_gives(gfp_t gfp, unsigned int order)
{
	(void)gfp;
	(void)order;
	nr_victims++;
	/* Requests in here reclaim nothing, and do not come here again. */
	__free_page(alloc_page(GFP_KERNEL));
	drain_local_pages(NULL);
	return give_kept(64) != 0;
}

static void test_reclaim_victim(struct kunit *test)
{
	unsigned int before;
	struct page *page;

	usermm_set_oom_victim(victim_gives);
	keep(test, 128);
	take_all(GFP_NOWAIT);
	nr_victims = 0;
	KUNIT_EXPECT_NULL(test, alloc_page(GFP_NOWAIT));
	KUNIT_EXPECT_NULL(test, alloc_page(GFP_KERNEL | __GFP_NOWARN | __GFP_RETRY_MAYFAIL));
	KUNIT_EXPECT_EQ(test, nr_victims, 0);
	page = alloc_page(GFP_KERNEL);
	KUNIT_EXPECT_NOT_NULL(test, page);
	KUNIT_EXPECT_EQ(test, nr_victims, 1);
	if (page)
		__free_page(page);
	take_all(GFP_KERNEL);
	KUNIT_EXPECT_EQ_MSG(test, nr_kept, 0, "as long as there is somebody");
	before = nr_victims;
	KUNIT_EXPECT_NULL(test, alloc_page(GFP_KERNEL | __GFP_NOWARN));
	KUNIT_EXPECT_EQ(test, nr_victims, before + 1);
	/* A victim may use half of the reserve, and its requests ask for no other victim. */
	before = nr_victims;
	usermm_oom_victim_begin();
	KUNIT_EXPECT_GE(test, take_all(GFP_KERNEL), budget_zone()->watermark[WMARK_MIN] / 2 - 1);
	usermm_oom_victim_end();
	KUNIT_EXPECT_EQ(test, nr_victims, before);
	usermm_set_oom_victim(NULL);
	give_all();
	check_all_free(test);
}

static void fail_often(struct kunit *test, void *arg)
{
	(void)arg;
	take_all(GFP_KERNEL);
	for (unsigned int i = 0; i < 50; i++)
		KUNIT_EXPECT_NULL(test, alloc_pages(GFP_KERNEL, i % 4));
}

static void test_reclaim_is_told_once(struct kunit *test)
{
	struct child_result result;
	char mode[64];

	child_run(test, fail_often, NULL, &result);
	KUNIT_EXPECT_EQ(test, result.status, 0);
	KUNIT_EXPECT_EQ(test, count_text(result.err, "page allocation failure: order:0"), 1);
	snprintf(mode, sizeof(mode), "mode:%#x(GFP_KERNEL)", GFP_KERNEL);
	KUNIT_EXPECT_EQ(test, count_text(result.err, mode), 2);
	KUNIT_EXPECT_EQ(test, count_text(result.err, "Out of memory"), 1);
	KUNIT_EXPECT_EQ(test, count_text(result.err, "free:"), 2);
}

static void ask_for_the_impossible(struct kunit *test, void *arg)
{
	(void)arg;
	take_all(GFP_NOWAIT);
	for (unsigned int i = 0; i < 2; i++) {
		struct page *page = alloc_pages(GFP_KERNEL | __GFP_NOFAIL | __GFP_MEMALLOC, 2);

		KUNIT_EXPECT_NULL(test, alloc_page(GFP_NOWAIT | __GFP_NOFAIL));
		KUNIT_EXPECT_NOT_NULL(test, page);
		KUNIT_EXPECT_NULL(test, alloc_pages(GFP_KERNEL, MAX_PAGE_ORDER + 1));
		KUNIT_EXPECT_NULL(test, alloc_pages(GFP_KERNEL, ~0u));
	}
}

static void test_reclaim_warnings(struct kunit *test)
{
	struct child_result result;

	child_run(test, ask_for_the_impossible, NULL, &result);
	KUNIT_EXPECT_EQ_MSG(test, result.status, 0, "%s", result.err);
	KUNIT_EXPECT_EQ(test, count_text(result.err, "__GFP_NOFAIL with order 2"), 1);
	KUNIT_EXPECT_EQ(test, count_text(result.err, "__GFP_NOFAIL without"), 1);
	KUNIT_EXPECT_EQ(test, count_text(result.err, "request of order 11"), 1);
}

/* A request that must not fail gets a part of the reserve if nothing is ever freed. */
static void test_reclaim_nofail_helped(struct kunit *test)
{
	struct page *page;

	take_all(GFP_KERNEL);
	page = alloc_page(GFP_KERNEL | __GFP_NOFAIL | __GFP_NOWARN);
	KUNIT_EXPECT_NOT_NULL(test, page);
	if (page)
		__free_page(page);
	give_all();
	check_all_free(test);
}

static void use_shrinker_in_child(struct kunit *test, void *arg)
{
	struct lru *lru = arg;

	KUNIT_EXPECT_TRUE(test, lru_fill(lru, BUDGET_PAGES, GFP_KERNEL));
	KUNIT_EXPECT_GT(test, lru->evicted, 0);
	lru_stop(lru);
}

static void test_reclaim_fork(struct kunit *test)
{
	struct lru lru;

	lru_start(test, &lru);
	KUNIT_ASSERT_TRUE(test, lru_fill(&lru, 100, GFP_KERNEL));
	CHILD_EXPECT_SUCCESS(test, use_shrinker_in_child, &lru);
	KUNIT_EXPECT_EQ(test, lru.nr, 100);
	lru_stop(&lru);
	check_all_free(test);
}

static struct kunit_case reclaim_cases[] = {
	KUNIT_CASE(test_reclaim_is_told_once),	/* before anything else is told */
	KUNIT_CASE(test_reclaim_lru),
	KUNIT_CASE(test_reclaim_who_is_served),
	KUNIT_CASE(test_reclaim_shrinker_allocates),
	KUNIT_CASE(test_reclaim_scopes),
	KUNIT_CASE(test_reclaim_without_fs),
	KUNIT_CASE(test_reclaim_in_vain),
	KUNIT_CASE(test_reclaim_notifiers),
	KUNIT_CASE(test_reclaim_victim),
	KUNIT_CASE(test_reclaim_warnings),
	KUNIT_CASE(test_reclaim_nofail_helped),
	KUNIT_CASE(test_reclaim_fork),
	{ 0 },
};

static struct kunit_suite reclaim_suite = {
	.name = "reclaim",
	.suite_init = set_small_budget,
	.test_cases = reclaim_cases,
};

kunit_test_suite(reclaim_suite);
