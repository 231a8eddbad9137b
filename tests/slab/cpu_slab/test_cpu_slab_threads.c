/* SPDX-License-Identifier: MIT */
/*
 * CPUs' own slabs, and objects that one CPU allocates and another one frees, for many rounds. A
 * used-up slab that its CPU has left must come back when its objects do; otherwise each round would
 * leave some slabs behind. The same however the slots are reached.
 */
#include "slab/cpu_cache.h"
#include "slab/cpu_slab/cpu_slab.h"
#include "support/kernel.h"
#include "support/shadow.h"
#include "support/slabs.h"
#include "support/threads.h"
#include "support/zones.h"

/*
 * Sizes with so few objects in a slab that lost slabs of all rounds would be many times the bound.
 */
static const unsigned int sizes[] = { 64, 200, 1000 };

#define ROUNDS TEST_STEPS(4000u)
#define BATCH_MAX 512
#define SLOTS_MAX 8u	/* that so few threads come to, on two CPUs */

struct travel {
	struct kmem_cache *cache;
	bool moves;
	unsigned int batch;
	pthread_barrier_t turn;
	void *objects[2][BATCH_MAX];	/* Sync: turn */
	unsigned long max_slabs;	/* the first thread's */
};

/* Two batches: one is filled while the other one, of the round before, is emptied. */
static void fill(struct test_thread *thread, struct travel *travel, unsigned int round)
{
	void **batch = travel->objects[round % 2];
	unsigned long slabs;

	for (unsigned int i = 0; i < travel->batch; i++) {
		batch[i] = kmem_cache_alloc(travel->cache, GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(thread->test, batch[i]);
		shadow_stamp(batch[i], kmem_cache_size(travel->cache), round + i);
	}
	slabs = slab_nr_slabs(travel->cache);
	travel->max_slabs = max(travel->max_slabs, slabs);
}

static void empty(struct test_thread *thread, struct travel *travel, unsigned int round)
{
	void **batch = travel->objects[round % 2];

	for (unsigned int i = 0; i < travel->batch; i++) {
		KUNIT_EXPECT_TRUE(thread->test,
				  shadow_stamp_holds(batch[i], kmem_cache_size(travel->cache),
						     round + i));
		kmem_cache_free(travel->cache, batch[i]);
	}
}

static void go(struct test_thread *thread)
{
	struct travel *travel = thread->arg;

	test_pin(thread->index);
	for (unsigned int round = 0; round <= ROUNDS; round++) {
		if (travel->moves && round % 7 == 0)
			test_pin((thread->index + round / 7) % 2);
		if (!thread->index && round < ROUNDS)
			fill(thread, travel, round);
		if (thread->index && round)
			empty(thread, travel, round - 1);
		pthread_barrier_wait(&travel->turn);
	}
}

static void send(struct kunit *test, unsigned int size, bool moves)
{
	static struct travel travel;
	unsigned long bound;

	travel = (struct travel){ .moves = moves };
	travel.cache = kmem_cache_create("travel", size, 0, 0, NULL);
	KUNIT_ASSERT_NOT_NULL(test, travel.cache);
	KUNIT_ASSERT_NOT_NULL(test, travel.cache->own_cpu_slab);
	travel.batch = 2u * travel.cache->objects;
	KUNIT_ASSERT_LE(test, travel.batch, BATCH_MAX);
	pthread_barrier_init(&travel.turn, NULL, 2);
	test_threads_run(test, 2, go, &travel);
	/*
	 * At worst each object that is under way is the only one out of its slab; and each slot has
	 * a slab.
	 */
	bound = 2ul * travel.batch + min(percpu_nr_slots(), SLOTS_MAX) +
		travel.cache->min_partial + 1;
	KUNIT_EXPECT_LE_MSG(test, travel.max_slabs, bound, "%u bytes", size);
	/* The slabs of every round, left behind, would be seen. */
	KUNIT_EXPECT_GT(test, 2ul * ROUNDS, bound);
	KUNIT_EXPECT_EQ(test, test_slab_inuse(travel.cache), slab_cached_objects(travel.cache));
	slab_drain_all(travel.cache);
	KUNIT_EXPECT_EQ(test, slab_free_empty(travel.cache), 0);
	kmem_cache_destroy(travel.cache);
	pthread_barrier_destroy(&travel.turn);
}

static void send_all(struct kunit *test)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(sizes); i++) {
		send(test, sizes[i], false);
		send(test, sizes[i], true);
	}
}

static void test_freelist_threads_leak(struct kunit *test)
{
	zones_run(test, "slab_cpu_cache=slab", send_all);
}

static struct kunit_case freelist_threads_cases[] = {
	KUNIT_CASE_SLOW(test_freelist_threads_leak),
	{ 0 },
};

static struct kunit_suite freelist_threads_suite = {
	.name = "slab_freelist_threads",
	.test_cases = freelist_threads_cases,
};

kunit_test_suite(freelist_threads_suite);
