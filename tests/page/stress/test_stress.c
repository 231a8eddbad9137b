/* SPDX-License-Identifier: MIT */
/*
 * Many threads on the page allocator, with a budget that runs out: every page
 * has one owner at a time (stamps), no page is lost (free counts), and blocks
 * are freed by other threads than those that allocated them.
 */
#include "support/kernel.h"
#include "support/shadow.h"
#include "support/threads.h"

#define BUDGET "limit=32M"
#define BUDGET_BYTES (32UL << 20)
#define HELD_MAX 400
#define NR_SHELVES 64
#define STEPS TEST_STEPS(250000)
#define BULK 150

struct block {
	struct page *page;
	unsigned int order;
	u64 owner;
};

/* Where threads leave blocks for each other; a page pointer with its order. */
struct shelf {
	pthread_mutex_t lock;
	struct block block;	/* Sync: lock */
};

static struct shelf shelves[NR_SHELVES];
static unsigned long nr_failures;	/* Sync: atomic relaxed */

static int set_budget(struct kunit_suite *suite)
{
	const char *error = NULL;

	(void)suite;
	for (unsigned int i = 0; i < NR_SHELVES; i++)
		pthread_mutex_init(&shelves[i].lock, NULL);
	return usermm_set_options(BUDGET, &error);
}

static void stamp(const struct block *block)
{
	for (unsigned long i = 0; i < 1UL << block->order; i++)
		shadow_stamp(page_address(block->page + i), PAGE_SIZE, block->owner + i);
}

static void check(struct kunit *test, const struct block *block)
{
	for (unsigned long i = 0; i < 1UL << block->order; i++)
		if (!shadow_stamp_holds(page_address(block->page + i), PAGE_SIZE,
					block->owner + i))
			KUNIT_FAIL_AND_ABORT(test, "page %lu of %p, order %u, is not ours any more",
					     i, page_address(block->page), block->order);
}

static void drop(struct kunit *test, struct block *block)
{
	check(test, block);
	if (PageCompound(block->page))
		put_page(block->page);
	else
		__free_pages(block->page, block->order);
	block->page = NULL;
}

static bool take(struct test_thread *thread, struct block *block)
{
	unsigned int order = prng_below(&thread->prng, prng_below(&thread->prng, 9) + 1);
	gfp_t gfp = (prng_one_in(&thread->prng, 2) ? GFP_KERNEL : GFP_ATOMIC) | __GFP_NOWARN;

	if (prng_one_in(&thread->prng, 2))
		gfp |= __GFP_COMP;
	if (prng_one_in(&thread->prng, 8))
		gfp |= __GFP_ZERO;
	block->page = alloc_pages(gfp, order);
	if (!block->page) {
		__atomic_fetch_add(&nr_failures, 1, __ATOMIC_RELAXED);
		return false;
	}
	block->order = order;
	block->owner = prng_u64(&thread->prng);
	KUNIT_EXPECT_EQ(thread->test, page_ref_count(block->page), 1);
	if (gfp & __GFP_ZERO)
		KUNIT_EXPECT_TRUE(thread->test, shadow_all_bytes(page_address(block->page),
								 PAGE_SIZE << order, 0));
	stamp(block);
	return true;
}

/* Swaps a block with one that another thread has left. */
static void exchange(struct test_thread *thread, struct block *block)
{
	struct shelf *shelf = &shelves[prng_below(&thread->prng, NR_SHELVES)];
	struct block other;

	pthread_mutex_lock(&shelf->lock);
	other = shelf->block;
	shelf->block = *block;
	pthread_mutex_unlock(&shelf->lock);
	*block = other;
	if (block->page)
		drop(thread->test, block);
}

static void bulk(struct test_thread *thread)
{
	struct page *pages[BULK] = { NULL };
	struct block blocks[BULK];
	unsigned long nr;

	nr = alloc_pages_bulk_array(GFP_KERNEL | __GFP_NOWARN, BULK, pages);
	for (unsigned long i = 0; i < nr; i++) {
		blocks[i] = (struct block){ pages[i], 0, prng_u64(&thread->prng) };
		KUNIT_EXPECT_EQ(thread->test, page_ref_count(pages[i]), 1);
		stamp(&blocks[i]);
	}
	for (unsigned long i = nr; i < BULK; i++)
		KUNIT_EXPECT_NULL_MSG(thread->test, pages[i], "entry %lu behind the %lu reached",
				      i, nr);
	for (unsigned long i = 0; i < nr; i++)
		check(thread->test, &blocks[i]);
	if (prng_one_in(&thread->prng, 2)) {
		free_pages_bulk(pages, BULK);
		return;
	}
	for (unsigned long i = 0; i < nr; i++)
		put_page(pages[i]);
}

static void work(struct test_thread *thread)
{
	static struct block all[TEST_THREADS_MAX][HELD_MAX];
	struct block *held = all[thread->index];

	memset(held, 0, sizeof(all[0]));
	for (unsigned int step = 0; step < STEPS; step++) {
		struct block *block = &held[prng_below(&thread->prng, HELD_MAX)];

		if (thread->arg && step % 100 == 0)
			test_pin(prng_below(&thread->prng, test_nr_cpus()));
		if (prng_one_in(&thread->prng, 50))
			bulk(thread);
		else if (block->page && prng_one_in(&thread->prng, 3))
			exchange(thread, block);
		else if (block->page)
			drop(thread->test, block);
		else
			take(thread, block);
		if (prng_one_in(&thread->prng, 1000))
			drain_local_pages(NULL);
	}
	for (unsigned int i = 0; i < HELD_MAX; i++)
		if (held[i].page)
			drop(thread->test, &held[i]);
}

static void run(struct kunit *test, void *migrate)
{
	unsigned int nr = 4 * test_nr_cpus() < 12 ? 4 * test_nr_cpus() : 12;
	struct usermm_stats stats;

	nr_failures = 0;
	test_threads_run(test, nr, work, migrate);
	for (unsigned int i = 0; i < NR_SHELVES; i++)
		if (shelves[i].block.page)
			drop(test, &shelves[i].block);
	kunit_info(test, "%u threads, %lu requests failed", nr, nr_failures);
	KUNIT_EXPECT_GT_MSG(test, nr_failures, 0, "the budget was meant to run out");
	usermm_stats_read(&stats);
	KUNIT_EXPECT_EQ(test, stats.budget_bytes, BUDGET_BYTES);
	KUNIT_EXPECT_EQ_MSG(test, stats.free_bytes + stats.pcp_bytes, BUDGET_BYTES,
			    "pages were lost or doubled");
}

static void test_stress_mix(struct kunit *test)
{
	run(test, NULL);
}

static void test_stress_mix_migrating(struct kunit *test)
{
	run(test, test);
}

static struct kunit_case stress_cases[] = {
	KUNIT_CASE_SLOW(test_stress_mix),
	KUNIT_CASE_SLOW(test_stress_mix_migrating),
	{ 0 },
};

static struct kunit_suite stress_suite = {
	.name = "page_stress",
	.suite_init = set_budget,
	.test_cases = stress_cases,
};

kunit_test_suite(stress_suite);
