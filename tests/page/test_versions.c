/* SPDX-License-Identifier: MIT */
/*
 * Rules that changed with a version of Linux, each by the version before and the version of the
 * change. Each in a child, because linux_version is written before there are pages.
 */
#include "base/linux_version.h"
#include "os/os.h"
#include "page/debug/page_report.h"
#include "page/migratetype.h"
#include "page/pageblock.h"
#include "page/reclaim/reclaim.h"
#include "support/child.h"
#include "support/kernel.h"
#include "support/text.h"
#include "support/threads.h"
#include "support/zones.h"

/* The smallest order that Linux has no CPU lists for. */
#define UNLISTED_ORDER (PAGE_ALLOC_COSTLY_ORDER + 1)
#define STALL_MS 10
/* May wait, and wakes nobody. */
#define GFP_ALONE (__GFP_DIRECT_RECLAIM | __GFP_IO | __GFP_FS)
/*
 * The shrinker's pages, those that it frees in the first round of reclaim, and the number that it
 * claims.
 */
#define SHRINKER_PAGES 1000
#define FIRST_PAGES 100
#define PROMISED_PAGES 4000

static struct zone *normal_zone(void)
{
	return zone_at(0, ZONE_NORMAL);
}

static struct page *must_take(struct kunit *test, gfp_t gfp, unsigned int order)
{
	struct page *page = alloc_pages(gfp | __GFP_NOWARN, order);

	KUNIT_ASSERT_NOT_NULL(test, page);
	return page;
}

/* A function that is run once by the rules of `before` and once by those of `since`. */
struct rule {
	unsigned int before, since;
	const char *options;
	void (*fn)(struct kunit *test, bool is_new);
	bool is_new;
};

static void follow(struct kunit *test, void *arg)
{
	const struct rule *rule = arg;
	const char *error = NULL;

	linux_version = rule->is_new ? rule->since : rule->before;
	KUNIT_ASSERT_EQ(test, usermm_set_options(rule->options, &error), 0);
	KUNIT_ASSERT_EQ(test, page_init(), 0);
	test_pin(0);
	rule->fn(test, rule->is_new);
}

/* The report has `text` at least once under the rule that demands it, and never under the other. */
static void expect_both(struct kunit *test, struct rule rule, const char *text, bool new_says_it)
{
	for (unsigned int i = 0; i < 2; i++) {
		struct child_result result;

		rule.is_new = i;
		child_run(test, follow, &rule, &result);
		KUNIT_EXPECT_EQ_MSG(test, result.status, 0, "new %u: %s", i, result.err);
		if (text)
			KUNIT_EXPECT_EQ_MSG(test, count_text(result.err, text) > 0,
					    rule.is_new == new_says_it, "new %u: %s", i,
					    result.err);
	}
}

/* --- Fragments (6.13) ----------------------------------------------------------------------- */

static void fragments(struct kunit *test, bool is_new)
{
	struct page_frag_cache cache = { 0 };
	char *first = page_frag_alloc(&cache, 300, GFP_KERNEL), *block = cache.va;
	char *second = page_frag_alloc_align(&cache, 10, GFP_KERNEL, 256);
	char *large, *small;

	KUNIT_ASSERT_EQ(test, cache.size, 8 * PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, first - block, is_new ? 0 : 8 * PAGE_SIZE - 300);
	KUNIT_EXPECT_EQ(test, second - block, is_new ? 512 : 8 * PAGE_SIZE - 512);
	/* The rest of the block is too short. */
	large = page_frag_alloc(&cache, 8 * PAGE_SIZE - 500, GFP_KERNEL);
	KUNIT_EXPECT_EQ(test, large != NULL, !is_new);
	small = page_frag_alloc(&cache, 100, GFP_KERNEL);
	KUNIT_EXPECT_EQ(test, cache.va == block, is_new);
	KUNIT_EXPECT_NULL(test, page_frag_alloc(&cache, UINT32_MAX, GFP_KERNEL));
	KUNIT_EXPECT_NULL(test, page_frag_alloc(&cache, 8 * PAGE_SIZE + 1, GFP_KERNEL));
	page_frag_free(first);
	page_frag_free(second);
	page_frag_free(small);
	if (large)
		page_frag_free(large);
	/* All pieces but the cache's own are free: the block begins anew. */
	block = cache.va;
	first = page_frag_alloc(&cache, PAGE_SIZE, GFP_KERNEL);
	for (unsigned int i = 0; i < 20; i++) {
		page_frag_free(first);
		first = page_frag_alloc(&cache, PAGE_SIZE, GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, first);
		KUNIT_ASSERT_PTR_EQ(test, cache.va, block);
		memset(first, 1, PAGE_SIZE);
	}
	page_frag_free(first);
	page_frag_cache_drain(&cache);
	zones_drain();
	zones_check_whole(test);
}

static void test_versions_fragments(struct kunit *test)
{
	expect_both(test, (struct rule){ LINUX_VERSION_OF(6, 12), LINUX_VERSION_OF(6, 13),
					 "zone_normal=64M", fragments, false }, NULL, false);
}

/* --- Requests that must not fail (6.19) ----------------------------------------------------- */

/* Between the low mark and the minimum, so that the request is looked at, and served. */
static void insist(struct kunit *test, bool is_new)
{
	struct zone *z = normal_zone();
	struct hoard hoard;

	(void)is_new;
	hoard_init(&hoard);
	hoard_take(&hoard, GFP_KERNEL, 0, 0, NULL, z->free_pages - wmark_pages(z, WMARK_LOW));
	must_take(test, GFP_KERNEL | __GFP_NOFAIL, 2);
}

static void test_versions_nofail(struct kunit *test)
{
	expect_both(test, (struct rule){ LINUX_VERSION_OF(6, 18), LINUX_VERSION_OF(6, 19),
					 "zone_normal=64M:pcp=off:background=off", insist, false },
		    "__GFP_NOFAIL with order 2", false);
}

/* --- Atomic requests of high orders (7.1, 7.3) ----------------------------------------------- */

/* The zone's third pageblock is kept for atomic requests; nobody has used it. */
static void keep_pageblock(struct zone *z)
{
	pageblock_convert(pfn_to_page(z->start_pfn + 2 * PAGEBLOCK_PAGES), MIGRATE_HIGHATOMIC);
	z->nr_reserved_highatomic = PAGEBLOCK_PAGES;
}

static bool is_reserved(const struct page *page)
{
	return get_pageblock_migratetype(page) == MIGRATE_HIGHATOMIC;
}

/* When memory is short: by the old rule this CPU's list is filled before the reserve is used. */
static void do_not_refill(struct kunit *test, bool is_new)
{
	struct zone *z = normal_zone();
	struct page *page;

	keep_pageblock(z);
	zones_set_min_free(z->managed_pages / 16 * 15);
	drain_all_pages(NULL);
	page = must_take(test, GFP_ATOMIC, 2);
	/* By the old rule another pageblock is kept: that of the block. */
	KUNIT_EXPECT_EQ(test, z->nr_reserved_highatomic, (is_new ? 1 : 2) * PAGEBLOCK_PAGES);
	KUNIT_EXPECT_TRUE(test, is_reserved(page));
	KUNIT_EXPECT_EQ(test, page_to_pfn(page) >= z->start_pfn + 2 * PAGEBLOCK_PAGES &&
			      page_to_pfn(page) < z->start_pfn + 3 * PAGEBLOCK_PAGES, is_new);
	zones_check_lists(test);
}

/* When there is enough memory. */
static void first_attempt_takes_reserved(struct kunit *test, bool is_new)
{
	struct zone *z = normal_zone();

	keep_pageblock(z);
	for (unsigned int order = 1; order <= UNLISTED_ORDER; order++) {
		KUNIT_EXPECT_EQ(test, is_reserved(must_take(test, GFP_ATOMIC, order)), is_new);
		KUNIT_EXPECT_FALSE(test, is_reserved(must_take(test, GFP_NOWAIT, order)));
		KUNIT_EXPECT_FALSE(test, is_reserved(must_take(test, GFP_KERNEL | __GFP_HIGH,
							       order)));
		KUNIT_EXPECT_FALSE(test, is_reserved(must_take(test, GFP_ATOMIC | __GFP_NOMEMALLOC,
							       order)));
	}
	KUNIT_EXPECT_FALSE(test, is_reserved(must_take(test, GFP_ATOMIC, 0)));
	/* And no more of them are kept for that. */
	KUNIT_EXPECT_EQ(test, z->nr_reserved_highatomic, PAGEBLOCK_PAGES);
	zones_check_lists(test);
}

static void test_versions_atomic(struct kunit *test)
{
	expect_both(test, (struct rule){ LINUX_VERSION_OF(7, 0), LINUX_VERSION_OF(7, 1),
					 "zone_normal=256M:background=off", do_not_refill, false },
		    NULL, false);
	expect_both(test, (struct rule){ LINUX_VERSION_OF(7, 2), LINUX_VERSION_OF(7, 3),
					 "zone_normal=256M:pcp=off:background=off",
					 first_attempt_takes_reserved, false }, NULL, false);
}

/* --- Stalls (7.2) ---------------------------------------------------------------------------- */

static LIST_HEAD(reclaimable);
static unsigned int stall_ms;
static unsigned int nr_asked, nr_freed;
static bool has_slept;

static unsigned long count_reclaimable(struct shrinker *shrinker, struct shrink_control *sc)
{
	(void)shrinker;
	(void)sc;
	nr_asked++;
	return list_empty(&reclaimable) ? 0 : PROMISED_PAGES;
}

/* The first call takes longer than a request may wait unnoticed. */
static unsigned long reclaim_slowly(struct shrinker *shrinker, struct shrink_control *sc)
{
	struct page *page;

	(void)shrinker;
	if (!has_slept)
		os_sleep_us(3 * STALL_MS * 1000);
	has_slept = true;
	if (nr_asked <= RECLAIM_PRIORITY_LIGHTEST + 1 && nr_freed >= FIRST_PAGES)
		return SHRINK_STOP;
	nr_freed++;
	if (list_empty(&reclaimable))
		return SHRINK_STOP;
	page = list_first_entry(&reclaimable, struct page, lru);
	list_del(&page->lru);
	__free_page(page);
	sc->nr_scanned = 1;
	return 1;
}

/* Leaves free pages to the shrinker alone: more than the minimum, which takes several rounds. */
static void wait_for_a_page(struct kunit *test, gfp_t gfp)
{
	struct shrinker *shrinker = shrinker_alloc(0, "slow");
	struct page *page, *next;
	struct hoard hoard;
	unsigned int nr = 0;

	KUNIT_ASSERT_NOT_NULL(test, shrinker);
	page_stall_ms = stall_ms;
	hoard_init(&hoard);
	hoard_take_all(&hoard, __GFP_MEMALLOC, 0);
	page = list_first_entry(&hoard.blocks[0], struct page, lru);
	for (; &page->lru != &hoard.blocks[0] && nr < SHRINKER_PAGES; page = next) {
		next = list_entry(page->lru.next, struct page, lru);
		list_del(&page->lru);
		list_add(&page->lru, &reclaimable);
		nr++;
	}
	shrinker->count_objects = count_reclaimable;
	shrinker->scan_objects = reclaim_slowly;
	shrinker->batch = 1;
	shrinker_register(shrinker);
	KUNIT_EXPECT_NOT_NULL(test, alloc_page(gfp | GFP_ALONE | __GFP_RETRY_MAYFAIL));
	shrinker_free(shrinker);
}

static void stall(struct kunit *test, bool is_new)
{
	(void)is_new;
	wait_for_a_page(test, 0);
}

static void stall_quietly(struct kunit *test, bool is_new)
{
	(void)is_new;
	wait_for_a_page(test, __GFP_NOWARN);
}

/* Said after so long a wait, with the order; not of quiet requests, nor of short waits. */
static void test_versions_stall(struct kunit *test)
{
	struct rule rule = { LINUX_VERSION_OF(7, 1), LINUX_VERSION_OF(7, 2),
			     "zone_normal=16M:min_free_kbytes=2048:pcp=off:background=off", stall,
			     false };
	struct child_result result;

	KUNIT_EXPECT_EQ(test, page_stall_ms, 10000);
	stall_ms = STALL_MS;
	expect_both(test, rule, "page allocation stall for 0 secs: order:0, mode:", true);
	rule.is_new = true;
	rule.fn = stall_quietly;
	child_run(test, follow, &rule, &result);
	KUNIT_EXPECT_EQ_MSG(test, result.status, 0, "%s", result.err);
	KUNIT_EXPECT_EQ_MSG(test, count_text(result.err, "stall"), 0, "%s", result.err);
	stall_ms = 1000000;
	rule.fn = stall;
	child_run(test, follow, &rule, &result);
	KUNIT_EXPECT_EQ_MSG(test, result.status, 0, "%s", result.err);
	KUNIT_EXPECT_EQ_MSG(test, count_text(result.err, "stall"), 0, "%s", result.err);
}

/*
 * --- Values that owners leave in tail pages (7.3)
 * --------------------------------------------------------
 */

static void leave_private(struct kunit *test, bool is_new)
{
	struct page *page = must_take(test, GFP_KERNEL | __GFP_COMP, 2);
	unsigned long before;

	zones_drain();
	before = nodes_free_pages();
	page[2].private = 1;
	__free_pages(page, 2);
	zones_drain();
	/* A block in such a state is never handed out again. */
	KUNIT_EXPECT_EQ(test, nodes_free_pages() - before, is_new ? 0 : 4);
	zones_check_lists(test);
}

/* In a block's first page it is no mistake, nor later when that page is a tail. */
static void leave_private_in_heads(struct kunit *test, bool is_new)
{
	struct page *pages[4], *block = must_take(test, GFP_KERNEL, 2);

	(void)is_new;
	split_page(block, 2);
	for (unsigned int i = 0; i < 4; i++) {
		block[i].private = 7;
		pages[i] = block + i;
	}
	free_pages_bulk(pages, 4);
	zones_drain();
	for (unsigned int order = 1; order <= MAX_PAGE_ORDER; order++)
		__free_pages(must_take(test, GFP_KERNEL | __GFP_COMP, order), order);
	zones_drain();
	zones_check_whole(test);
}

static void test_versions_private(struct kunit *test)
{
	struct rule rule = { LINUX_VERSION_OF(7, 2), LINUX_VERSION_OF(7, 3),
			     "zone_normal=64M:bad_page=report:page_poison=1", leave_private,
			     false };
	struct child_result result;

	expect_both(test, rule, "nonzero private", true);
	rule.fn = leave_private_in_heads;
	rule.is_new = true;
	child_run(test, follow, &rule, &result);
	KUNIT_EXPECT_EQ_MSG(test, result.status, 0, "%s", result.err);
	KUNIT_EXPECT_EQ_MSG(test, count_text(result.err, "private"), 0, "%s", result.err);
	/* Without a hook that checks pages it is not noticed. */
	rule.fn = leave_private;
	rule.is_new = false;
	rule.before = LINUX_VERSION_OF(7, 3);
	rule.options = "zone_normal=64M:bad_page=report";
	CHILD_EXPECT_SUCCESS(test, follow, &rule);
}

static struct kunit_case versions_cases[] = {
	KUNIT_CASE(test_versions_fragments),
	KUNIT_CASE(test_versions_nofail),
	KUNIT_CASE(test_versions_atomic),
	KUNIT_CASE(test_versions_stall),
	KUNIT_CASE(test_versions_private),
	{ 0 },
};

static struct kunit_suite versions_suite = {
	.name = "page_versions",
	.test_cases = versions_cases,
};

kunit_test_suite(versions_suite);
