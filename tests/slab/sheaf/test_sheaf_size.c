/* SPDX-License-Identifier: MIT */
/*
 * Rooms of sheaves: they grow with misses, within the barns' budget, and shrink when they are not
 * needed. The bytes reserved from the budget always equal those of all rooms together.
 */
#include "percpu/remote.h"
#include "slab/cache.h"
#include "slab/cpu_cache.h"
#include "slab/sheaf/barn_budget.h"
#include "slab/sheaf/cache_barns.h"
#include "slab/sheaf/sheaf_size.h"
#include "support/kernel.h"
#include "support/pages.h"
#include "support/slabs.h"
#include "support/threads.h"

#define OBJECT_BYTES 256
#define FIRST_ROOM (PAGE_SIZE / OBJECT_BYTES)
#define BUDGET (64UL << 20)
#define NR_OBJECTS 2000

static struct kmem_cache *cache;
static void *objects[NR_OBJECTS];
static size_t reserved_before;

/* Of this cache's, if nobody else's rooms and barns have changed. */
static size_t reserved(void)
{
	return barn_budget_reserved_bytes() - reserved_before;
}

static uint32_t room_here(void)
{
	return *(uint32_t *)percpu_ptr(cache->sheaf_room, (unsigned int)percpu_current_slot());
}

static uint32_t limit_here(void)
{
	const struct percpu_array *sheaf =
		percpu_ptr(cache->own_sheaf, (unsigned int)percpu_current_slot());

	return atomic_load_relaxed(&sheaf->limit);
}

static size_t worth(uint32_t room)
{
	return (room - FIRST_ROOM) * OBJECT_BYTES;
}

static int begin_with(struct kunit *test, unsigned int bytes, unsigned int sheaf_capacity)
{
	const struct slab_cache_request request = {
		.name = "room", .size = bytes, .sheaf_capacity = sheaf_capacity,
	};

	if (slab_init())
		return -1;
	test_stop_ageing();
	barn_budget_set_budget(BUDGET, BUDGET);
	cache = slab_cache_create(&request);
	test_pin(0);
	if (cache && !cache->own_sheaf)
		kunit_skip(test, "rooms are for sheaves");
	reserved_before = barn_budget_reserved_bytes();
	return cache ? 0 : -1;
}

static int begin(struct kunit *test)
{
	return begin_with(test, OBJECT_BYTES, 0);
}

/* Only the room of the caches that hold a cache's own structures is left. */
static void end(struct kunit *test)
{
	bool had_sheaf = cache->own_sheaf;

	kmem_cache_destroy(cache);
	if (had_sheaf)
		KUNIT_EXPECT_LE(test, reserved(), 3 * PAGE_SIZE);
	test_unpin();
}

static void allocate(struct kunit *test, unsigned int nr)
{
	for (unsigned int i = 0; i < nr; i++) {
		objects[i] = kmem_cache_alloc(cache, GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, objects[i]);
	}
}

static void release(unsigned int nr)
{
	for (unsigned int i = 0; i < nr; i++)
		kmem_cache_free(cache, objects[i]);
}

/* The first miss brings the objects of a page, without a look at the budget. */
static void test_room_begins_with_a_page(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, room_here(), 0u);
	allocate(test, 1);
	KUNIT_EXPECT_EQ(test, room_here(), FIRST_ROOM);
	KUNIT_EXPECT_EQ(test, limit_here(), FIRST_ROOM);
	KUNIT_EXPECT_EQ(test, slab_cached_objects(cache), FIRST_ROOM - 1);
	KUNIT_EXPECT_EQ(test, reserved(), 0ul);
	release(1);
	KUNIT_EXPECT_EQ(test, room_here(), FIRST_ROOM);
}

/* Shrinking leaves a sheaf that it cannot stop as it is. */
static void need_stopping(struct kunit *test)
{
	if (!percpu_can_stop())
		kunit_skip(test, "slots cannot be stopped here");
}

/* Each time that the sheaf is empty, or has no room, there is twice as much of it. */
static void test_room_follows_misses(struct kunit *test)
{
	uint32_t room = 0;
	unsigned int taken = 0, steps = 0, put;

	while (room_here() < cache->sheaf_room_max && steps < 20) {
		objects[taken++] = kmem_cache_alloc(cache, GFP_KERNEL);
		if (room_here() == room)
			continue;
		KUNIT_EXPECT_EQ(test, room_here(),
				room ? min(2 * room, cache->sheaf_room_max) : (uint32_t)FIRST_ROOM);
		room = room_here();
		KUNIT_EXPECT_EQ(test, limit_here(), room);
		KUNIT_EXPECT_EQ(test, reserved(), worth(room));
		steps++;
	}
	KUNIT_EXPECT_EQ(test, steps, 5u);
	release(taken);

	/* The same by frees alone. */
	need_stopping(test);
	allocate(test, NR_OBJECTS);
	kmem_cache_shrink(cache);
	room = room_here();
	KUNIT_EXPECT_EQ(test, room, 0u);
	for (put = 0, steps = 0; put < NR_OBJECTS && room_here() < cache->sheaf_room_max; put++) {
		kmem_cache_free(cache, objects[put]);
		steps += room_here() != room;
		room = room_here();
	}
	KUNIT_EXPECT_EQ(test, steps, 5u);
	/* No object had to leave the sheaf meanwhile. */
	KUNIT_EXPECT_EQ(test, slab_cached_objects(cache), put);
	for (; put < NR_OBJECTS; put++)
		kmem_cache_free(cache, objects[put]);
}

/* Without budget a sheaf stays as it began, and works. */
static void test_room_is_refused(struct kunit *test)
{
	barn_budget_set_budget(0, 0);
	for (unsigned int i = 0; i < 3; i++) {
		allocate(test, NR_OBJECTS);
		KUNIT_EXPECT_EQ(test, room_here(), FIRST_ROOM);
		release(NR_OBJECTS);
		KUNIT_EXPECT_EQ(test, room_here(), FIRST_ROOM);
		KUNIT_EXPECT_LE(test, slab_cached_objects(cache), FIRST_ROOM);
	}
	KUNIT_EXPECT_EQ(test, reserved(), 0ul);
	/* Unused for one step of the clock, not for two. */
	barn_budget_set_budget(barn_budget_reserved_bytes() + worth(2 * FIRST_ROOM), 0);
	allocate(test, NR_OBJECTS);
	KUNIT_EXPECT_EQ(test, room_here(), 2 * FIRST_ROOM);
	release(NR_OBJECTS);
}

/* Shrinking takes the room as well, and what was reserved for it. */
static void test_room_goes_with_the_objects(struct kunit *test)
{
	need_stopping(test);
	allocate(test, NR_OBJECTS);
	release(NR_OBJECTS);
	KUNIT_EXPECT_EQ(test, room_here(), cache->sheaf_room_max);
	kmem_cache_shrink(cache);
	KUNIT_EXPECT_EQ(test, room_here(), 0u);
	KUNIT_EXPECT_EQ(test, limit_here(), 0u);
	KUNIT_EXPECT_EQ(test, slab_cached_objects(cache), 0ul);
	KUNIT_EXPECT_EQ(test, reserved(), 0ul);
	KUNIT_EXPECT_EQ(test, test_slab_inuse(cache), 0ul);
	allocate(test, 1);
	KUNIT_EXPECT_EQ(test, room_here(), FIRST_ROOM);
	release(1);
}

/* A sheaf that happens to be empty loses its room, too. */
static void test_room_of_an_empty_sheaf_goes(struct kunit *test)
{
	unsigned int nr = FIRST_ROOM;

	need_stopping(test);
	allocate(test, nr);
	while (slab_cached_objects(cache))
		objects[nr++] = kmem_cache_alloc(cache, GFP_KERNEL);
	KUNIT_EXPECT_GT(test, room_here(), 0u);
	kmem_cache_shrink(cache);
	KUNIT_EXPECT_EQ(test, room_here(), 0u);
	KUNIT_EXPECT_EQ(test, limit_here(), 0u);
	release(nr);
}

/* Batches in the barn are whole sheaves' halves: who finds some takes them whole. */
static void test_room_for_batches_at_once(struct kunit *test)
{
	unsigned int nr = 0;

	for (unsigned int i = 0; i < 3; i++) {
		allocate(test, NR_OBJECTS);
		release(NR_OBJECTS);
	}
	KUNIT_ASSERT_GT(test, barn_objects(test_barn_here(cache)), 0ul);
	/* As if this CPU had never used the cache. */
	while (slab_cached_objects(cache) > barn_objects(test_barn_here(cache)))
		objects[nr++] = kmem_cache_alloc(cache, GFP_KERNEL);
	sheaf_size_close(cache, (unsigned int)percpu_current_slot());
	objects[nr++] = kmem_cache_alloc(cache, GFP_KERNEL);
	KUNIT_EXPECT_EQ(test, room_here(), cache->sheaf_room_max);
	KUNIT_EXPECT_EQ(test, slab_cached_objects(cache) - barn_objects(test_barn_here(cache)),
			test_barn_here(cache)->batch - 1ul);
	release(nr);
}

/* Bulks that do not fit are misses. */
static void test_room_for_bulks(struct kunit *test)
{
	for (unsigned int i = 0; i < 10; i++) {
		KUNIT_ASSERT_EQ(test, kmem_cache_alloc_bulk(cache, GFP_KERNEL, 200, objects), 200);
		kmem_cache_free_bulk(cache, 200, objects);
	}
	KUNIT_EXPECT_GE(test, room_here(), 200u);
	KUNIT_EXPECT_GE(test, slab_cached_objects(cache), 200ul);
}

/* A sheaf with a requested capacity has it from the first miss on. */
static void test_room_as_wished(struct kunit *test)
{
	end(test);
	KUNIT_ASSERT_EQ(test, begin_with(test, OBJECT_BYTES, 48), 0);
	allocate(test, 1);
	KUNIT_EXPECT_EQ(test, room_here(), 48u);
	KUNIT_EXPECT_EQ(test, reserved(), 0ul);
	release(1);
}

/* Four objects of up to two pages, if what is more than a page, or one, is to be had. */
static void test_room_to_choose_from(struct kunit *test)
{
	static const struct {
		unsigned int bytes;
		size_t budget;
		uint32_t room, on_no_account;
	} cases[] = {
		{ 2048, BUDGET, 4, 2 }, { 2048, 1, 2, 2 },
		{ 2 * PAGE_SIZE, BUDGET, 4, 1 }, { 2 * PAGE_SIZE, 1, 1, 1 },
		{ 3 * PAGE_SIZE, BUDGET, 1, 1 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		end(test);
		KUNIT_ASSERT_EQ(test, begin_with(test, cases[i].bytes, 0), 0);
		barn_budget_set_budget(cases[i].budget, cases[i].budget);
		allocate(test, 1);
		KUNIT_EXPECT_EQ(test, room_here(), cases[i].room);
		KUNIT_EXPECT_EQ(test, slab_cached_objects(cache), cases[i].room - 1);
		KUNIT_EXPECT_EQ(test, reserved(), (cases[i].room - cases[i].on_no_account) *
						  (size_t)cases[i].bytes);
		release(1);
	}
}

/* --- Threads ------------------------------------------------------------------------- */

#define NR_THREADS 4
#define HELD 300

static size_t worth_of_rooms(void)
{
	size_t rooms = 0;

	for (unsigned int slot = 0; slot < percpu_nr_slots(); slot++) {
		uint32_t room = *(uint32_t *)percpu_ptr(cache->sheaf_room, slot);

		rooms += room > FIRST_ROOM ? worth(room) : 0;
	}
	return rooms;
}

/* One makes room for misses, the other takes it away; each often finds it changed meanwhile. */
static void open_and_close(struct test_thread *thread)
{
	bool is_wider;

	test_pin(thread->index);
	for (unsigned long step = TEST_STEPS(200000); step--;) {
		if (thread->index)
			for (unsigned int slot = 0; slot < percpu_nr_slots(); slot++)
				sheaf_size_close(cache, slot);
		else
			sheaf_size_widen(cache, &is_wider);
	}
}

static void test_room_opens_and_closes_at_once(struct kunit *test)
{
	test_threads_run(test, 2, open_and_close, NULL);
	KUNIT_EXPECT_EQ(test, reserved(), worth_of_rooms());
}

static void churn(struct test_thread *thread)
{
	struct prng *prng = &thread->prng;
	void *held[HELD] = { NULL };
	for (unsigned long step = TEST_STEPS(100000); step--;) {
		unsigned int i = (unsigned int)prng_below(prng, HELD);

		if (held[i])
			kmem_cache_free(cache, held[i]);
		held[i] = prng_below(prng, 3) ? kmem_cache_alloc(cache, GFP_KERNEL) : NULL;
		if (!prng_below(prng, 300))
			kmem_cache_shrink(cache);
	}
	for (unsigned int i = 0; i < HELD; i++)
		if (held[i])
			kmem_cache_free(cache, held[i]);
}

static void test_room_adds_up(struct kunit *test)
{
	test_unpin();
	test_threads_run(test, NR_THREADS, churn, NULL);
	slab_barns_empty(cache);
	KUNIT_EXPECT_EQ(test, reserved(), worth_of_rooms());
	kmem_cache_shrink(cache);
	if (percpu_can_stop())
		KUNIT_EXPECT_EQ(test, reserved(), 0ul);
	test_pin(0);
}

static struct kunit_case room_cases[] = {
	KUNIT_CASE(test_room_begins_with_a_page),
	KUNIT_CASE(test_room_follows_misses),
	KUNIT_CASE(test_room_is_refused),
	KUNIT_CASE(test_room_goes_with_the_objects),
	KUNIT_CASE(test_room_of_an_empty_sheaf_goes),
	KUNIT_CASE(test_room_for_batches_at_once),
	KUNIT_CASE(test_room_for_bulks),
	KUNIT_CASE(test_room_as_wished),
	KUNIT_CASE(test_room_to_choose_from),
	KUNIT_CASE(test_room_opens_and_closes_at_once),
	KUNIT_CASE(test_room_adds_up),
	{ 0 },
};

static struct kunit_suite room_suite = {
	.name = "slab_room",
	.init = begin,
	.exit = end,
	.test_cases = room_cases,
};

kunit_test_suite(room_suite);
