/* SPDX-License-Identifier: MIT */
/*
 * Wrong uses that the process outlives, as a kernel does: each is reported, at worst the
 * page is lost, and the lists are sound afterwards. Each in a child with bad_page=report.
 */
#include <limits.h>

#include "support/child.h"
#include "support/kernel.h"
#include "support/text.h"
#include "support/threads.h"
#include "support/zones.h"

#define FLAG_LOCKED (1UL << 16)

struct misuse {
	const char *name;
	void (*fn)(struct kunit *test);
	const char *report;	/* part of it, or NULL: nothing is said */
	unsigned int reports;
	unsigned long lost;	/* pages that are lost afterwards */
};

static struct page *must_alloc(struct kunit *test, gfp_t gfp, unsigned int order)
{
	struct page *page = alloc_pages(gfp, order);

	KUNIT_ASSERT_NOT_NULL(test, page);
	return page;
}

/* --- Frees -------------------------------------------------------------------------- */

static void free_twice(struct kunit *test)
{
	struct page *page = must_alloc(test, GFP_KERNEL, 0);

	__free_page(page);
	__free_page(page);
	free_page((unsigned long)page_address(page));
	put_page(page);
}

static void free_twice_drained(struct kunit *test)
{
	struct page *page = must_alloc(test, GFP_KERNEL, 0);

	__free_page(page);
	drain_all_pages(NULL);
	__free_page(page);
	put_page(page);
}

static void free_blocks_twice(struct kunit *test)
{
	for (unsigned int order = 1; order <= MAX_PAGE_ORDER; order++)
		for (unsigned int comp = 0; comp < 2; comp++) {
			struct page *page = must_alloc(test, comp ? GFP_KERNEL | __GFP_COMP :
							     GFP_KERNEL, order);

			__free_pages(page, order);
			__free_pages(page, order);
		}
}

static void get_of_free(struct kunit *test)
{
	struct page *page = must_alloc(test, GFP_KERNEL, 0);

	__free_page(page);
	get_page(page);
	KUNIT_EXPECT_EQ(test, page_ref_count(page), 0);
}

static void put_of_frozen(struct kunit *test)
{
	struct page *page = alloc_frozen_pages(GFP_KERNEL, 0);

	KUNIT_ASSERT_NOT_NULL(test, page);
	put_page(page);
	__free_page(page);
	free_frozen_pages(page, 0);
}

static void wrong_order_lower(struct kunit *test)
{
	__free_pages(must_alloc(test, GFP_KERNEL | __GFP_COMP, 3), 0);
	__free_pages(must_alloc(test, GFP_KERNEL | __GFP_COMP, 5), 4);
}

static void wrong_order_higher(struct kunit *test)
{
	__free_pages(must_alloc(test, GFP_KERNEL | __GFP_COMP, 1), 2);
	__free_pages(must_alloc(test, GFP_KERNEL | __GFP_COMP, 1), MAX_PAGE_ORDER + 1);
}

static void order_that_is_none(struct kunit *test)
{
	__free_pages(must_alloc(test, GFP_KERNEL, 0), MAX_PAGE_ORDER + 1);
	__free_pages(must_alloc(test, GFP_KERNEL, 0), UINT_MAX);
	free_frozen_pages(alloc_frozen_pages(GFP_KERNEL, 0), 64);
}

static void order_that_is_none_shared(struct kunit *test)
{
	struct page *page = must_alloc(test, GFP_KERNEL, 0);

	get_page(page);
	__free_pages(page, 33);
	put_page(page);
}

static void free_of_tails(struct kunit *test)
{
	struct page *page = must_alloc(test, GFP_KERNEL | __GFP_COMP, 3);
	struct page *plain = must_alloc(test, GFP_KERNEL, 3);

	for (unsigned int i = 1; i < 8; i++) {
		__free_page(page + i);
		__free_pages(page + i, 3);
		__free_page(plain + i);
		put_page(plain + i);
	}
	__free_pages(page, 3);
	__free_pages(plain, 3);
}

static void flags_left(struct kunit *test)
{
	struct page *page = must_alloc(test, GFP_KERNEL, 0);

	page->flags |= FLAG_LOCKED;
	__free_page(page);
}

/* The first of them is freed, and what is between them. */
static void bulk_twice(struct kunit *test)
{
	struct page *page = must_alloc(test, GFP_KERNEL, 0);
	struct page *pages[] = { page, page, must_alloc(test, GFP_KERNEL, 0), NULL, page };

	free_pages_bulk(pages, 5);
	free_pages_bulk(&page, 1);
}

static void bulk_of_tails(struct kunit *test)
{
	struct page *plain = must_alloc(test, GFP_KERNEL, 2);
	struct page *pages[] = { plain + 1, plain + 2, plain + 3 };

	free_pages_bulk(pages, 3);
	__free_pages(plain, 2);
}

static void fragment_twice(struct kunit *test)
{
	struct page_frag_cache cache = { 0 };
	void *piece = page_frag_alloc(&cache, 100, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, piece);
	page_frag_cache_drain(&cache);
	page_frag_free(piece);
	page_frag_free(piece);
}

static void exact_twice(struct kunit *test)
{
	void *at = alloc_pages_exact(5 * PAGE_SIZE, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, at);
	free_pages_exact(at, 5 * PAGE_SIZE);
	free_pages_exact(at, 5 * PAGE_SIZE);
}

static void split_of_compound(struct kunit *test)
{
	struct page *page = must_alloc(test, GFP_KERNEL | __GFP_COMP, 3);

	split_page(page, 3);
	split_page(page + 1, 0);
	KUNIT_EXPECT_TRUE(test, PageCompound(page + 7));
	__free_pages(page, 3);
}

static void split_of_others(struct kunit *test)
{
	struct page *page = must_alloc(test, GFP_KERNEL, 3);

	split_page(page + 1, 0);
	split_page(page, MAX_PAGE_ORDER + 1);
	__free_pages(page, 3);
	split_page(page, 3);
}

/* --- Requests ------------------------------------------------------------------------ */

static void too_large(struct kunit *test)
{
	static const unsigned int orders[] = {
		MAX_PAGE_ORDER + 1, 31, 32, 63, 64, INT_MAX, UINT_MAX,
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(orders); i++) {
		KUNIT_EXPECT_NULL(test, alloc_pages(GFP_KERNEL, orders[i]));
		KUNIT_EXPECT_NULL(test, alloc_frozen_pages(GFP_ATOMIC, orders[i]));
		KUNIT_EXPECT_NULL(test, __alloc_pages(GFP_KERNEL, orders[i], 0, NULL));
		KUNIT_EXPECT_EQ(test, __get_free_pages(GFP_KERNEL | __GFP_NOFAIL, orders[i]), 0);
	}
}

static void too_large_quietly(struct kunit *test)
{
	LIST_HEAD(list);

	KUNIT_EXPECT_NULL(test, alloc_pages(GFP_KERNEL | __GFP_NOWARN, MAX_PAGE_ORDER + 1));
	KUNIT_EXPECT_NULL(test, alloc_pages_exact(0, GFP_KERNEL | __GFP_NOWARN));
	KUNIT_EXPECT_NULL(test, alloc_pages_exact(SIZE_MAX, GFP_KERNEL | __GFP_NOWARN));
	KUNIT_EXPECT_EQ(test, alloc_pages_bulk_order(GFP_KERNEL | __GFP_NOWARN, 11, 3, &list), 0);
	KUNIT_EXPECT_TRUE(test, list_empty(&list));
}

static void exact_sizes(struct kunit *test)
{
	KUNIT_EXPECT_NULL(test, alloc_pages_exact(0, GFP_KERNEL));
	KUNIT_EXPECT_NULL(test, alloc_pages_exact(SIZE_MAX, GFP_KERNEL));
	KUNIT_EXPECT_NULL(test, alloc_pages_exact((PAGE_SIZE << MAX_PAGE_ORDER) + 1, GFP_KERNEL));
	KUNIT_EXPECT_NULL(test, alloc_pages_exact_nid(0, 1UL << 63, GFP_KERNEL));
	free_pages_exact(NULL, 0);
}

static void no_such_node(struct kunit *test)
{
	const int nodes[] = { -2, (int)nr_online_nodes, 15, 16, 500, INT_MAX, INT_MIN };
	unsigned long absent = 1UL << 7, none = 0;
	struct page *array[4] = { NULL };
	LIST_HEAD(list);

	for (unsigned int i = 0; i < ARRAY_SIZE(nodes); i++) {
		KUNIT_EXPECT_NULL(test, __alloc_pages(GFP_KERNEL, 0, nodes[i], NULL));
		KUNIT_EXPECT_NULL(test, __alloc_pages(GFP_KERNEL, 9, nodes[i], NULL));
		KUNIT_EXPECT_NULL(test, alloc_pages_exact_nid(nodes[i], 5000, GFP_KERNEL));
		KUNIT_EXPECT_EQ(test, 0, __alloc_pages_bulk(GFP_KERNEL, nodes[i], NULL, 4, NULL,
							    array));
		KUNIT_EXPECT_EQ(test, 0, __alloc_pages_bulk(GFP_KERNEL, nodes[i], NULL, 4, &list,
							    NULL));
	}
	KUNIT_EXPECT_NULL(test, __alloc_pages(GFP_KERNEL, 0, 0, &none));
	KUNIT_EXPECT_NULL(test, __alloc_pages(GFP_KERNEL, 0, -1, &absent));
	KUNIT_EXPECT_EQ(test, __alloc_pages_bulk(GFP_KERNEL, 0, &absent, 4, NULL, array), 0);
	KUNIT_EXPECT_NULL(test, array[0]);
	KUNIT_EXPECT_TRUE(test, list_empty(&list));
}

/* The page is UNMOVABLE, and the mistake is told once. */
static void both_mobilities(struct kunit *test)
{
	gfp_t gfp = GFP_KERNEL | __GFP_MOVABLE | __GFP_RECLAIMABLE;
	struct page *array[8] = { NULL };

	for (unsigned int order = 0; order < 5; order++)
		__free_pages(must_alloc(test, gfp, order), order);
	KUNIT_EXPECT_GE(test, alloc_pages_bulk_array(gfp, 8, array), 1);
	free_pages_bulk(array, 8);
}

/* Two mistakes, each told once, whichever came first. */
static void mobilities_and_zones(struct kunit *test)
{
	both_mobilities(test);
	for (unsigned int order = 0; order < 5; order++)
		__free_pages(must_alloc(test, GFP_KERNEL | __GFP_DMA | __GFP_DMA32, order), order);
	both_mobilities(test);
}

static void nofail_without_waiting(struct kunit *test)
{
	static struct hoard hoard;

	hoard_init(&hoard);
	hoard_take_all(&hoard, GFP_NOWAIT, 0);
	KUNIT_EXPECT_NULL(test, alloc_page(GFP_NOWAIT | __GFP_NOFAIL));
	hoard_give_all(&hoard);
}

/*
 * This is no mistake: only the first block of a bulk must not fail, and only that block may wait.
 */
static void nofail_in_bulk(struct kunit *test)
{
	gfp_t gfp = GFP_KERNEL | __GFP_NORETRY;
	static struct hoard hoard;
	unsigned long got;
	LIST_HEAD(list);

	hoard_init(&hoard);
	hoard_take_all(&hoard, gfp | __GFP_NOWARN, 1);
	for (unsigned int i = 0; i < 10; i++) {
		struct page *page = list_first_entry(&hoard.blocks[1], struct page, lru);

		list_del(&page->lru);
		__free_pages(page, 1);
	}
	got = alloc_pages_bulk_order(gfp | __GFP_NOFAIL, 1, MIB_PAGES(64), &list);
	KUNIT_EXPECT_GE(test, got, 10);
	KUNIT_EXPECT_LT(test, got, MIB_PAGES(32));
	while (!list_empty(&list)) {
		struct page *page = list_first_entry(&list, struct page, lru);

		list_del(&page->lru);
		__free_pages(page, 1);
	}
	hoard_give_all(&hoard);
}

static void fragments_of_any_size(struct kunit *test)
{
	struct page_frag_cache cache = { 0 };
	void *piece = page_frag_alloc(&cache, 8, GFP_KERNEL);

	KUNIT_EXPECT_NULL(test, page_frag_alloc(&cache, UINT_MAX, GFP_KERNEL));
	KUNIT_EXPECT_NULL(test, page_frag_alloc(&cache, (8 << PAGE_SHIFT) + 1, GFP_KERNEL));
	page_frag_free(piece);
	/* More of no bytes than a page has references for. */
	for (unsigned int i = 0; i < 3 * (8 << PAGE_SHIFT); i++) {
		piece = page_frag_alloc(&cache, 0, GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, piece);
		KUNIT_ASSERT_GE(test, page_ref_count(virt_to_page(cache.va)), 2);
		page_frag_free(piece);
	}
	page_frag_cache_drain(&cache);
}

#define BAD "BUG: Bad page state in process"
#define ORDERS "request of order"

static const struct misuse misuses[] = {
	{ "free twice", free_twice, BAD, 3, 0 },
	{ "free twice, drained", free_twice_drained, BAD, 2, 0 },
	{ "free of blocks twice", free_blocks_twice, BAD, 2 * MAX_PAGE_ORDER, 0 },
	{ "get of a free page", get_of_free, BAD, 1, 0 },
	{ "put of a frozen page", put_of_frozen, BAD, 2, 0 },
	{ "compound page, lower order", wrong_order_lower, BAD, 2, 8 + 32 },
	{ "compound page, higher order", wrong_order_higher, BAD, 2, 2 + 2 },
	{ "order that is none", order_that_is_none, BAD, 3, 3 },
	{ "order that is none, shared", order_that_is_none_shared, BAD, 1, 0 },
	{ "tails", free_of_tails, BAD, 7 * 4, 0 },
	{ "flags left", flags_left, "PAGE_FLAGS_CHECK_AT_FREE flag(s) set", 1, 1 },
	{ "bulk twice", bulk_twice, BAD, 3, 0 },
	{ "bulk of tails", bulk_of_tails, BAD, 3, 0 },
	{ "fragment twice", fragment_twice, BAD, 1, 0 },
	{ "exact twice", exact_twice, BAD, 5, 0 },
	{ "split of a compound page", split_of_compound, BAD, 2, 0 },
	{ "split of other things", split_of_others, BAD, 3, 0 },
	{ "too large", too_large, ORDERS, 1, 0 },
	{ "too large, quietly", too_large_quietly, NULL, 0, 0 },
	{ "exact sizes", exact_sizes, ORDERS, 1, 0 },
	{ "no such node", no_such_node, "page allocation failure", 1, 0 },
	{ "both mobilities", both_mobilities, "mobility flags that exclude each other", 1, 0 },
	{ "two zones", mobilities_and_zones, "zone flags that exclude each other", 1, 0 },
	{ "mobilities and zones", mobilities_and_zones, "exclude each other", 2, 0 },
	{ "NOFAIL without waiting", nofail_without_waiting, "__GFP_NOFAIL without", 1, 0 },
	{ "NOFAIL in bulk", nofail_in_bulk, NULL, 0, 0 },
	{ "fragments of any size", fragments_of_any_size, NULL, 0, 0 },
};

static unsigned long free_pages_now(void)
{
	drain_all_pages(NULL);
	return nodes_free_pages();
}

/* Every page is handed out once: a page on two lists would come twice. */
static void take_everything(struct kunit *test)
{
	static struct hoard hoard;
	unsigned long before = free_pages_now();
	struct list_head *blocks = &hoard.blocks[0], *entry;

	hoard_init(&hoard);
	hoard_take_all(&hoard, GFP_KERNEL | __GFP_MEMALLOC | __GFP_NORETRY, 0);
	for (entry = blocks->next; entry != blocks; entry = entry->next) {
		struct page *page = list_entry(entry, struct page, lru);

		KUNIT_ASSERT_EQ(test, page_ref_count(page), 1);
		KUNIT_ASSERT_EQ(test, page->index, 0);
		page->index = 1;
	}
	for (entry = blocks->next; entry != blocks; entry = entry->next)
		list_entry(entry, struct page, lru)->index = 0;
	KUNIT_EXPECT_EQ(test, hoard.nr, before);
	hoard_give_all(&hoard);
	zones_check_lists(test);
}

static void run_misuse(struct kunit *test, void *arg)
{
	const struct misuse *misuse = arg;
	const char *error = NULL;
	unsigned long before;

	KUNIT_ASSERT_EQ(test, usermm_set_options("limit=64M:bad_page=report", &error), 0);
	test_pin(0);
	__free_page(must_alloc(test, GFP_KERNEL, 0));
	before = free_pages_now();
	misuse->fn(test);
	KUNIT_EXPECT_EQ(test, before - free_pages_now(), misuse->lost);
	zones_check_lists(test);
	take_everything(test);
}

static void test_misuse_outlived(struct kunit *test)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(misuses); i++) {
		struct misuse misuse = misuses[i];
		struct child_result result;

		child_run(test, run_misuse, &misuse, &result);
		KUNIT_EXPECT_EQ_MSG(test, result.status, 0, "%s: %s", misuse.name, result.err);
		if (misuse.report)
			KUNIT_EXPECT_EQ_MSG(test, count_text(result.err, misuse.report),
					    misuse.reports, "%s: %s", misuse.name, result.err);
		else
			KUNIT_EXPECT_STREQ_MSG(test, result.err, "", "%s", misuse.name);
	}
}

static struct kunit_case outlived_cases[] = {
	KUNIT_CASE(test_misuse_outlived),
	{ 0 },
};

static struct kunit_suite outlived_suite = {
	.name = "page_misuse_outlived",
	.test_cases = outlived_cases,
};

kunit_test_suite(outlived_suite);
