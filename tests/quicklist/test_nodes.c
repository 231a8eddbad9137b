/* SPDX-License-Identifier: MIT */
/*
 * Quicklists where there are several nodes: lists hold pages of their CPU's node, and
 * trimming looks at that node's memory. The nodes are nodes in name only, and the test
 * says which one the thread is on.
 */
#include "base/upward_hooks.h"
#include "page/pageblock.h"
#include "page/pcp/pcp.h"
#include "support/kernel.h"
#include "support/zones.h"

#define NR 50

static unsigned int node;		/* that the thread is on */
static unsigned int nr_ctor, nr_dtor;

static unsigned int tell_node(void)
{
	return node;
}

static void note_ctor(void *page)
{
	((unsigned long *)page)[1] = 0x600d;
	nr_ctor++;
}

/* Pages go back in their state. */
static void note_dtor(void *page)
{
	nr_dtor += ((unsigned long *)page)[0] == 0 && ((unsigned long *)page)[1] == 0x600d;
}

static void move_to(unsigned int nid)
{
	numa_set_node_id_hook(tell_node);
	node = nid;
}

static unsigned int node_of(const void *page)
{
	return page_zone(virt_to_page(page))->node;
}

static void *must_get(struct kunit *test, struct quicklist_cache *cache)
{
	void *page = quicklist_cache_alloc(cache, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, page);
	return page;
}

static void *must_get_of(struct kunit *test, unsigned int nid)
{
	struct page *page = __alloc_pages(GFP_KERNEL | __GFP_ZERO | __GFP_THISNODE, 0, (int)nid,
					  NULL);

	KUNIT_ASSERT_NOT_NULL(test, page);
	return page_address(page);
}

/* A page of another node goes straight back, behind dtor; a local one stays. */
static void check_free(struct kunit *test)
{
	struct quicklist_cache *cache = quicklist_cache_create("nodes", note_ctor, note_dtor);
	struct quicklist_stats stats;

	KUNIT_ASSERT_NOT_NULL(test, cache);
	for (unsigned int home = 0; home < nr_online_nodes; home++) {
		move_to(home);
		for (unsigned int nid = 0; nid < nr_online_nodes; nid++) {
			void *page = must_get_of(test, nid);
			unsigned int before = nr_dtor;

			((unsigned long *)page)[1] = 0x600d;
			quicklist_cache_free(cache, page);
			KUNIT_EXPECT_EQ(test, nr_dtor - before, nid != home);
			quicklist_cache_stats(cache, &stats);
			KUNIT_EXPECT_EQ(test, stats.pages, nid >= home);
			KUNIT_EXPECT_EQ(test, stats.dtors, nr_dtor);
		}
		KUNIT_EXPECT_EQ(test, quicklist_cache_shrink(cache), 1);
	}
	KUNIT_EXPECT_EQ(test, nr_ctor, 0);
	quicklist_cache_destroy(cache);
}

static void test_free_is_local(struct kunit *test)
{
	zones_run(test, "limit=48M:nodes=3", check_free);
}

static void check_numbered(struct kunit *test)
{
	void *page;

	move_to(1);
	page = must_get_of(test, 0);
	((unsigned long *)page)[1] = 0x600d;
	quicklist_free_page(2, note_dtor, virt_to_page(page));
	KUNIT_EXPECT_EQ(test, nr_dtor, 1);
	KUNIT_EXPECT_EQ(test, quicklist_total_size(), 0);
	page = must_get_of(test, 1);
	quicklist_free_page(2, note_dtor, virt_to_page(page));
	KUNIT_EXPECT_EQ(test, nr_dtor, 1);
	KUNIT_EXPECT_EQ(test, quicklist_total_size(), 1);
	KUNIT_EXPECT_PTR_EQ(test, quicklist_alloc(2, GFP_KERNEL, note_ctor), page);
	KUNIT_EXPECT_EQ(test, nr_ctor, 0);
	free_page((unsigned long)page);
}

static void test_numbered_lists(struct kunit *test)
{
	zones_run(test, "limit=32M:nodes=2", check_numbered);
}

/* Pages that were put on the list by somebody of another node are never handed out. */
static void check_alloc(struct kunit *test)
{
	struct quicklist_cache *cache = quicklist_cache_create("nodes", note_ctor, note_dtor);
	struct quicklist_stats stats;
	void *pages[NR];

	KUNIT_ASSERT_NOT_NULL(test, cache);
	move_to(0);
	KUNIT_ASSERT_EQ(test, quicklist_cache_alloc_bulk(cache, GFP_KERNEL, NR, pages), NR);
	for (unsigned int i = 0; i < NR; i++)
		KUNIT_EXPECT_EQ(test, node_of(pages[i]), 0);
	quicklist_cache_free_bulk(cache, NR, pages);
	KUNIT_EXPECT_EQ(test, nr_dtor, 0);
	KUNIT_EXPECT_PTR_EQ(test, must_get(test, cache), pages[NR - 1]);
	KUNIT_EXPECT_EQ_MSG(test, nr_ctor, NR, "no ctor on a hit");
	quicklist_cache_free(cache, pages[NR - 1]);
	move_to(1);
	pages[0] = must_get(test, cache);
	KUNIT_EXPECT_EQ(test, node_of(pages[0]), 1);
	KUNIT_EXPECT_EQ(test, nr_dtor, NR);
	KUNIT_EXPECT_EQ(test, nr_ctor, NR + 1);
	quicklist_cache_free(cache, pages[0]);
	quicklist_cache_stats(cache, &stats);
	KUNIT_EXPECT_EQ(test, stats.pages, 1);
	KUNIT_EXPECT_EQ(test, stats.misses, NR + 1);
	KUNIT_EXPECT_EQ(test, stats.returned, NR);
	quicklist_cache_destroy(cache);
	KUNIT_EXPECT_EQ(test, nr_dtor, NR + 1);
}

static void test_alloc_is_local(struct kunit *test)
{
	zones_run(test, "limit=32M:nodes=2", check_alloc);
}

/* --- Trimming -------------------------------------------------------------------- */

/* Pages of node nid, on this CPU's list 0. */
static void fill(struct kunit *test, unsigned int nid, unsigned long nr)
{
	LIST_HEAD(pages);

	move_to(nid);
	for (unsigned long i = 0; i < nr; i++)
		list_add(&virt_to_page(must_get_of(test, nid))->lru, &pages);
	while (!list_empty(&pages)) {
		struct page *page = list_first_entry(&pages, struct page, lru);

		list_del(&page->lru);
		quicklist_free_page(0, NULL, page);
	}
	KUNIT_ASSERT_EQ(test, quicklist_total_size(), nr);
}

static void empty_list(struct kunit *test)
{
	while (quicklist_total_size()) {
		void *page = quicklist_alloc(0, GFP_KERNEL, NULL);

		KUNIT_ASSERT_NOT_NULL(test, page);
		free_page((unsigned long)page);
	}
	zones_drain();
}

static unsigned long share_of(unsigned int nid)
{
	unsigned long pages = 0;

	for (unsigned int i = ZONE_DMA; i <= ZONE_NORMAL; i++)
		pages += zone_free_pages(zone_at(nid, i));
	return pages / 16;
}

/* The list is long enough that each row frees something, or just nothing. */
static void check_trim_of(struct kunit *test, unsigned int nid)
{
	static const struct { unsigned long min_pages, max_free; } rows[] = {
		{ 0, 10 }, { 0, ~0UL }, { 25, 16 }, { 500, ~0UL }, { 600, ~0UL }, { 599, 5 },
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++) {
		unsigned long keep, expected;

		fill(test, nid, 600);
		zones_drain();
		keep = share_of(nid);
		if (keep < rows[i].min_pages)
			keep = rows[i].min_pages;
		expected = keep < 600 ? 600 - keep : 0;
		if (expected > rows[i].max_free)
			expected = rows[i].max_free;
		quicklist_trim(0, NULL, rows[i].min_pages, rows[i].max_free);
		KUNIT_EXPECT_EQ_MSG(test, quicklist_total_size(), 600 - expected,
				    "node %u, row %u", nid, i);
		empty_list(test);
	}
}

/* The memory of one node is used up, that of the other is free: only the list's own node counts. */
static void check_trim(struct kunit *test)
{
	unsigned long share[2];
	struct hoard hoard;

	hoard_init(&hoard);
	for (unsigned int nid = 0; nid < 2; nid++)
		check_trim_of(test, nid);
	hoard_take(&hoard, GFP_KERNEL | __GFP_THISNODE, 0, 1, NULL, MIB_PAGES(10));
	for (unsigned int nid = 0; nid < 2; nid++)
		share[nid] = share_of(nid);
	KUNIT_EXPECT_GT(test, share[0], share[1]);
	for (unsigned int nid = 0; nid < 2; nid++)
		check_trim_of(test, nid);
	hoard_give_all(&hoard);
}

static void test_trim_of_nodes(struct kunit *test)
{
	zones_run(test, "limit=32M:nodes=2", check_trim);
}

/* Free memory that GFP_KERNEL may not use does not count when pages are kept. */
static void check_trim_zones(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, zone_at(1, ZONE_MOVABLE)->managed_pages, MIB_PAGES(64));
	KUNIT_EXPECT_LT(test, share_of(1), MIB_PAGES(16) / 16 + 1);
	for (unsigned int nid = 0; nid < 2; nid++)
		check_trim_of(test, nid);
}

static void test_trim_without_movable(struct kunit *test)
{
	zones_run(test, "nodes=2:zone_dma32=4M:zone_normal=12M:zone_movable=64M", check_trim_zones);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(test_free_is_local),
	KUNIT_CASE(test_numbered_lists),
	KUNIT_CASE(test_alloc_is_local),
	KUNIT_CASE(test_trim_of_nodes),
	KUNIT_CASE(test_trim_without_movable),
	{ 0 },
};

static struct kunit_suite suite = {
	.name = "quicklist-nodes",
	.test_cases = cases,
};

kunit_test_suite(suite);
