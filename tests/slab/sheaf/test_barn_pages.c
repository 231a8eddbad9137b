/* SPDX-License-Identifier: MIT */
/*
 * The pages that a barn keeps batches in: it has those that it needs when it is full, however
 * full it is. Objects are numbers here, since a barn does not look behind a pointer.
 */
#include "slab/cache.h"
#include "slab/sheaf/barn_budget.h"
#include "slab/slab.h"
#include "support/child.h"
#include "support/kernel.h"
#include "support/slabs.h"
#include "usermm/shrinker.h"

#define BATCH BARN_BATCH_MAX
#define BATCHES_PER_PAGE 4
#define NR (5 * BATCHES_PER_PAGE)

static struct barn barn;

static void forget(struct barn *from, void **objects, unsigned int n)
{
	(void)from;
	(void)objects;
	(void)n;
}

static unsigned int give(unsigned int nr)
{
	void *objects[BATCH];
	unsigned int given = 0;

	for (unsigned long i = 0; i < BATCH; i++)
		objects[i] = (void *)(i + 1);
	for (unsigned int i = 0; i < nr; i++)
		given += barn_give(&barn, objects, BATCH);
	return given;
}

static unsigned int take(unsigned int nr)
{
	void *objects[BATCH];
	unsigned int taken = 0;

	for (unsigned int i = 0; i < nr; i++)
		taken += barn_take(&barn, objects) > 0;
	return taken;
}

static void give_and_take_without_memory(struct kunit *test, void *arg)
{
	(void)arg;
	usermm_arm_faults();
	KUNIT_EXPECT_EQ(test, give(NR), NR);
	KUNIT_EXPECT_EQ(test, take(NR), NR);
}

static void test_barn_pages_stay(struct kunit *test)
{
	unsigned long before = barn_pages();

	/* Gives the barn room for so many batches: they are refused, and then wanted. */
	KUNIT_EXPECT_EQ(test, give(NR), 0u);
	KUNIT_EXPECT_EQ(test, take(NR), 0u);
	KUNIT_EXPECT_EQ(test, barn_pages() - before, 0ul);
	KUNIT_EXPECT_EQ(test, give(NR), NR);
	KUNIT_EXPECT_EQ(test, barn_pages() - before, NR / BATCHES_PER_PAGE);
	KUNIT_EXPECT_EQ(test, take(NR), NR);
	KUNIT_EXPECT_EQ(test, barn_pages() - before, NR / BATCHES_PER_PAGE);
	CHILD_EXPECT_SUCCESS(test, give_and_take_without_memory, NULL);
	KUNIT_EXPECT_EQ(test, give(NR / 2), NR / 2);
	KUNIT_EXPECT_EQ(test, barn_pages() - before, NR / BATCHES_PER_PAGE);
}

/* Pages that the capacity no longer needs go back, except those with batches in them. */
static void test_barn_pages_go_with_the_capacity(struct kunit *test)
{
	unsigned long before = barn_pages();

	give(NR);
	take(NR);
	KUNIT_EXPECT_EQ(test, give(NR), NR);
	KUNIT_EXPECT_EQ(test, take(NR / 2), NR / 2);
	KUNIT_EXPECT_EQ(test, barn_shrink(&barn, NR / 2 + 1), 0u);
	KUNIT_EXPECT_EQ(test, barn_pages() - before, NR / 2 / BATCHES_PER_PAGE + 1);
	KUNIT_EXPECT_EQ(test, barn_shrink(&barn, BATCHES_PER_PAGE), NR / 2 - BATCHES_PER_PAGE + 0u);
	KUNIT_EXPECT_EQ(test, barn_pages() - before, 1ul);
	KUNIT_EXPECT_EQ(test, take(NR), BATCHES_PER_PAGE);
	KUNIT_EXPECT_EQ(test, barn_pages() - before, 1ul);
	KUNIT_EXPECT_EQ(test, barn_shrink(&barn, 0), 0u);
	KUNIT_EXPECT_EQ(test, barn_pages() - before, 0ul);
}

/* When memory runs short the empty pages go back, whatever the barn has room for. */
static void test_barn_pages_are_released(struct kunit *test)
{
	unsigned long before = barn_pages();

	give(NR);
	take(NR);
	KUNIT_EXPECT_EQ(test, give(NR), NR);
	KUNIT_EXPECT_EQ(test, take(NR - 1), NR - 1);
	KUNIT_EXPECT_EQ(test, barn_pages() - before, NR / BATCHES_PER_PAGE);
	KUNIT_EXPECT_EQ(test, barn_empty_pages(&barn), NR / BATCHES_PER_PAGE - 1u);
	KUNIT_EXPECT_EQ(test, barn_budget_release(1), BATCH + NR / BATCHES_PER_PAGE + 0ul);
	KUNIT_EXPECT_EQ(test, barn_pages() - before, 0ul);
	KUNIT_EXPECT_EQ(test, give(NR / 2), NR / 2);
	KUNIT_EXPECT_EQ(test, take(NR / 2), NR / 2);
	/* The shrinker also counts a barn that has only empty pages. */
	KUNIT_EXPECT_GT(test, barn_pages() - before, 0ul);
	for (int i = 0; i < 4; i++)
		shrink_slab(GFP_KERNEL, 0, NULL, 0);
	KUNIT_EXPECT_EQ(test, barn_pages() - before, 0ul);
	KUNIT_EXPECT_EQ(test, barn_budget_release(~0UL), 0ul);
	KUNIT_EXPECT_GT(test, barn.capacity, 0u);
}

static int begin(struct kunit *test)
{
	if (slab_init())
		return -1;
	test_stop_ageing();
	barn_budget_set_budget(1UL << 40, 1UL << 40);
	barn = (struct barn){ 0 };
	lock_acquire(&slab_caches_lock);
	barn_init(&barn, BATCH, 64, forget);
	lock_release(&slab_caches_lock);
	KUNIT_EXPECT_EQ(test, barn.batches_per_page, BATCHES_PER_PAGE);
	return 0;
}

static void end(struct kunit *test)
{
	barn_close(&barn);
	KUNIT_EXPECT_NULL(test, barn.empty);
	KUNIT_EXPECT_EQ(test, barn.nr_pages, 0u);
	lock_acquire(&slab_caches_lock);
	barn_destroy(&barn);
	lock_release(&slab_caches_lock);
}

static struct kunit_case barn_pages_cases[] = {
	KUNIT_CASE(test_barn_pages_stay),
	KUNIT_CASE(test_barn_pages_go_with_the_capacity),
	KUNIT_CASE(test_barn_pages_are_released),
	{ 0 },
};

static struct kunit_suite barn_pages_suite = {
	.name = "slab_barn_pages",
	.init = begin,
	.exit = end,
	.test_cases = barn_pages_cases,
};

kunit_test_suite(barn_pages_suite);
