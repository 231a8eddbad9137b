/* SPDX-License-Identifier: MIT */
/* Memory outside of the window is charged to all zones together: budget.h. */
#include "base/upward_hooks.h"
#include "page/budget.h"

#include "page/reclaim/release.h"
#include "page/zonelist.h"
#include "support/handler.h"
#include "support/prng.h"
#include "support/threads.h"
#include "support/zones.h"

#define NR_BLOCKS 16
#define NR_STEPS TEST_STEPS(4000)
#define NR_THREADS 4

/* Pages that may be charged, by zone_charge()'s rule and what zones keep for others. */
static unsigned long chargeable_pages(const struct zone *z)
{
	unsigned long kept = wmark_pages(z, WMARK_MIN) + z->lowmem_reserve[ZONE_MOVABLE] + 1;

	return z->free_pages > kept ? z->free_pages - kept : 0;
}

static unsigned long room_of_all(void)
{
	unsigned long room = 0;
	struct zone *z;

	for_each_populated_zone(z)
		room += chargeable_pages(z);
	return room;
}

static void expect_nothing_charged(struct kunit *test, unsigned long free_before)
{
	struct zone *z;

	KUNIT_EXPECT_EQ(test, nodes_free_pages(), free_before);
	for_each_populated_zone(z) {
		KUNIT_EXPECT_EQ(test, z->mapped, 0);
		KUNIT_EXPECT_LE(test, z->free_pages, z->managed_pages);
	}
}

/* The whole budget can be charged, at once or bit by bit, and not one page more. */
static void charge_all(struct kunit *test)
{
	unsigned long start = nodes_free_pages(), room = room_of_all(), step = room / 7;
	struct zone *z;

	KUNIT_EXPECT_TRUE(test, budget_charge(room));
	KUNIT_EXPECT_FALSE(test, budget_charge(1));
	KUNIT_EXPECT_EQ(test, nodes_free_pages(), start - room);
	for_each_populated_zone(z)
		KUNIT_EXPECT_GT(test, z->free_pages, wmark_pages(z, WMARK_MIN));
	budget_uncharge(room);
	expect_nothing_charged(test, start);

	for (unsigned int i = 0; i < 7; i++)
		KUNIT_EXPECT_TRUE(test, budget_charge(step));
	KUNIT_EXPECT_FALSE(test, budget_charge(step));
	budget_uncharge(7 * step);
	expect_nothing_charged(test, start);
}

/* A charge that is refused takes nothing. */
static void refuse(struct kunit *test)
{
	unsigned long start = nodes_free_pages(), room = room_of_all();

	KUNIT_EXPECT_FALSE(test, budget_charge(room + chargeable_pages(budget_zone())));
	KUNIT_EXPECT_FALSE(test, budget_charge(1UL << 40));
	expect_nothing_charged(test, start);
}

/* Charges of all sizes, which come and go in any order. */
static void charge_at_random(struct kunit *test)
{
	unsigned long start = nodes_free_pages(), room = room_of_all(), sum = 0;
	unsigned long blocks[NR_BLOCKS] = { 0 };
	struct prng prng = { 9 };

	for (unsigned long step = 0; step < NR_STEPS; step++) {
		unsigned long *block = &blocks[prng_below(&prng, NR_BLOCKS)];
		unsigned long pages = 1 + prng_below(&prng, room / 4);

		if (*block) {
			budget_uncharge(*block);
			sum -= *block;
			*block = 0;
		} else if (budget_charge(pages)) {
			*block = pages;
			sum += pages;
		} else {
			KUNIT_EXPECT_GT(test, sum + pages, room);
		}
		KUNIT_ASSERT_EQ(test, nodes_free_pages(), start - sum);
	}
	budget_uncharge(sum);
	expect_nothing_charged(test, start);
}

static unsigned int nr_asked;

static unsigned long count_asked(void)
{
	nr_asked++;
	return 0;
}

static size_t decay_nothing(void)
{
	return 0;
}

/*
 * For a charge that is needed, the layer above gives back what it keeps. For an optional charge it
 * is not asked.
 */
static void wish(struct kunit *test)
{
	unsigned long start = nodes_free_pages(), room = room_of_all();

	release_set_keeper(count_asked, decay_nothing);
	KUNIT_EXPECT_TRUE(test, budget_charge_spare(room));
	KUNIT_EXPECT_FALSE(test, budget_charge_spare(1));
	KUNIT_EXPECT_EQ(test, nr_asked, 0);
	KUNIT_EXPECT_FALSE(test, budget_charge(1));
	KUNIT_EXPECT_EQ(test, nr_asked, 1);
	/* For a charge that no release could make room for, it is not asked. */
	KUNIT_EXPECT_FALSE(test, budget_charge(1UL << 40));
	KUNIT_EXPECT_EQ(test, nr_asked, 1);
	budget_uncharge(room);
	expect_nothing_charged(test, start);
}

static void charge_all_in_handler(void *arg)
{
	struct kunit *test = arg;
	unsigned long room = room_of_all();

	KUNIT_EXPECT_TRUE(test, budget_charge(room));
	KUNIT_EXPECT_FALSE(test, budget_charge(1));
	budget_uncharge(room);
}

/* Above the holder of one zone's lock. */
static void charge_above_holder(struct kunit *test)
{
	unsigned long start = nodes_free_pages();
	struct zone *z = budget_zone();

	lock_acquire(&z->lock);
	run_in_handler(charge_all_in_handler, test);
	lock_release(&z->lock);
	KUNIT_EXPECT_TRUE(test, budget_charge(1));
	budget_uncharge(1);
	expect_nothing_charged(test, start);
}

static void charge_in_thread(struct test_thread *thread)
{
	const unsigned long *room = thread->arg;

	for (unsigned long step = 0; step < NR_STEPS; step++) {
		unsigned long pages = 1 + prng_below(&thread->prng, *room / 2);

		if (budget_charge(pages))
			budget_uncharge(pages);
	}
}

/* There is room for all charges that exist at a time. */
static void charge_share_in_thread(struct test_thread *thread)
{
	const unsigned long *room = thread->arg;

	for (unsigned long step = 0; step < 20 * NR_STEPS; step++) {
		unsigned long pages = *room / NR_THREADS - prng_below(&thread->prng, 10);

		KUNIT_ASSERT_TRUE_MSG(thread->test, budget_charge(pages), "%lu pages of %lu", pages,
				      *room);
		budget_uncharge(pages);
	}
}

static void charge_in_threads(struct kunit *test)
{
	unsigned long start = nodes_free_pages(), room = room_of_all();

	test_unpin();
	test_threads_run(test, NR_THREADS, charge_in_thread, &room);
	expect_nothing_charged(test, start);
	test_threads_run(test, NR_THREADS, charge_share_in_thread, &room);
	expect_nothing_charged(test, start);
}

static const char *const machines[] = {
	"zone_normal=64M:pcp=off",
	"nodes=2:zone_normal=32M:pcp=off",
	"nodes=4:zone_normal=16M:pcp=off",
	"nodes=8:zone_normal=8M:pcp=off",
	"zone_dma=4M:zone_normal=16M:zone_movable=32M:pcp=off",
	"nodes=2:zone_dma=4M:zone_dma32=8M:zone_normal=16M:pcp=off",
};

static void on_all_machines(struct kunit *test, void (*fn)(struct kunit *test))
{
	for (unsigned int i = 0; i < ARRAY_SIZE(machines); i++)
		zones_run(test, machines[i], fn);
}

static void test_budget_whole(struct kunit *test)
{
	on_all_machines(test, charge_all);
	on_all_machines(test, refuse);
}

static void test_budget_wish(struct kunit *test)
{
	on_all_machines(test, wish);
}

static void test_budget_random(struct kunit *test)
{
	on_all_machines(test, charge_at_random);
}

static void test_budget_handlers(struct kunit *test)
{
	on_all_machines(test, charge_above_holder);
}

static void test_budget_threads(struct kunit *test)
{
	on_all_machines(test, charge_in_threads);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(test_budget_whole),
	KUNIT_CASE(test_budget_wish),
	KUNIT_CASE(test_budget_random),
	KUNIT_CASE(test_budget_handlers),
	KUNIT_CASE(test_budget_threads),
	{ 0 },
};

static struct kunit_suite suite = { .name = "page-budget", .test_cases = cases };

kunit_test_suite(suite);
