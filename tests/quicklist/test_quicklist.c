/* SPDX-License-Identifier: MIT */
/* Quicklists: the promises of seed 3, as far as they can be seen from outside. */
#include "page/zone.h"
#include "percpu/percpu.h"
#include "support/child.h"
#include "support/kernel.h"
#include "support/shadow.h"
#include "support/threads.h"
#include "support/zones.h"

#define QUICK_PT 0
#define QUICK_PGD 1
#define NR 200

static unsigned int nr_ctor, nr_dtor;	/* Sync: atomic relaxed */
static void *last_dtor;

static void note_ctor(void *page)
{
	__atomic_fetch_add(&nr_ctor, 1, __ATOMIC_RELAXED);
	((unsigned long *)page)[1] = 0x600d;
}

static void note_dtor(void *page)
{
	__atomic_fetch_add(&nr_dtor, 1, __ATOMIC_RELAXED);
	last_dtor = page;
}

static void empty_list(int nr)
{
	quicklist_trim(nr, NULL, 0, ~0UL);
	/* The remaining pages are less than a share of the free memory. */
	for (unsigned long left = quicklist_total_size(); left; left--) {
		void *page = quicklist_alloc(nr, GFP_KERNEL, NULL);

		if (page)
			free_page((unsigned long)page);
	}
}

static int start_case(struct kunit *test)
{
	(void)test;
	test_pin(0);
	nr_ctor = 0;
	nr_dtor = 0;
	for (int nr = 0; nr < CONFIG_NR_QUICK; nr++)
		empty_list(nr);
	return quicklist_total_size() ? -1 : 0;
}

static void *must_alloc(struct kunit *test, int nr, void (*ctor)(void *))
{
	void *page = quicklist_alloc(nr, GFP_KERNEL, ctor);

	KUNIT_ASSERT_NOT_NULL(test, page);
	KUNIT_ASSERT_EQ(test, (unsigned long)page & ~PAGE_MASK, 0);
	return page;
}

static void test_quicklist_page_is_zero(struct kunit *test)
{
	void *pages[NR];

	for (unsigned int round = 0; round < 3; round++) {
		for (unsigned int i = 0; i < NR; i++) {
			pages[i] = must_alloc(test, QUICK_PT, NULL);
			KUNIT_ASSERT_TRUE_MSG(test, shadow_all_bytes(pages[i], PAGE_SIZE, 0),
					      "round %u, page %u", round, i);
			/* Used and brought back to its state. */
			memset(pages[i], 0xff, PAGE_SIZE);
			memset(pages[i], 0, PAGE_SIZE);
		}
		for (unsigned int i = 0; i < NR; i++)
			quicklist_free(QUICK_PT, NULL, pages[i]);
	}
}

static void test_quicklist_is_lifo(struct kunit *test)
{
	void *pages[NR];

	for (unsigned int i = 0; i < NR; i++)
		pages[i] = must_alloc(test, QUICK_PT, NULL);
	for (unsigned int i = 0; i < NR; i++)
		quicklist_free(QUICK_PT, NULL, pages[i]);
	KUNIT_EXPECT_EQ(test, quicklist_total_size(), NR);
	for (unsigned int i = NR; i--;)
		KUNIT_ASSERT_PTR_EQ(test, must_alloc(test, QUICK_PT, NULL), pages[i]);
	KUNIT_EXPECT_EQ(test, quicklist_total_size(), 0);
	for (unsigned int i = 0; i < NR; i++)
		free_page((unsigned long)pages[i]);
}

/* Only the first word is reset on a hit; the rest is as it was left. */
static void test_quicklist_keeps_the_state(struct kunit *test)
{
	unsigned long *page = must_alloc(test, QUICK_PGD, note_ctor);

	KUNIT_EXPECT_EQ(test, nr_ctor, 1);
	KUNIT_EXPECT_EQ(test, page[1], 0x600d);
	page[511] = 0xfeed;
	quicklist_free(QUICK_PGD, note_dtor, page);
	KUNIT_EXPECT_PTR_EQ(test, quicklist_alloc(QUICK_PGD, GFP_KERNEL, note_ctor), page);
	KUNIT_EXPECT_EQ(test, page[0], 0);
	KUNIT_EXPECT_EQ(test, page[1], 0x600d);
	KUNIT_EXPECT_EQ(test, page[511], 0xfeed);
	KUNIT_EXPECT_EQ_MSG(test, nr_ctor, 1, "no ctor on a hit");
	KUNIT_EXPECT_EQ_MSG(test, nr_dtor, 0, "no dtor on the way to the list");
	free_page((unsigned long)page);
}

static void test_quicklist_lists_are_apart(struct kunit *test)
{
	void *one = must_alloc(test, 0, NULL), *two = must_alloc(test, 1, NULL), *three;

	quicklist_free(0, NULL, one);
	quicklist_free(1, NULL, two);
	KUNIT_EXPECT_EQ(test, quicklist_total_size(), 2);
	KUNIT_EXPECT_PTR_EQ(test, quicklist_alloc(1, GFP_KERNEL, NULL), two);
	three = must_alloc(test, 1, NULL);
	KUNIT_EXPECT_PTR_NE(test, three, one);
	KUNIT_EXPECT_PTR_EQ(test, quicklist_alloc(0, GFP_KERNEL, NULL), one);
	KUNIT_EXPECT_EQ(test, quicklist_total_size(), 0);
	free_page((unsigned long)one);
	free_page((unsigned long)two);
	free_page((unsigned long)three);
}

static void test_quicklist_free_page(struct kunit *test)
{
	void *page = must_alloc(test, QUICK_PT, NULL);

	quicklist_free_page(QUICK_PT, NULL, virt_to_page(page));
	KUNIT_EXPECT_EQ(test, quicklist_total_size(), 1);
	KUNIT_EXPECT_PTR_EQ(test, quicklist_alloc(QUICK_PT, GFP_KERNEL, NULL), page);
	free_page((unsigned long)page);
}

/* Nothing goes back to the page allocator until trim. */
static void test_quicklist_holds_until_trim(struct kunit *test)
{
	struct usermm_stats before, after;
	void *pages[NR];

	for (unsigned int i = 0; i < NR; i++)
		pages[i] = must_alloc(test, QUICK_PT, NULL);
	usermm_stats_read(&before);
	for (unsigned int i = 0; i < NR; i++)
		quicklist_free(QUICK_PT, note_dtor, pages[i]);
	usermm_stats_read(&after);
	KUNIT_EXPECT_EQ(test, nr_dtor, 0);
	KUNIT_EXPECT_EQ(test, after.free_bytes + after.pcp_bytes,
			before.free_bytes + before.pcp_bytes);
	KUNIT_EXPECT_EQ(test, after.quicklist_bytes, NR * PAGE_SIZE);
}

/* Fills list nr of this CPU up to so many pages. */
static void fill(struct kunit *test, int nr, unsigned long pages)
{
	LIST_HEAD(got);

	KUNIT_ASSERT_EQ(test, alloc_pages_bulk_list(GFP_KERNEL | __GFP_ZERO, pages, &got), pages);
	while (!list_empty(&got)) {
		struct page *page = list_first_entry(&got, struct page, lru);

		list_del(&page->lru);
		quicklist_free_page(nr, NULL, page);
	}
	KUNIT_ASSERT_EQ(test, quicklist_total_size(), pages);
}

/* All the free memory that the CPU's node has. */
static const struct zone *zone_here(void)
{
	return zone_at(numa_node_id(), ZONE_NORMAL);
}

/* Pages that trim has to leave on the list, by the formula. */
static unsigned long trimmed(unsigned long pages, unsigned long min_pages,
			     unsigned long max_free)
{
	unsigned long max = zone_here()->free_pages / 16;

	if (pages <= min_pages)
		return pages;
	if (max < min_pages)
		max = min_pages;
	if (pages <= max)
		return pages;
	return pages - max < max_free ? max : pages - max_free;
}

/* One sixteenth of the free memory is 128 pages or so with this budget. */
static const struct trim_row {
	unsigned long pages, min_pages, max_free;
} trim_rows[] = {
	{ 0, 0, 16 }, { 1, 0, 16 }, { 25, 25, 16 }, { 26, 25, 16 }, { 100, 25, 16 },
	{ 300, 25, 16 }, { 300, 25, 1 }, { 300, 25, 0 }, { 300, 25, 1000 }, { 300, 299, 1000 },
	{ 300, 300, 1000 }, { 300, 301, 1000 }, { 300, 200, 1000 }, { 1000, 0, 1000 },
	{ 1000, 900, 50 }, { 1000, 900, 200 }, { 1000, 0, ~0UL },
};

static void describe_trim(const struct trim_row *row, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%lu pages, min %lu, at most %ld", row->pages,
		 row->min_pages, (long)row->max_free);
}

KUNIT_ARRAY_PARAM(trim, trim_rows, describe_trim);

static void test_quicklist_trim(struct kunit *test)
{
	const struct trim_row *row = test->param_value;
	unsigned long expected;

	fill(test, QUICK_PT, row->pages);
	drain_local_pages(NULL);
	expected = trimmed(row->pages, row->min_pages, row->max_free);
	quicklist_trim(QUICK_PT, note_dtor, row->min_pages, row->max_free);
	KUNIT_EXPECT_EQ_MSG(test, quicklist_total_size(), expected, "%lu pages were free",
			    zone_here()->free_pages);
	KUNIT_EXPECT_EQ_MSG(test, nr_dtor, row->pages - expected, "one dtor for each");
	/* Trimmed again, without a bound, it ends at the same share. */
	quicklist_trim(QUICK_PT, note_dtor, row->min_pages, ~0UL);
	KUNIT_EXPECT_LE(test, quicklist_total_size(), expected);
}

static void check_clean(void *page)
{
	nr_dtor += shadow_all_bytes(page, PAGE_SIZE, 0);
}

/* dtor sees the page in its state, without the list's link. */
static void test_quicklist_dtor_sees_clean_page(struct kunit *test)
{
	fill(test, QUICK_PT, 1500);
	quicklist_trim(QUICK_PT, check_clean, 0, 100);
	KUNIT_EXPECT_EQ(test, nr_dtor, 100);
	KUNIT_EXPECT_EQ(test, quicklist_total_size(), 1400);
}

static void test_quicklist_trim_is_for_one_list(struct kunit *test)
{
	void *page = must_alloc(test, QUICK_PGD, NULL);

	fill(test, QUICK_PT, 1000);
	quicklist_free(QUICK_PGD, NULL, page);
	quicklist_trim(QUICK_PT, NULL, 0, ~0UL);
	KUNIT_EXPECT_PTR_EQ(test, quicklist_alloc(QUICK_PGD, GFP_KERNEL, NULL), page);
	free_page((unsigned long)page);
}

static void test_quicklist_hit_ratio(struct kunit *test)
{
	for (unsigned int i = 0; i < 10000; i++) {
		void *pages[8];

		for (unsigned int k = 0; k < 8; k++)
			pages[k] = must_alloc(test, QUICK_PGD, note_ctor);
		for (unsigned int k = 0; k < 8; k++)
			quicklist_free(QUICK_PGD, NULL, pages[k]);
	}
	KUNIT_EXPECT_EQ_MSG(test, nr_ctor, 8, "only the first round comes from the allocator");
}

static void test_quicklist_out_of_memory(struct kunit *test)
{
	void *page = must_alloc(test, QUICK_PT, NULL);
	LIST_HEAD(pages);

	quicklist_free(QUICK_PT, NULL, page);
	/* A request that may not wait does not ask the shrinkers, and has only the reserves. */
	while (alloc_pages_bulk_list(GFP_NOWAIT | __GFP_MEMALLOC, 1, &pages))
		;
	KUNIT_EXPECT_PTR_EQ_MSG(test, quicklist_alloc(QUICK_PT, GFP_KERNEL, NULL), page,
				"the list still has one");
	KUNIT_EXPECT_NULL(test, quicklist_alloc(QUICK_PT, GFP_KERNEL | __GFP_NOWARN, NULL));
	KUNIT_EXPECT_NULL(test, quicklist_alloc(QUICK_PT, GFP_KERNEL | __GFP_NOWARN, note_ctor));
	KUNIT_EXPECT_EQ_MSG(test, nr_ctor, 0, "no ctor without a page");
	quicklist_free(QUICK_PT, NULL, page);
	while (!list_empty(&pages)) {
		struct page *first = list_first_entry(&pages, struct page, lru);

		list_del(&first->lru);
		__free_page(first);
	}
}

static void bad_number(struct kunit *test, void *arg)
{
	(void)test;
	quicklist_free(CONFIG_NR_QUICK, NULL, arg);
}

static void bad_address(struct kunit *test, void *arg)
{
	(void)test;
	quicklist_free(0, NULL, arg);
}

static void test_quicklist_misuse(struct kunit *test)
{
	void *page = must_alloc(test, QUICK_PT, NULL);
	char on_stack[4] = "";

	CHILD_EXPECT_DEATH(test, bad_number, page, "usermm: ", "quicklist");
	CHILD_EXPECT_DEATH(test, bad_address, on_stack, "usermm: ", child_hex(on_stack));
	CHILD_EXPECT_DEATH(test, bad_address, (char *)page + 8, "usermm: ",
			   child_hex((char *)page + 8));
	free_page((unsigned long)page);
}

static int set_small_budget(struct kunit_suite *suite)
{
	const char *error = NULL;
	void *page;

	(void)suite;
	test_pin(0);
	if (usermm_set_options("limit=16M", &error))
		return -1;
	page = quicklist_alloc(0, GFP_KERNEL, NULL);
	if (page)
		quicklist_free(0, NULL, page);
	return page ? 0 : -1;
}

static struct kunit_case quicklist_cases[] = {
	KUNIT_CASE(test_quicklist_page_is_zero),
	KUNIT_CASE(test_quicklist_is_lifo),
	KUNIT_CASE(test_quicklist_keeps_the_state),
	KUNIT_CASE(test_quicklist_lists_are_apart),
	KUNIT_CASE(test_quicklist_free_page),
	KUNIT_CASE(test_quicklist_holds_until_trim),
	KUNIT_CASE_PARAM(test_quicklist_trim, trim_gen_params),
	KUNIT_CASE(test_quicklist_dtor_sees_clean_page),
	KUNIT_CASE(test_quicklist_trim_is_for_one_list),
	KUNIT_CASE(test_quicklist_hit_ratio),
	KUNIT_CASE(test_quicklist_out_of_memory),
	KUNIT_CASE(test_quicklist_misuse),
	{ 0 },
};

static struct kunit_suite quicklist_suite = {
	.name = "quicklist",
	.suite_init = set_small_budget,
	.init = start_case,
	.test_cases = quicklist_cases,
};

kunit_test_suite(quicklist_suite);
