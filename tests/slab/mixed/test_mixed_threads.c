/* SPDX-License-Identifier: MIT */
/*
 * Slabs become mixed ones all the time while threads allocate, free each other's blocks, and fork:
 * objects on their way back are diverted, no block has two owners, and nothing is lost.
 */
#include "mixed_caches.h"
#include "slab/slab_free.h"
#include "support/child.h"

#define NR_SHELVES 512

/* The thread that takes a block from its shelf may free it. */
struct parcel {
	void *block;
	size_t size;
};

static struct parcel *shelves[NR_SHELVES];	/* Sync: exchanged as a whole */
static unsigned long nr_made;			/* Sync: atomic relaxed */

static struct parcel *make_parcel(struct kunit *test, struct prng *prng)
{
	struct parcel *parcel = kmem_cache_alloc(&mixed_caches[0], GFP_KERNEL);
	unsigned int i = 1 + prng_below(prng, MIXED_CACHES - 1);

	KUNIT_ASSERT_NOT_NULL(test, parcel);
	parcel->size = 1 + prng_below(prng, 600);
	parcel->block = prng_one_in(prng, 3) ? slab_mixed_take(parcel->size, 16) : NULL;
	if (!parcel->block) {
		parcel->size = mixed_sizes[i];
		parcel->block = kmem_cache_alloc(&mixed_caches[i], GFP_KERNEL);
	}
	KUNIT_ASSERT_NOT_NULL(test, parcel->block);
	shadow_stamp(parcel->block, parcel->size, parcel->size);
	return parcel;
}

static void open_parcel(struct kunit *test, struct parcel *parcel)
{
	if (!parcel)
		return;
	KUNIT_EXPECT_TRUE(test, shadow_stamp_holds(parcel->block, parcel->size, parcel->size));
	/* Its record may move meanwhile. */
	KUNIT_EXPECT_GE(test, ksize(parcel->block), parcel->size);
	kfree(parcel->block);
	kfree(parcel);
}

/* Many at once, as a batch that is larger than a sheaf: so they go on to the slabs. */
static void clear_shelves(struct kunit *test, struct prng *prng)
{
	for (unsigned int i = 0; i < NR_SHELVES; i++)
		if (prng_below(prng, 10))
			open_parcel(test, __atomic_exchange_n(&shelves[i], NULL,
							      __ATOMIC_ACQ_REL));
}

static void step(struct test_thread *thread)
{
	struct prng *prng = &thread->prng;
	struct kmem_cache *cache = &mixed_caches[prng_below(prng, MIXED_CACHES)];
	unsigned int i = prng_below(prng, NR_SHELVES);

	open_parcel(thread->test, __atomic_exchange_n(&shelves[i], make_parcel(thread->test, prng),
						      __ATOMIC_ACQ_REL));
	if (prng_one_in(prng, 20) &&
	    slab_mixed_make(cache, &cache->first_node, 0) == MIXED_MADE)
		__atomic_fetch_add(&nr_made, 1, __ATOMIC_RELAXED);
	if (prng_one_in(prng, 300))
		kmem_cache_shrink(cache);
	if (prng_one_in(prng, 300))
		slab_mixed_release(4);
	if (prng_one_in(prng, 800))
		clear_shelves(thread->test, prng);
}

static void work(struct test_thread *thread)
{
	for (unsigned int i = 0; i < TEST_STEPS(60000); i++)
		step(thread);
}

static void clear_all(struct kunit *test)
{
	for (unsigned int i = 0; i < NR_SHELVES; i++)
		open_parcel(test, __atomic_exchange_n(&shelves[i], NULL, __ATOMIC_ACQ_REL));
	mixed_expect_nothing(test);
}

static void test_mixed_threads(struct kunit *test)
{
	if (!mixed_caches_make(test))
		return;
	test_threads_run(test, 4, work, NULL);
	kunit_info(test, "%lu slabs became mixed ones", nr_made);
	KUNIT_EXPECT_GT(test, nr_made, TEST_STEPS(400));
	clear_all(test);
}

#define RETURNED 600

/* Objects of one slab, which go back one by one, without the lock. */
struct race {
	void *objects[RETURNED];
	unsigned int nr, delay;
	unsigned int returned;	/* Sync: atomic */
	unsigned int overlaps;	/* rounds in which objects went back before and after */
};

static void return_or_make(struct test_thread *thread)
{
	struct kmem_cache *cache = &mixed_caches[0];
	struct race *race = thread->arg;

	for (unsigned int i = 0; !thread->index && i < race->nr; i++) {
		slab_return_objects(cache, &race->objects[i], 1);
		__atomic_store_n(&race->returned, i + 1, __ATOMIC_RELAXED);
	}
	if (!thread->index)
		return;
	while (__atomic_load_n(&race->returned, __ATOMIC_RELAXED) < race->delay)
		;
	if (slab_mixed_make(cache, &cache->first_node, 0) == MIXED_MADE &&
	    __atomic_load_n(&race->returned, __ATOMIC_RELAXED) < race->nr)
		race->overlaps++;
}

/* The slab becomes a mixed one between two pushes, so one of the two swaps has to fail. */
static void test_mixed_race(struct kunit *test)
{
	static struct race race;

	if (!mixed_caches_make(test))
		return;
	for (unsigned int i = 0; i < TEST_STEPS(1000); i++) {
		race.returned = 0;
		race.nr = slab_take_objects(&mixed_caches[0], GFP_KERNEL, race.objects, RETURNED);
		KUNIT_ASSERT_GT(test, race.nr, 100);
		race.delay = 10 + i % 80;
		test_threads_run(test, 2, return_or_make, &race);
		mixed_expect_nothing(test);
	}
	kunit_info(test, "%u rounds overlapped", race.overlaps);
}

/* Frees of the handler meet a holder of any lock. */
static void free_one(void *context)
{
	struct test_thread *thread = context;
	static unsigned int next;	/* Sync: atomic relaxed */
	unsigned int i = __atomic_fetch_add(&next, 7, __ATOMIC_RELAXED) % NR_SHELVES;

	open_parcel(thread->test, __atomic_exchange_n(&shelves[i], NULL, __ATOMIC_ACQ_REL));
}

static void work_in_a_storm(struct test_thread *thread)
{
	test_storm_start(thread->test, 50, free_one, thread);
	for (unsigned int i = 0; i < TEST_STEPS(20000); i++)
		step(thread);
	KUNIT_EXPECT_GT(thread->test, test_storm_stop(), 0);
}

static void test_mixed_storm(struct kunit *test)
{
	if (!mixed_caches_make(test))
		return;
	test_threads_run(test, 3, work_in_a_storm, NULL);
	clear_all(test);
}

/* The child frees all blocks that its parent's threads had put on shelves, and goes on to work. */
static void use_in_child(struct kunit *test, void *arg)
{
	struct test_thread *thread = arg;
	struct test_thread own = { .test = test, .prng = thread->prng };

	clear_shelves(test, &own.prng);
	for (unsigned int i = 0; i < 2000; i++)
		step(&own);
	clear_shelves(test, &own.prng);
}

static void fork_or_work(struct test_thread *thread)
{
	if (thread->index) {
		work(thread);
		return;
	}
	for (unsigned int i = 0; i < 20; i++)
		CHILD_EXPECT_SUCCESS(thread->test, use_in_child, thread);
}

static void test_mixed_fork(struct kunit *test)
{
	if (!mixed_caches_make(test))
		return;
	test_threads_run(test, 3, fork_or_work, NULL);
	clear_all(test);
}

static struct kunit_case mixed_threads_cases[] = {
	KUNIT_CASE(test_mixed_threads),
	KUNIT_CASE(test_mixed_race),
	KUNIT_CASE(test_mixed_storm),
	KUNIT_CASE(test_mixed_fork),
	{ 0 },
};

static struct kunit_suite mixed_threads_suite = {
	.name = "slab-mixed-threads",
	.test_cases = mixed_threads_cases,
};

kunit_test_suite(mixed_threads_suite);
