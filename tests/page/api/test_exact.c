/* SPDX-License-Identifier: MIT */
/* Blocks of any number of pages: surplus pages go straight back. */
#include "mm/memmap.h"
#include "page/api/exact.h"
#include "page/debug/hooks.h"
#include "page/pcp/pcp_list.h"
#include "page/zone.h"
#include "support/kernel.h"
#include "support/pages.h"
#include "support/prng.h"
#include "support/shadow.h"
#include "support/threads.h"
#include "support/zones.h"

static struct page *must_alloc(struct kunit *test, unsigned long nr, unsigned int align_order)
{
	bool zeroed = true;
	struct page *page = alloc_frozen_exact(GFP_KERNEL, nr, align_order, &zeroed);

	KUNIT_ASSERT_NOT_NULL_MSG(test, page, "%lu pages", nr);
	KUNIT_EXPECT_EQ(test, page_to_pfn(page) & ((1UL << align_order) - 1), 0);
	if (zeroed)
		KUNIT_EXPECT_TRUE_MSG(test, shadow_all_bytes(page_address(page), nr * PAGE_SIZE, 0),
				      "%lu pages are said to be zero", nr);
	return page;
}

/* Runs first: a large block of memory that was never used is known to be zero. */
static void test_exact_zeroed(struct kunit *test)
{
	struct page *pages[NR_PAGE_ORDERS];

	if (page_hooks())
		kunit_skip(test, "observers fill them");
	for (unsigned int order = 4; order <= MAX_PAGE_ORDER; order++) {
		bool zeroed = false;

		pages[order] = alloc_frozen_exact(GFP_KERNEL, 1UL << order, 0, &zeroed);
		KUNIT_ASSERT_NOT_NULL(test, pages[order]);
		KUNIT_EXPECT_TRUE_MSG(test, zeroed, "order %u", order);
	}
	for (unsigned int order = 4; order <= MAX_PAGE_ORDER; order++)
		free_frozen_exact(pages[order], 1UL << order);
	drain_local_pages(NULL);
}

static void test_exact_every_number(struct kunit *test)
{
	size_t start = test_unused_bytes();

	for (unsigned long nr = 1; nr <= 1024; nr += nr < 40 ? 1 : 37) {
		struct page *page = must_alloc(test, nr, 0);

		KUNIT_EXPECT_EQ_MSG(test, start - test_unused_bytes(), nr * PAGE_SIZE,
				    "%lu pages, and no more, are in use", nr);
		memset(page_address(page), 0xff, nr * PAGE_SIZE);
		free_frozen_exact(page, nr);
		KUNIT_EXPECT_EQ(test, test_unused_bytes(), start);
	}
}

static void test_exact_alignments(struct kunit *test)
{
	size_t start = test_unused_bytes();

	for (unsigned int align_order = 0; align_order <= MAX_PAGE_ORDER; align_order++)
		for (unsigned long nr = 1; nr <= 1UL << MAX_PAGE_ORDER; nr = nr * 3 + 1) {
			struct page *page = must_alloc(test, nr, align_order);

			KUNIT_EXPECT_EQ(test, start - test_unused_bytes(), nr * PAGE_SIZE);
			free_frozen_exact(page, nr);
		}
	KUNIT_EXPECT_EQ(test, test_unused_bytes(), start);
}

/*
 * nr pages are freed of a block whose other pages are in use: requests for `again` pages fill this
 * hole.
 */
static void test_exact_takes_holes(struct kunit *test)
{
	static const struct {
		unsigned long nr, behind, again;
		unsigned int align_order;
	} holes[] = {
		{ 96, 32, 96, 0 },	/* 64 + 32 of 128 pages */
		{ 96, 32, 85, 0 },	/* less of it */
		{ 96, 32, 65, 6 },
		{ 112, 16, 112, 5 },	/* three blocks */
		{ 21, 8, 21, 0 },
		{ 384, 128, 300, 8 },
	};
	size_t start = test_unused_bytes();

	if (page_hooks())
		kunit_skip(test, "observers are told of powers of two");
	for (unsigned int i = 0; i < ARRAY_SIZE(holes); i++) {
		struct page *page = must_alloc(test, holes[i].nr, 0), *behind[8], *again;
		unsigned long end = page_to_pfn(page) + holes[i].nr;
		unsigned int nr = 0;
		bool is_behind = false;

		/* The search does not see blocks on CPUs' lists. */
		drain_local_pages(NULL);
		/* Allocates until it gets the block behind. */
		while (!is_behind && nr < ARRAY_SIZE(behind)) {
			unsigned long pfn;

			behind[nr] = must_alloc(test, holes[i].behind, 0);
			pfn = page_to_pfn(behind[nr++]);
			is_behind = pfn >= end && pfn < roundup_pow_of_two(holes[i].nr) +
						       page_to_pfn(page);
		}
		KUNIT_EXPECT_TRUE_MSG(test, is_behind, "%lu pages", holes[i].nr);
		memset(page_address(page), 0xff, holes[i].nr * PAGE_SIZE);
		free_frozen_exact(page, holes[i].nr);
		drain_local_pages(NULL);
		again = must_alloc(test, holes[i].again, holes[i].align_order);
		KUNIT_EXPECT_PTR_EQ_MSG(test, again, page, "%lu pages", holes[i].again);
		free_frozen_exact(again, holes[i].again);
		while (nr)
			free_frozen_exact(behind[--nr], holes[i].behind);
		KUNIT_EXPECT_EQ(test, test_unused_bytes(), start);
	}
}

/* Room at a place that is aligned to its own size, and to no more. */
static void test_exact_aligned_holes(struct kunit *test)
{
	size_t start = test_unused_bytes();
	struct page *page, *aligned, *again;

	if (page_hooks())
		kunit_skip(test, "observers are told of powers of two");
	page = must_alloc(test, 32, 5);
	free_frozen_exact(page + 16, 12);
	drain_local_pages(NULL);	/* or its CPU keeps it */
	aligned = must_alloc(test, 12, 5);
	again = must_alloc(test, 12, 4);
	KUNIT_EXPECT_PTR_EQ(test, again, page + 16);
	free_frozen_exact(again, 12);
	free_frozen_exact(aligned, 12);
	free_frozen_exact(page, 16);
	free_frozen_exact(page + 28, 4);
	KUNIT_EXPECT_EQ(test, test_unused_bytes(), start);
}

/* The list of such blocks, if there is one. */
static unsigned int index_of(unsigned long nr)
{
	return is_power_of_2(nr) ? list_index(ilog2(nr), MIGRATE_UNMOVABLE) : exact_index(nr);
}

/* The number of blocks of so many pages that the calling thread's CPU keeps. */
static unsigned long listed(const struct page *page, unsigned long nr)
{
	int slot = percpu_current_slot();

	return slot < 0 ? 0 : slot_blocks(page_zone(page), (unsigned int)slot, index_of(nr));
}

/*
 * The most blocks, or bytes in all, that a CPU keeps; with many CPUs each may keep less, or as much
 * as it was allowed before.
 */
static unsigned long most_listed(const struct page *page, unsigned long nr, size_t bytes)
{
	const struct percpu_array *list = list_of(page_zone(page), index_of(nr));
	struct pcp_counts counts = { .high = 0 };
	int slot = percpu_current_slot();

	if (slot < 0 || !list)
		return 0;
	pcp_counts_read(page_zone(page), (unsigned int)slot, &counts);
	return min(max((unsigned long)counts.high / nr,
		       (unsigned long)slot_limit(list, (unsigned int)slot)),
		   bytes / PAGE_SIZE / nr);
}

/* most_listed() where nr is no power of two: 128 KiB in all, but at least one block. */
static unsigned long most_listed_exactly(const struct page *page, unsigned long nr)
{
	return most_listed(page, nr, max(128 * KIB, nr * PAGE_SIZE));
}

/* Blocks of so many pages stay on their CPU, up to so many bytes; the next requests get them. */
static void check_listed(struct kunit *test, unsigned long nr, size_t bytes)
{
	size_t start = test_unused_bytes();
	struct page *pages[9];
	unsigned long most;
	bool zeroed = true;

	drain_local_pages(NULL);
	for (unsigned int i = 0; i < ARRAY_SIZE(pages); i++) {
		pages[i] = must_alloc(test, nr, 0);
		memset(page_address(pages[i]), 0xff, nr * PAGE_SIZE);
	}
	most = most_listed(pages[0], nr, bytes);
	for (unsigned int i = 0; i < ARRAY_SIZE(pages); i++) {
		free_frozen_exact(pages[i], nr);
		KUNIT_EXPECT_EQ_MSG(test, listed(pages[i], nr), min(i + 1ul, most),
				    "%lu pages", nr);
	}
	for (unsigned long i = most; i-- > 0;) {
		KUNIT_EXPECT_PTR_EQ(test, alloc_frozen_exact(GFP_KERNEL, nr, 0, &zeroed),
				    pages[i]);
		KUNIT_EXPECT_FALSE(test, zeroed);
	}
	for (unsigned long i = 0; i < most; i++)
		free_frozen_exact(pages[i], nr);
	KUNIT_EXPECT_EQ(test, test_unused_bytes(), start);
}

static void test_exact_listed(struct kunit *test)
{
	zones_need_stopping(test);
	if (page_hooks())
		kunit_skip(test, "observers see every block");
	for (unsigned int order = 4; order <= 8; order++)
		check_listed(test, 1UL << order, 512 * KIB);
	drain_local_pages(NULL);
}

/* Between the powers of two, only eighths of the next power of two have lists. */
static void test_exact_listed_numbers(struct kunit *test)
{
	unsigned int nr_lists = 0;

	for (unsigned long nr = 1; nr <= 1024; nr++) {
		unsigned int index = exact_index(nr);

		if (nr > 8 && nr < 128 && !is_power_of_2(nr) &&
		    !(nr % (roundup_pow_of_two(nr) / 8))) {
			KUNIT_EXPECT_EQ(test, index, NR_PCP_ORDER_LISTS + nr_lists);
			KUNIT_EXPECT_EQ(test, index_pages(index), nr);
			KUNIT_EXPECT_EQ(test, index_order(index), ilog2(nr) + 1u);
			nr_lists++;
		} else {
			KUNIT_EXPECT_EQ_MSG(test, index, NR_PCP_LISTS, "%lu pages", nr);
		}
	}
	KUNIT_EXPECT_EQ(test, nr_lists, NR_PCP_EXACT_LISTS);
	zones_need_stopping(test);
	if (page_hooks())
		kunit_skip(test, "observers see every block");
	if (nr_online_nodes > 1)
		kunit_skip(test, "of several nodes there are none");
	for (unsigned int index = NR_PCP_ORDER_LISTS; index < NR_PCP_LISTS; index++) {
		unsigned long nr = index_pages(index);

		check_listed(test, nr, max(128 * KIB, nr * PAGE_SIZE));
	}
	drain_local_pages(NULL);
}

/* Requests for another place get none of them, nor do those with an alignment. */
static void test_exact_listed_for_some(struct kunit *test)
{
	struct page *page, *other;
	bool zeroed;

	zones_need_stopping(test);
	if (page_hooks() || nr_online_nodes > 1)
		kunit_skip(test, "observers see every block, and several nodes have no such list");
	drain_local_pages(NULL);
	page = must_alloc(test, 12, 0);
	free_frozen_exact(page, 12);
	if (most_listed_exactly(page, 12) < 2) {
		drain_local_pages(NULL);
		kunit_skip(test, "each of so many CPUs keeps less than that");
	}
	KUNIT_EXPECT_EQ(test, listed(page, 12), 1ul);
	other = alloc_frozen_exact(GFP_KERNEL | __GFP_MOVABLE, 12, 0, &zeroed);
	KUNIT_ASSERT_NOT_NULL(test, other);
	KUNIT_EXPECT_EQ(test, listed(page, 12), 1ul);
	free_frozen_exact(other, 12);
	KUNIT_EXPECT_EQ(test, listed(page, 12), 1ul);
	other = must_alloc(test, 12, 3);
	KUNIT_EXPECT_EQ(test, listed(page, 12), 1ul);
	free_frozen_exact(other, 12);
	KUNIT_EXPECT_EQ(test, listed(page, 12), 2ul);
	drain_local_pages(NULL);
	KUNIT_EXPECT_EQ(test, listed(page, 12), 0ul);
}

static unsigned long shown_free_pages(const struct zone *z)
{
	unsigned long pages = 0;

	for (unsigned int order = 0; order < NR_PAGE_ORDERS; order++)
		pages += zone_free_blocks_of_order(z, order) << order;
	return pages;
}

/* buddyinfo shows blocks on these lists as free, as the powers of two that they consist of. */
static void test_exact_listed_is_free(struct kunit *test)
{
	struct page *pages[NR_PCP_EXACT_LISTS];
	unsigned long shown, unused;
	struct zone *z;

	zones_need_stopping(test);
	if (page_hooks() || nr_online_nodes > 1)
		kunit_skip(test, "observers see every block, and several nodes have no such list");
	for (unsigned int i = 0; i < NR_PCP_EXACT_LISTS; i++)
		pages[i] = must_alloc(test, index_pages(NR_PCP_ORDER_LISTS + i), 0);
	z = page_zone(pages[0]);
	drain_local_pages(NULL);
	shown = shown_free_pages(z);
	unused = zone_free_pages(z);
	for (unsigned int i = 0; i < NR_PCP_EXACT_LISTS; i++) {
		unsigned long nr = index_pages(NR_PCP_ORDER_LISTS + i);

		free_frozen_exact(pages[i], nr);
		KUNIT_EXPECT_EQ(test, listed(pages[i], nr),
				min(most_listed_exactly(pages[i], nr), 1ul));
		shown += nr;
		unused += nr;
		KUNIT_EXPECT_EQ_MSG(test, shown_free_pages(z), shown, "%lu pages", nr);
		KUNIT_EXPECT_EQ_MSG(test, zone_free_pages(z), unused, "%lu pages", nr);
	}
	drain_local_pages(NULL);
	KUNIT_EXPECT_EQ(test, shown_free_pages(z), shown);
	KUNIT_EXPECT_EQ(test, zone_free_pages(z), unused);
}

/* Blocks on the CPU's own lists are used before the zone gets new memory. */
static void check_listed_or_new(struct kunit *test, unsigned long kept, size_t bytes)
{
	enum { MOST = 1024 };
	static struct page *others[MOST];
	struct page *page, *again;
	unsigned int nr = 0;
	unsigned long offline;
	struct zone *z;

	/* A CPU keeps the first block of a free section, so the section is not one block. */
	page = must_alloc(test, 1UL << MAX_PAGE_ORDER, 0);
	z = page_zone(page);
	free_frozen_exact(page + kept, (1UL << MAX_PAGE_ORDER) - kept);
	free_frozen_exact(page, kept);
	if (!most_listed(page, kept, bytes))
		kunit_skip(test, "each of so many CPUs keeps less than that");
	KUNIT_EXPECT_EQ(test, listed(page, kept), 1ul);
	while (free_area_blocks(&z->free_area[MAX_PAGE_ORDER]) && nr < MOST)
		others[nr++] = must_alloc(test, 1UL << MAX_PAGE_ORDER, 0);
	offline = zone_offline_pages(z);
	again = must_alloc(test, 1UL << MAX_PAGE_ORDER, 0);
	KUNIT_EXPECT_PTR_EQ(test, again, page);
	KUNIT_EXPECT_EQ(test, zone_offline_pages(z), offline);
	KUNIT_EXPECT_EQ(test, listed(page, kept), 0ul);
	free_frozen_exact(again, 1UL << MAX_PAGE_ORDER);
	while (nr)
		free_frozen_exact(others[--nr], 1UL << MAX_PAGE_ORDER);
}

static void test_exact_listed_or_new(struct kunit *test)
{
	zones_need_stopping(test);
	if (page_hooks())
		kunit_skip(test, "observers see every block");
	check_listed_or_new(test, 16, 512 * KIB);
	drain_local_pages(NULL);	/* and the zone sees that it is above its high mark again */
	if (nr_online_nodes == 1)
		check_listed_or_new(test, 12, 128 * KIB);
}

struct range {
	struct page *page;
	unsigned long nr;
	u64 owner;
};

static void drop(struct kunit *test, struct shadow *shadow, struct range *range)
{
	char *addr = page_address(range->page);

	for (unsigned long i = 0; i < range->nr; i++)
		KUNIT_ASSERT_TRUE(test, shadow_stamp_holds(addr + i * PAGE_SIZE, PAGE_SIZE,
							   range->owner + i));
	KUNIT_ASSERT_EQ(test, shadow_release(shadow, addr, range->nr * PAGE_SIZE), 0);
	free_frozen_exact(range->page, range->nr);
	range->page = NULL;
}

static void test_exact_random_mix(struct kunit *test)
{
	enum { NR = 100 };
	static struct range ranges[NR];
	size_t start = test_unused_bytes();
	struct prng prng = { 31 };
	struct shadow shadow;

	KUNIT_ASSERT_TRUE(test, shadow_init(&shadow, PAGE_SHIFT, 4096));
	for (unsigned int step = 0; step < 20000; step++) {
		struct range *range = &ranges[prng_below(&prng, NR)];

		if (range->page) {
			drop(test, &shadow, range);
			continue;
		}
		range->nr = 1 + prng_below(&prng, 1 + prng_below(&prng, 300));
		range->owner = prng_u64(&prng);
		range->page = must_alloc(test, range->nr, prng_below(&prng, 5));
		KUNIT_ASSERT_EQ(test, shadow_claim(&shadow, page_address(range->page),
						   range->nr * PAGE_SIZE), 0);
		for (unsigned long i = 0; i < range->nr; i++)
			shadow_stamp((char *)page_address(range->page) + i * PAGE_SIZE, PAGE_SIZE,
				     range->owner + i);
	}
	for (unsigned int i = 0; i < NR; i++)
		if (ranges[i].page)
			drop(test, &shadow, &ranges[i]);
	KUNIT_EXPECT_EQ(test, shadow.nr_claimed, 0);
	KUNIT_EXPECT_EQ(test, test_unused_bytes(), start);
	drain_local_pages(NULL);
	KUNIT_EXPECT_EQ_MSG(test, free_area_blocks(&budget_zone()->free_area[MAX_PAGE_ORDER])
					  << MAX_PAGE_ORDER,
			    budget_zone()->free_pages - zone_offline_pages(budget_zone()),
			    "all of it has come together again");
	shadow_destroy(&shadow);
}

static struct kunit_case exact_cases[] = {
	KUNIT_CASE(test_exact_zeroed),
	KUNIT_CASE(test_exact_every_number),
	KUNIT_CASE(test_exact_alignments),
	KUNIT_CASE(test_exact_takes_holes),
	KUNIT_CASE(test_exact_aligned_holes),
	KUNIT_CASE(test_exact_listed),
	KUNIT_CASE(test_exact_listed_numbers),
	KUNIT_CASE(test_exact_listed_for_some),
	KUNIT_CASE(test_exact_listed_is_free),
	KUNIT_CASE(test_exact_listed_or_new),
	KUNIT_CASE(test_exact_random_mix),
	{ 0 },
};

static struct kunit_suite exact_suite = {
	.name = "page_exact",
	.init = test_pin_and_warm_up,
	.test_cases = exact_cases,
};

kunit_test_suite(exact_suite);
