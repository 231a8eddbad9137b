/* SPDX-License-Identifier: MIT */
/*
 * Barns against a simple model. Their objects are numbers here: a barn must not look
 * behind a pointer.
 */
#include "os/os.h"
#include "page/zone.h"
#include "slab/cache.h"
#include "slab/sheaf/barn_budget.h"
#include "slab/slab.h"
#include "support/child.h"
#include "support/handler.h"
#include "support/kernel.h"
#include "support/prng.h"

#define NR_PENS 5
#define DEEP 600
#define STEPS 200000
#define OBJECT_BYTES 100

/* A barn, and the batches that should be in it, the last one on top. */
struct pen {
	struct barn barn;
	struct kunit *test;
	unsigned long batches[DEEP];
	unsigned int nr;
	unsigned long nr_back;		/* batches that were given back */
};

static struct pen pens[NR_PENS];
static unsigned long next_batch;
static uint64_t clock_ms;

static void fill(void **objects, unsigned long batch, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		objects[i] = (void *)(batch * 64 + i);
}

static bool is_batch(void *const *objects, unsigned long batch, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		if (objects[i] != (void *)(batch * 64 + i))
			return false;
	return true;
}

static void take_back(struct barn *barn, void **objects, unsigned int n)
{
	struct pen *pen = (struct pen *)((char *)barn - offsetof(struct pen, barn));

	KUNIT_ASSERT_GT(pen->test, pen->nr, 0u);
	pen->nr--;
	pen->nr_back++;
	KUNIT_EXPECT_EQ(pen->test, n, (unsigned int)barn->batch);
	KUNIT_EXPECT_TRUE(pen->test, is_batch(objects, pen->batches[pen->nr], n));
}

static void open_pen_for(struct kunit *test, struct pen *pen, unsigned int batch,
			 unsigned int object_bytes)
{
	*pen = (struct pen){ .test = test };
	lock_acquire(&slab_caches_lock);
	barn_init(&pen->barn, batch, object_bytes, take_back);
	lock_release(&slab_caches_lock);
}

static void open_pen(struct kunit *test, struct pen *pen, unsigned int batch)
{
	open_pen_for(test, pen, batch, OBJECT_BYTES);
}

static void close_pen(struct pen *pen)
{
	barn_close(&pen->barn);
	KUNIT_EXPECT_EQ(pen->test, pen->nr, 0u);
	KUNIT_EXPECT_EQ(pen->test, pen->barn.nr, 0u);
	KUNIT_EXPECT_EQ(pen->test, pen->barn.capacity, 0u);
	KUNIT_EXPECT_NULL(pen->test, pen->barn.top);
	KUNIT_EXPECT_NULL(pen->test, pen->barn.empty);
	lock_acquire(&slab_caches_lock);
	barn_destroy(&pen->barn);
	lock_release(&slab_caches_lock);
}

static bool give(struct pen *pen)
{
	void *objects[BARN_BATCH_MAX];

	fill(objects, ++next_batch, pen->barn.batch);
	if (!barn_give(&pen->barn, objects, pen->barn.batch))
		return false;
	KUNIT_ASSERT_LT(pen->test, pen->nr, (unsigned int)DEEP);
	pen->batches[pen->nr++] = next_batch;
	return true;
}

static bool take(struct pen *pen)
{
	void *objects[BARN_BATCH_MAX] = { NULL };
	unsigned int n = barn_take(&pen->barn, objects);

	if (!n)
		return false;
	KUNIT_EXPECT_EQ(pen->test, n, (unsigned int)pen->barn.batch);
	KUNIT_ASSERT_GT(pen->test, pen->nr, 0u);
	pen->nr--;
	KUNIT_EXPECT_TRUE(pen->test, is_batch(objects, pen->batches[pen->nr], n));
	return true;
}

static void set_budget(size_t bytes)
{
	barn_budget_set_budget(bytes, bytes);
}

/* Gives the barn room for n batches as a program does: n batches are refused, and then wanted. */
static void make_room(struct pen *pen, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		KUNIT_EXPECT_FALSE(pen->test, give(pen));
	for (unsigned int i = 0; i < n; i++)
		KUNIT_EXPECT_FALSE(pen->test, take(pen));
}

static void one_period(void)
{
	clock_ms += BARN_AGE_MS;
	barn_budget_age(clock_ms);
}

/*
 * Empties the library's own barns and takes their room, and that of its sheaves, which may have
 * grown on several nodes. From then on the test sets the time.
 */
static int begin(struct kunit *test)
{
	if (slab_init())
		return -1;
	usermm_trim(0);
	clock_ms = max(clock_ms, os_time_ms() + 3600000);
	for (unsigned int i = 0; i < 100 && barn_budget_reserved_bytes(); i++)
		one_period();
	KUNIT_EXPECT_EQ(test, barn_budget_reserved_bytes(), 0ul);
	KUNIT_EXPECT_EQ(test, barn_pages(), 0ul);
	set_budget(1UL << 40);
	return 0;
}

static void end(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, barn_budget_reserved_bytes(), 0ul);
	KUNIT_EXPECT_EQ(test, barn_pages(), 0ul);
}

/* --- The model ---------------------------------------------------------------- */

static void check(struct kunit *test, size_t budget)
{
	size_t worth = 0;

	for (unsigned int i = 0; i < NR_PENS; i++) {
		const struct pen *pen = &pens[i];

		KUNIT_ASSERT_EQ(test, pen->barn.nr, pen->nr);
		KUNIT_ASSERT_LE(test, pen->barn.nr, pen->barn.capacity);
		KUNIT_ASSERT_LE(test, pen->barn.low, pen->barn.nr);
		KUNIT_ASSERT_GE(test, pen->barn.high, pen->barn.nr);
		KUNIT_ASSERT_LE(test, pen->barn.nr_pages,
				DIV_ROUND_UP(pen->barn.capacity, pen->barn.batches_per_page + 0u));
		worth += (size_t)pen->barn.capacity * pen->barn.cost;
	}
	KUNIT_ASSERT_EQ(test, worth, barn_budget_reserved_bytes());
	KUNIT_ASSERT_LE(test, worth, budget);
}

/* Most of the time this pen is filled or emptied, so that its capacity has to follow. */
static void step(struct kunit *test, struct prng *prng, struct pen *pen, bool filling)
{
	unsigned long before, released;
	unsigned int keep;

	switch (prng_below(prng, 2000)) {
	case 0:
		keep = prng_below(prng, 40);
		barn_shrink(&pen->barn, keep);
		KUNIT_EXPECT_LE(test, pen->nr, keep);
		return;
	case 1:
		one_period();
		return;
	case 2:
		before = barn_objects(&pen->barn);
		released = barn_budget_release(prng_below(prng, 3000));
		if (before)
			KUNIT_EXPECT_LE(test, before - barn_objects(&pen->barn), released);
		return;
	default:
		if (prng_below(prng, 10) < (filling ? 9u : 1u))
			give(pen);
		else
			take(pen);
	}
}

static void test_barn_model(struct kunit *test)
{
	static const unsigned int batches[NR_PENS] = { 1, 11, 31, 32, 63 };
	const size_t budget = 400 * 31 * (OBJECT_BYTES + sizeof(void *));
	struct prng prng = { 4711 };
	unsigned long most = 0;

	set_budget(budget);
	for (unsigned int i = 0; i < NR_PENS; i++)
		open_pen(test, &pens[i], batches[i]);
	for (unsigned int i = 0; i < STEPS; i++) {
		struct pen *pen = &pens[(i / 3000 + prng_one_in(&prng, 10)) % NR_PENS];

		/* The pen may not get more objects than its model has room for. */
		step(test, &prng, pen, i / 300 % 2 && pen->nr < DEEP - 1);
		check(test, budget);
		most = max(most, (unsigned long)barn_budget_reserved_bytes());
	}
	/* The budget was used up, so that barns had to give way. */
	KUNIT_EXPECT_GT(test, most, budget - 63 * (OBJECT_BYTES + sizeof(void *)));
	for (unsigned int i = 0; i < NR_PENS; i++) {
		KUNIT_EXPECT_GT(test, pens[i].nr_back, 0ul);
		close_pen(&pens[i]);
	}
}

/* --- Capacity -------------------------------------------------------------------- */

static void test_barn_grows_by_what_it_refused(struct kunit *test)
{
	struct barn_counts counts;
	struct pen *pen = &pens[0];

	open_pen(test, pen, 31);
	/* Neither a refusal nor a miss alone makes a barn grow. */
	for (unsigned int i = 0; i < 100; i++)
		KUNIT_EXPECT_FALSE(test, take(pen));
	KUNIT_EXPECT_EQ(test, pen->barn.capacity, 0u);
	for (unsigned int i = 0; i < 100; i++)
		KUNIT_EXPECT_FALSE(test, give(pen));
	KUNIT_EXPECT_EQ(test, pen->barn.capacity, 0u);
	for (unsigned int i = 0; i < 120; i++)
		KUNIT_EXPECT_FALSE(test, take(pen));
	KUNIT_EXPECT_EQ(test, pen->barn.capacity, 100u);
	for (unsigned int i = 0; i < 100; i++)
		KUNIT_EXPECT_TRUE(test, give(pen));
	KUNIT_EXPECT_FALSE(test, give(pen));
	for (unsigned int i = 0; i < 100; i++)
		KUNIT_EXPECT_TRUE(test, take(pen));
	KUNIT_EXPECT_FALSE(test, take(pen));
	barn_read_counts(&pen->barn, &counts);
	KUNIT_EXPECT_EQ(test, counts.barn_get, 100ul);
	KUNIT_EXPECT_EQ(test, counts.barn_get_fail, 221ul);
	KUNIT_EXPECT_EQ(test, counts.barn_put, 100ul);
	KUNIT_EXPECT_EQ(test, counts.barn_put_fail, 101ul);
	close_pen(pen);
}

static void test_barn_forgets_old_refusals(struct kunit *test)
{
	struct pen *pen = &pens[0];

	open_pen(test, pen, 31);
	KUNIT_EXPECT_FALSE(test, give(pen));
	os_sleep_us((BARN_SPAN_MS + 50) * 1000);
	KUNIT_EXPECT_FALSE(test, take(pen));
	KUNIT_EXPECT_EQ(test, pen->barn.capacity, 0u);
	close_pen(pen);
}

static void test_barn_takes_whole_batches_only(struct kunit *test)
{
	void *objects[BARN_BATCH_MAX];
	struct pen *pen = &pens[0];

	open_pen(test, pen, 31);
	make_room(pen, 2);
	fill(objects, 1, BARN_BATCH_MAX);
	KUNIT_EXPECT_FALSE(test, barn_give(&pen->barn, objects, 30));
	KUNIT_EXPECT_FALSE(test, barn_give(&pen->barn, objects, 32));
	KUNIT_EXPECT_EQ(test, pen->barn.nr, 0u);
	KUNIT_EXPECT_TRUE(test, give(pen));
	close_pen(pen);
}

/* A zeroed barn, as static caches have before they are made. */
static void test_barn_zeroed(struct kunit *test)
{
	static struct barn barn;
	void *objects[BARN_BATCH_MAX] = { NULL };

	KUNIT_EXPECT_EQ(test, barn_take(&barn, objects), 0u);
	KUNIT_EXPECT_FALSE(test, barn_give(&barn, objects, 31));
	KUNIT_EXPECT_EQ(test, barn_objects(&barn), 0ul);
}

static void test_barn_closed_takes_nothing(struct kunit *test)
{
	struct pen *pen = &pens[0];

	open_pen(test, pen, 31);
	make_room(pen, 3);
	KUNIT_EXPECT_TRUE(test, give(pen));
	barn_close(&pen->barn);
	KUNIT_EXPECT_EQ(test, pen->nr_back, 1ul);
	make_room(pen, 3);
	KUNIT_EXPECT_EQ(test, pen->barn.capacity, 0u);
	lock_acquire(&slab_caches_lock);
	barn_destroy(&pen->barn);
	lock_release(&slab_caches_lock);
}

/* --- The budget --------------------------------------------------------------------- */

static void test_barn_stays_in_the_budget(struct kunit *test)
{
	struct pen *pen = &pens[0];

	open_pen(test, pen, 31);
	set_budget(10 * pen->barn.cost + 1);
	make_room(pen, 10);
	KUNIT_EXPECT_EQ(test, pen->barn.capacity, 10u);
	make_room(pen, 0);
	for (unsigned int i = 0; i < 10; i++)
		KUNIT_EXPECT_TRUE(test, give(pen));
	for (unsigned int i = 0; i < 5; i++)
		KUNIT_EXPECT_FALSE(test, give(pen));
	for (unsigned int i = 0; i < 10; i++)
		KUNIT_EXPECT_TRUE(test, take(pen));
	for (unsigned int i = 0; i < 5; i++)
		KUNIT_EXPECT_FALSE(test, take(pen));
	KUNIT_EXPECT_EQ(test, pen->barn.capacity, 10u);
	KUNIT_EXPECT_EQ(test, barn_budget_reserved_bytes(), 10ul * pen->barn.cost);
	/* Nothing at all: not even one batch. */
	set_budget(1);
	barn_shrink(&pen->barn, 0);
	make_room(pen, 5);
	KUNIT_EXPECT_EQ(test, barn_budget_reserved_bytes(), 0ul);
	close_pen(pen);
}

/*
 * A barn that was not used for two steps of the clock gives way, and its batches come back; one
 * that was used stays.
 */
static void test_barn_idle_ones_give_way(struct kunit *test)
{
	struct pen *idle = &pens[0], *busy = &pens[1], *wants = &pens[2];

	for (unsigned int i = 0; i < 3; i++)
		open_pen(test, &pens[i], 31);
	set_budget(20 * idle->barn.cost);
	make_room(idle, 10);
	make_room(busy, 10);
	for (unsigned int i = 0; i < 10; i++)
		KUNIT_EXPECT_TRUE(test, give(idle) && give(busy));
	for (unsigned int i = 0; i < 2; i++) {
		barn_budget_age(clock_ms += BARN_EPOCH_MS);
		KUNIT_EXPECT_TRUE(test, take(busy) && give(busy));
	}
	for (unsigned int i = 0; i < 50 && wants->barn.capacity < 8; i++) {
		KUNIT_EXPECT_TRUE(test, take(busy) && give(busy));
		while (give(wants))
			;
		while (take(wants))
			;
		KUNIT_ASSERT_LE(test, barn_budget_reserved_bytes(), 20ul * idle->barn.cost);
	}
	KUNIT_EXPECT_EQ(test, wants->barn.capacity, 8u);
	KUNIT_EXPECT_LE(test, idle->barn.capacity, 2u);
	KUNIT_EXPECT_GE(test, idle->nr_back, 8ul);
	KUNIT_EXPECT_EQ(test, busy->barn.capacity, 10u);
	KUNIT_EXPECT_EQ(test, busy->nr_back, 0ul);
	for (unsigned int i = 0; i < 3; i++)
		close_pen(&pens[i]);
}

/* A new slab replaces what idle barns have beyond the firm part; busy barns stay. */
static void test_barn_idle_ones_make_way(struct kunit *test)
{
	struct pen *idle = &pens[0], *busy = &pens[1];
	size_t slabs = barn_budget_slab_bytes(), cost;

	open_pen(test, idle, 31);
	open_pen(test, busy, 31);
	cost = idle->barn.cost;
	make_room(idle, 10);
	make_room(busy, 10);
	for (unsigned int i = 0; i < 10; i++)
		KUNIT_EXPECT_TRUE(test, give(idle) && give(busy));
	barn_budget_count_slabs(-(long)slabs);
	barn_budget_set_budget(1UL << 40, 25 * cost);
	barn_budget_make_way(cost);
	KUNIT_EXPECT_EQ_MSG(test, barn_budget_reserved_bytes(), 20 * cost, "all of it is firm");
	barn_budget_set_budget(1UL << 40, 12 * cost);
	barn_budget_make_way(cost);
	KUNIT_EXPECT_EQ_MSG(test, barn_budget_reserved_bytes(), 20 * cost, "both are in use");
	for (unsigned int i = 0; i < 2; i++) {
		barn_budget_age(clock_ms += BARN_EPOCH_MS);
		KUNIT_EXPECT_TRUE(test, take(busy) && give(busy));
	}
	/* Each looks at a few barns only. */
	for (unsigned int i = 0; i < 30; i++)
		barn_budget_make_way(cost);
	KUNIT_EXPECT_LE(test, barn_budget_reserved_bytes(), 12 * cost);
	KUNIT_EXPECT_GE(test, barn_budget_reserved_bytes(), 10 * cost);
	KUNIT_EXPECT_GT_MSG(test, idle->nr_back, 0ul, "its batches have not come back");
	KUNIT_EXPECT_EQ(test, busy->barn.capacity, 10u);
	KUNIT_EXPECT_EQ(test, busy->nr_back, 0ul);
	barn_budget_count_slabs((long)slabs);
	close_pen(idle);
	close_pen(busy);
}

/* The barn has 20 batches. A slab that needs so much new memory replaces as many bytes. */
static void expect_large_to_make_way(struct kunit *test, struct pen *large)
{
	size_t bytes = nodes_dirty_pages() * PAGE_SIZE + 5 * large->barn.cost;

	/* As long as there is memory that was used before, all stays. */
	barn_budget_make_way(0);
	KUNIT_EXPECT_EQ(test, large->nr_back, 0ul);
	barn_budget_make_way(bytes);
	KUNIT_EXPECT_GE(test, large->nr_back * large->barn.cost,
			min(bytes, 20ul * large->barn.cost));
	KUNIT_EXPECT_EQ(test, large->nr_back + large->barn.nr, 20ul);
	KUNIT_EXPECT_EQ(test, large->barn.capacity, large->barn.nr);
}

/* Large objects make way for slabs in new memory although their barn was used just now. */
static void test_barn_large_ones_make_way(struct kunit *test)
{
	struct pen *small = &pens[0], *large = &pens[1];
	size_t huge = 1UL << 40;

	set_budget(huge);
	open_pen_for(test, small, 31, PAGE_SIZE / 2);
	make_room(small, 20);
	for (unsigned int i = 0; i < 20; i++)
		KUNIT_EXPECT_TRUE(test, give(small));
	KUNIT_ASSERT_GT(test, barn_budget_reserved_bytes(), MIB);
	/* It finds none; the next one looks again after the slabs have grown. */
	barn_budget_make_way(huge);
	KUNIT_EXPECT_EQ(test, small->nr_back, 0ul);
	open_pen_for(test, large, 31, 2 * PAGE_SIZE);
	make_room(large, 20);
	for (unsigned int i = 0; i < 20; i++)
		KUNIT_EXPECT_TRUE(test, give(large));
	barn_budget_make_way(huge);
	KUNIT_EXPECT_EQ(test, large->nr_back, 0ul);
	barn_budget_count_slabs(huge);
	expect_large_to_make_way(test, large);
	KUNIT_EXPECT_EQ(test, small->nr_back, 0ul);
	barn_budget_count_slabs(-(long)huge);
	close_pen(small);
	close_pen(large);
}

/* --- Age --------------------------------------------------------------------------- */

static void test_barn_idle_ones_shrink_with_time(struct kunit *test)
{
	struct pen *idle = &pens[0], *busy = &pens[1];
	unsigned int periods = 0;

	open_pen(test, idle, 31);
	open_pen(test, busy, 31);
	make_room(idle, 100);
	make_room(busy, 100);
	for (unsigned int i = 0; i < 100; i++)
		KUNIT_EXPECT_TRUE(test, give(idle) && give(busy));
	one_period();	/* everything was used in this one */
	KUNIT_EXPECT_EQ(test, idle->nr_back, 0ul);
	barn_budget_age(clock_ms + BARN_AGE_MS - 1);	/* not yet */
	KUNIT_EXPECT_EQ(test, idle->nr_back, 0ul);
	for (; idle->barn.capacity && periods < 20; periods++) {
		while (take(busy))
			;
		while (busy->nr < 100 && give(busy))
			;
		one_period();
	}
	KUNIT_EXPECT_EQ(test, idle->nr_back, 100ul);
	KUNIT_EXPECT_EQ(test, idle->barn.capacity, 0u);
	KUNIT_EXPECT_GE(test, periods, 5u);	/* by halves, not at once */
	KUNIT_EXPECT_NULL(test, idle->barn.empty);
	KUNIT_EXPECT_EQ(test, busy->nr, 100u);
	KUNIT_EXPECT_EQ(test, busy->nr_back, 0ul);
	close_pen(idle);
	close_pen(busy);
}

/* The part of a barn that is in use stays. */
static void test_barn_keeps_what_it_uses(struct kunit *test)
{
	struct pen *pen = &pens[0];

	open_pen(test, pen, 31);
	make_room(pen, 100);
	while (pen->nr < 100)
		KUNIT_ASSERT_TRUE(test, give(pen));
	for (unsigned int period = 0; period < 20; period++) {
		for (unsigned int i = 0; i < 10; i++)
			KUNIT_EXPECT_TRUE(test, take(pen));
		for (unsigned int i = 0; i < 10; i++)
			KUNIT_EXPECT_TRUE(test, give(pen));
		one_period();
	}
	KUNIT_EXPECT_GE(test, pen->nr, 10u);
	KUNIT_EXPECT_LE(test, pen->barn.capacity, 12u);
	close_pen(pen);
}

/*
 * If more has to go than may go at a time, the rest goes step by step, sooner than the next period.
 */
static void test_barn_ages_in_pieces(struct kunit *test)
{
	struct pen *pen = &pens[0];

	open_pen(test, pen, 31);
	make_room(pen, DEEP);
	while (pen->nr < DEEP)
		KUNIT_ASSERT_TRUE(test, give(pen));
	one_period();
	one_period();
	KUNIT_EXPECT_EQ(test, pen->nr_back, 256ul);
	clock_ms += BARN_AGE_MS / 10;
	barn_budget_age(clock_ms);
	KUNIT_EXPECT_EQ(test, pen->nr_back, 256ul + (DEEP - 256) / 2);
	close_pen(pen);
}

/* --- Shrinking ----------------------------------------------------------------------- */

static void test_barn_shrink(struct kunit *test)
{
	struct pen *pen = &pens[0];

	open_pen(test, pen, 31);
	make_room(pen, 50);
	while (pen->nr < 50)
		KUNIT_ASSERT_TRUE(test, give(pen));
	KUNIT_EXPECT_EQ(test, barn_shrink(&pen->barn, 20), 30u);
	KUNIT_EXPECT_EQ(test, pen->nr, 20u);
	KUNIT_EXPECT_EQ(test, pen->barn.capacity, 20u);
	KUNIT_EXPECT_EQ(test, barn_shrink(&pen->barn, 20), 0u);
	KUNIT_EXPECT_EQ(test, barn_shrink(&pen->barn, 0), 20u);
	KUNIT_EXPECT_EQ(test, barn_shrink(&pen->barn, 0), 0u);
	KUNIT_EXPECT_NULL(test, pen->barn.empty);
	close_pen(pen);
}

static void test_barn_release(struct kunit *test)
{
	struct pen *pen = &pens[0];

	open_pen(test, pen, 31);
	make_room(pen, 50);
	while (pen->nr < 50)
		KUNIT_ASSERT_TRUE(test, give(pen));
	KUNIT_EXPECT_EQ(test, barn_budget_release(0), 0ul);
	KUNIT_EXPECT_EQ(test, barn_budget_release(1), 31ul);
	KUNIT_EXPECT_EQ(test, barn_budget_release(62), 62ul);
	KUNIT_EXPECT_EQ(test, barn_budget_release(~0UL), 47 * 31ul);
	KUNIT_EXPECT_EQ(test, barn_budget_release(~0UL), 0ul);
	close_pen(pen);
}

/* As a request does that found no memory. */
static void test_barn_shrinker(struct kunit *test)
{
	struct pen *pen = &pens[0];
	unsigned long freed = 0;

	open_pen(test, pen, 31);
	make_room(pen, 50);
	while (pen->nr < 50)
		KUNIT_ASSERT_TRUE(test, give(pen));
	for (int priority = 12; priority >= 0; priority--)
		freed += shrink_slab(GFP_KERNEL, 0, NULL, priority);
	KUNIT_EXPECT_EQ(test, pen->nr, 0u);
	KUNIT_EXPECT_EQ(test, freed, 50 * 31ul);
	close_pen(pen);
}

/* --- Refusals ------------------------------------------------------------------------ */

static void without_pages(struct kunit *test, void *arg)
{
	struct pen *pen = arg;

	usermm_arm_faults();
	KUNIT_EXPECT_FALSE(test, give(pen));
	KUNIT_EXPECT_EQ(test, pen->barn.nr, 0u);
	KUNIT_EXPECT_GT(test, pen->barn.capacity, 0u);
	KUNIT_EXPECT_FALSE(test, take(pen));
}

static void test_barn_without_pages(struct kunit *test)
{
	struct pen *pen = &pens[0];

	open_pen(test, pen, 31);
	make_room(pen, 5);
	CHILD_EXPECT_SUCCESS(test, without_pages, pen);
	KUNIT_EXPECT_TRUE(test, give(pen));
	close_pen(pen);
}

static void in_handler_above_holder(void *arg)
{
	struct pen *pen = arg;

	KUNIT_EXPECT_FALSE(pen->test, give(pen));
	KUNIT_EXPECT_FALSE(pen->test, take(pen));
	KUNIT_EXPECT_EQ(pen->test, barn_budget_release(~0UL), 0ul);
	barn_budget_age(clock_ms + 10 * BARN_AGE_MS);
}

static void in_handler_above_other(void *arg)
{
	struct pen *pen = arg;

	KUNIT_EXPECT_TRUE(pen->test, give(pen));
	KUNIT_EXPECT_TRUE(pen->test, take(pen));
}

static void test_barn_in_handlers(struct kunit *test)
{
	struct pen *pen = &pens[0];

	open_pen(test, pen, 31);
	make_room(pen, 5);
	KUNIT_EXPECT_TRUE(test, give(pen));
	lock_acquire(&pen->barn.lock);
	run_in_handler(in_handler_above_holder, pen);
	lock_release(&pen->barn.lock);
	KUNIT_EXPECT_EQ(test, pen->nr, 1u);
	KUNIT_EXPECT_EQ(test, pen->nr_back, 0ul);
	/* A handler above the holder of a lock that ranks below a barn's can use the barn. */
	lock_acquire(&slab_caches_lock);
	run_in_handler(in_handler_above_other, pen);
	lock_release(&slab_caches_lock);
	close_pen(pen);
}

static struct kunit_case barn_cases[] = {
	KUNIT_CASE_SLOW(test_barn_model),
	KUNIT_CASE(test_barn_grows_by_what_it_refused),
	KUNIT_CASE(test_barn_forgets_old_refusals),
	KUNIT_CASE(test_barn_takes_whole_batches_only),
	KUNIT_CASE(test_barn_zeroed),
	KUNIT_CASE(test_barn_closed_takes_nothing),
	KUNIT_CASE(test_barn_stays_in_the_budget),
	KUNIT_CASE(test_barn_idle_ones_give_way),
	KUNIT_CASE(test_barn_idle_ones_make_way),
	KUNIT_CASE(test_barn_large_ones_make_way),
	KUNIT_CASE(test_barn_idle_ones_shrink_with_time),
	KUNIT_CASE(test_barn_keeps_what_it_uses),
	KUNIT_CASE(test_barn_ages_in_pieces),
	KUNIT_CASE(test_barn_shrink),
	KUNIT_CASE(test_barn_release),
	KUNIT_CASE(test_barn_shrinker),
	KUNIT_CASE(test_barn_without_pages),
	KUNIT_CASE(test_barn_in_handlers),
	{ 0 },
};

static struct kunit_suite barn_suite = {
	.name = "slab_barn",
	.init = begin,
	.exit = end,
	.test_cases = barn_cases,
};

kunit_test_suite(barn_suite);
