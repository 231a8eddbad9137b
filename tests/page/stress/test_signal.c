/* SPDX-License-Identifier: MIT */
/*
 * Signal handlers in a thread that holds one of the layer's locks: an allocation gets a page of the
 * CPU's list, or NULL; frees are deferred, and done later.
 */
#include "page/api/exact.h"
#include "page/pcp/pcp.h"
#include "page/pageblock.h"
#include "page/pcp/pcp.h"
#include "page/zone.h"
#include "support/child.h"
#include "support/handler.h"
#include "support/kernel.h"
#include "support/pages.h"
#include "support/threads.h"
#include "support/zones.h"

#define NR_BLOCKS 100
#define EXACT_PAGES 37

struct state {
	struct kunit *test;
	unsigned int order;
	struct page *blocks[NR_BLOCKS];	/* of that order */
	struct page *exact;
	struct page *more[1000];	/* got in the handler */
	unsigned int nr_more;
};

static size_t unused_bytes(void)
{
	drain_all_pages(NULL);
	return test_unused_bytes();
}

static void alloc_and_free(void *arg)
{
	struct state *state = arg;
	struct kunit *test = state->test;
	struct page *bulk[10] = { NULL };
	unsigned long kept;
	bool zeroed;

	while (state->nr_more < ARRAY_SIZE(state->more)) {
		struct page *page = alloc_pages(GFP_KERNEL | __GFP_NOFAIL, state->order);

		if (!page)
			break;
		state->more[state->nr_more++] = page;
	}
	KUNIT_EXPECT_LT_MSG(test, state->nr_more, ARRAY_SIZE(state->more), "the list ends");
	KUNIT_EXPECT_NULL(test, alloc_frozen_exact(GFP_KERNEL, EXACT_PAGES, 0, &zeroed));
	if (!state->order)
		KUNIT_EXPECT_EQ(test, alloc_pages_bulk_array(GFP_KERNEL, 10, bulk), 0);
	for (unsigned int i = 0; i < NR_BLOCKS; i++)
		__free_pages(state->blocks[i], state->order);
	free_frozen_exact(state->exact, EXACT_PAGES);
	/*
	 * Draining leaves the lists as they are, because the interrupted code holds a zone's lock.
	 */
	kept = pcp_pages();
	drain_local_pages(NULL);
	drain_all_pages(NULL);
	KUNIT_EXPECT_EQ(test, pcp_pages(), kept);
}

static struct state *new_state(struct kunit *test, unsigned int order)
{
	struct state *state = test_memory_alloc(sizeof(*state));
	bool zeroed;

	KUNIT_ASSERT_NOT_NULL(test, state);
	state->test = test;
	state->order = order;
	for (unsigned int i = 0; i < NR_BLOCKS; i++) {
		state->blocks[i] = alloc_pages(GFP_KERNEL, order);
		KUNIT_ASSERT_NOT_NULL(test, state->blocks[i]);
		/* A list that has something to give. */
		if (i == NR_BLOCKS / 2)
			drain_local_pages(NULL);
	}
	state->exact = alloc_frozen_exact(GFP_KERNEL, EXACT_PAGES, 0, &zeroed);
	KUNIT_ASSERT_NOT_NULL(test, state->exact);
	return state;
}

static unsigned long nr_deferred(void)
{
	unsigned long nr = 0;

	for (struct list_head *entry = budget_zone()->deferred; entry; entry = entry->next)
		nr++;
	return nr;
}

static unsigned long nr_listed(unsigned int order)
{
	const struct zone *z = budget_zone();

	return zone_free_blocks_of_order(z, order) - free_area_blocks(&z->free_area[order]);
}

static void test_signal_above_zone_lock(struct kunit *test)
{
	for (unsigned int order = 0; order <= MAX_PAGE_ORDER; order++) {
		size_t start = unused_bytes();
		struct state *state = new_state(test, order);

		lock_acquire(&budget_zone()->lock);
		run_in_handler(alloc_and_free, state);
		/* The free of a block that no list keeps is deferred. */
		KUNIT_EXPECT_GE(test, nr_deferred(), 1);
		if (!pcp_allowed_order(order))
			KUNIT_EXPECT_EQ(test, nr_deferred() + nr_listed(order), NR_BLOCKS + 1);
		lock_release(&budget_zone()->lock);
		for (unsigned int i = 0; i < state->nr_more; i++)
			__free_pages(state->more[i], order);
		KUNIT_EXPECT_EQ_MSG(test, unused_bytes(), start, "order %u", order);
		KUNIT_EXPECT_EQ(test, nr_deferred(), 0);
		test_memory_free(state);
	}
}

static void fail(void *arg)
{
	KUNIT_EXPECT_NULL(arg, alloc_pages(GFP_KERNEL, MAX_PAGE_ORDER));
}

static void fail_above_zone_lock(struct kunit *test, void *arg)
{
	(void)arg;
	lock_acquire(&budget_zone()->lock);
	run_in_handler(fail, test);
	lock_release(&budget_zone()->lock);
}

/* A handler may get less; this is known. */
static void test_signal_failure_is_not_told(struct kunit *test)
{
	struct child_result result;

	child_run(test, fail_above_zone_lock, NULL, &result);
	KUNIT_EXPECT_EQ(test, result.status, 0);
	KUNIT_EXPECT_STREQ(test, result.err, "");
}

/* The next allocation gives back what is deferred before it looks for memory. */
static void test_signal_next_taker_gives_back(struct kunit *test)
{
	struct state *state = new_state(test, MAX_PAGE_ORDER);
	struct page *page;

	lock_acquire(&budget_zone()->lock);
	run_in_handler(alloc_and_free, state);
	lock_release(&budget_zone()->lock);
	KUNIT_EXPECT_EQ(test, nr_deferred() + nr_listed(MAX_PAGE_ORDER), NR_BLOCKS + 1);
	/* Of an order that no list has. */
	page = alloc_pages(GFP_KERNEL, MAX_PAGE_ORDER - 2);
	KUNIT_ASSERT_NOT_NULL(test, page);
	KUNIT_EXPECT_EQ(test, nr_deferred(), 0);
	__free_pages(page, MAX_PAGE_ORDER - 2);
	KUNIT_EXPECT_EQ(test, state->nr_more, 0);
	test_memory_free(state);
}

static void free_and_alloc(void *arg)
{
	struct page **page = arg;

	__free_pages(*page, MAX_PAGE_ORDER);
	*page = alloc_pages(GFP_KERNEL, MAX_PAGE_ORDER);
}

/* The zone's lock ranks above these two, so a handler may wait for it while they are held. */
static void test_signal_above_outer_locks(struct kunit *test)
{
	struct lock *locks[] = { &page_drain_lock, &page_grow_lock };

	for (unsigned int i = 0; i < ARRAY_SIZE(locks); i++) {
		struct page *page = alloc_pages(GFP_KERNEL, MAX_PAGE_ORDER);

		KUNIT_ASSERT_NOT_NULL(test, page);
		lock_acquire(locks[i]);
		run_in_handler(free_and_alloc, &page);
		lock_release(locks[i]);
		KUNIT_EXPECT_EQ(test, nr_deferred(), 0);
		KUNIT_ASSERT_NOT_NULL(test, page);
		__free_pages(page, MAX_PAGE_ORDER);
	}
}

static void charge_and_uncharge(void *arg)
{
	struct kunit *test = arg;

	KUNIT_EXPECT_TRUE(test, zone_charge(budget_zone(), 100));
	KUNIT_EXPECT_FALSE(test, zone_charge(budget_zone(), budget_zone()->free_pages - 50));
	zone_uncharge(budget_zone(), 30);
}

/* What a handler charged is counted with the next hold of the lock. */
static void test_signal_charges(struct kunit *test)
{
	unsigned long start = budget_zone()->free_pages;

	lock_acquire(&budget_zone()->lock);
	run_in_handler(charge_and_uncharge, test);
	lock_release(&budget_zone()->lock);
	KUNIT_EXPECT_EQ(test, budget_zone()->free_pages, start);
	KUNIT_EXPECT_TRUE(test, zone_charge(budget_zone(), 1));
	KUNIT_EXPECT_EQ(test, budget_zone()->free_pages, start - 71);
	zone_uncharge(budget_zone(), 71);
	KUNIT_EXPECT_EQ(test, budget_zone()->free_pages, start);
}

static struct kunit_case signal_cases[] = {
	KUNIT_CASE(test_signal_charges),
	KUNIT_CASE(test_signal_above_zone_lock),
	KUNIT_CASE(test_signal_failure_is_not_told),
	KUNIT_CASE(test_signal_next_taker_gives_back),
	KUNIT_CASE(test_signal_above_outer_locks),
	{ 0 },
};

static struct kunit_suite signal_suite = {
	.name = "page-signal",
	.init = test_pin_and_warm_up,
	.test_cases = signal_cases,
};

kunit_test_suite(signal_suite);
