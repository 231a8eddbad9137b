/* SPDX-License-Identifier: MIT */
/*
 * When a cache's last objects come back, CPUs and barns give theirs back as well: see
 * slab/sheaf/last_objects.h.
 */
#include "percpu/remote.h"
#include "slab/cache.h"
#include "slab/cpu_cache.h"
#include "slab/sheaf/last_objects.h"
#include "slab/sheaf/sheaf.h"
#include "support/kernel.h"
#include "support/pages.h"
#include "support/prng.h"
#include "support/slabs.h"
#include "support/threads.h"

#define OBJECT_BYTES 256
#define NR_OBJECTS 20000
/* Counted as others' slabs, so that the slabs of all caches are worth the work. */
#define OTHERS_BYTES (8L * 1024 * 1024)

static struct kmem_cache *cache;
static void *objects[NR_OBJECTS];

static int begin(struct kunit *test)
{
	const struct slab_cache_request request = {
		.name = "last", .size = OBJECT_BYTES, .large_slabs = true,
	};

	if (slab_init())
		return -1;
	test_stop_ageing();
	barn_budget_count_slabs(OTHERS_BYTES);
	cache = slab_cache_create(&request);
	if (cache && (!cache->own_sheaf || cache->is_hardened))
		kunit_skip(test, "no sheaves that give back");
	return cache ? 0 : -1;
}

static void end(struct kunit *test)
{
	(void)test;
	kmem_cache_destroy(cache);
	barn_budget_count_slabs(-OTHERS_BYTES);
	test_unpin();
}

/* Allocates the objects, in no order. */
static void take_all(struct kunit *test)
{
	struct prng prng = { 42 };

	for (size_t i = 0; i < NR_OBJECTS; i++) {
		size_t j = prng_below(&prng, i + 1);
		void *object = kmem_cache_alloc(cache, GFP_KERNEL);

		KUNIT_ASSERT_NOT_NULL(test, object);
		objects[i] = objects[j];
		objects[j] = object;
	}
}

static void give(size_t first, size_t behind)
{
	for (size_t i = first; i < behind; i++)
		kmem_cache_free(cache, objects[i]);
}

/* What the program does not use is in no sheaf, and no slab is kept for it. */
static void expect_nothing_kept(struct kunit *test)
{
	KUNIT_EXPECT_TRUE(test, slab_last_objects(cache));
	KUNIT_EXPECT_LE(test, slab_cached_objects(cache), 1ul);
	KUNIT_EXPECT_LE(test, slab_nr_slabs(cache), 1ul);
}

static void test_all_slabs_go(struct kunit *test)
{
	test_pin(0);
	take_all(test);
	give(0, NR_OBJECTS);
	expect_nothing_kept(test);
}

/* While there are few slabs in all, nothing is given back early. */
static void test_few_slabs(struct kunit *test)
{
	test_pin(0);
	barn_budget_count_slabs(-OTHERS_BYTES);
	take_all(test);
	give(0, NR_OBJECTS);
	barn_budget_count_slabs(OTHERS_BYTES);
	KUNIT_EXPECT_FALSE(test, slab_last_objects(cache));
}

/* With more than a batch in use, sheaf and slabs stay. */
static void test_some_in_use(struct kunit *test)
{
	size_t stay = 2 * SLAB_BATCH_MAX;

	test_pin(0);
	take_all(test);
	give(stay, NR_OBJECTS);
	KUNIT_EXPECT_FALSE(test, slab_last_objects(cache));
	KUNIT_EXPECT_GT(test, slab_cached_objects(cache), 1ul);
	give(0, stay);
	expect_nothing_kept(test);
}

/* The next refill gives the sheaf its room back. */
static void test_refill_ends_it(struct kunit *test)
{
	test_pin(0);
	take_all(test);
	give(0, NR_OBJECTS);
	for (size_t i = 0; i < 100; i++) {
		objects[i] = kmem_cache_alloc(cache, GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, objects[i]);
	}
	KUNIT_EXPECT_FALSE(test, slab_last_objects(cache));
	give(0, 100);
	KUNIT_EXPECT_GE(test, slab_cached_objects(cache), 100ul);
}

/* A second round finds that the barn has grown. What is in the barn goes as well. */
static void test_barn_gives_back(struct kunit *test)
{
	struct barn *barn;

	test_pin(0);
	barn = test_barn_here(cache);
	for (unsigned int round = 0; round < 2; round++) {
		take_all(test);
		give(0, NR_OBJECTS);
	}
	KUNIT_ASSERT_GT(test, barn_objects(barn), 0ul);
	/* The barn has less room than a larger round needs, so it refuses the last batches. */
	lock_acquire(&barn->lock);
	barn->capacity /= 2;
	lock_release(&barn->lock);
	take_all(test);
	give(0, NR_OBJECTS);
	KUNIT_EXPECT_EQ(test, barn_objects(barn), 0ul);
	expect_nothing_kept(test);
	lock_acquire(&barn->lock);
	barn->capacity *= 2;
	lock_release(&barn->lock);
}

static void free_a_few(struct test_thread *thread)
{
	(void)thread;
	test_pin(1);
	give(0, 60);
}

/* What another CPU keeps goes as well, if CPUs can be stopped. */
static void test_other_cpu(struct kunit *test)
{
	if (test_nr_cpus() < 2 || !percpu_can_stop())
		kunit_skip(test, "needs two CPUs that can be stopped");
	test_pin(0);
	take_all(test);
	test_threads_run(test, 1, free_a_few, NULL);
	give(60, NR_OBJECTS);
	expect_nothing_kept(test);
}

/* A thread that holds a lock gives nothing back, since that takes locks. */
static void test_holder_of_a_lock(struct kunit *test)
{
	test_pin(0);
	take_all(test);
	lock_acquire(&slab_caches_lock);
	give(0, NR_OBJECTS);
	lock_release(&slab_caches_lock);
	KUNIT_EXPECT_FALSE(test, slab_last_objects(cache));
	KUNIT_EXPECT_GT(test, slab_cached_objects(cache), 1ul);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(test_all_slabs_go),
	KUNIT_CASE(test_few_slabs),
	KUNIT_CASE(test_some_in_use),
	KUNIT_CASE(test_refill_ends_it),
	KUNIT_CASE(test_barn_gives_back),
	KUNIT_CASE(test_other_cpu),
	KUNIT_CASE(test_holder_of_a_lock),
	{ 0 },
};

static struct kunit_suite suite = {
	.name = "slab-last-objects", .init = begin, .exit = end, .test_cases = cases,
};
kunit_test_suite(suite);
