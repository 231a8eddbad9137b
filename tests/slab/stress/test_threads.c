/* SPDX-License-Identifier: MIT */
/*
 * Objects that are allocated on one CPU and freed on another, for many rounds. The number of slabs
 * stays bounded by the objects that are under way, and no object ever has two owners.
 */
#include "slab/cpu_cache.h"
#include "slab/slab.h"
#include "support/kernel.h"
#include "support/shadow.h"
#include "support/slabs.h"
#include "support/threads.h"

#define OBJECT_BYTES 96

/* A mailbox between two threads; full and empty make them wait for each other. */
struct channel {
	pthread_mutex_t lock;
	pthread_cond_t moved;
	void *objects[64];
	unsigned int nr;	/* Sync: lock */
};

struct travel {
	struct kmem_cache *cache;
	unsigned int rounds;
	bool pinned;
	unsigned long max_slabs;	/* Sync: atomic relaxed */
	struct channel channels[8];
};

static void put_batch(struct channel *channel, void **objects, unsigned int nr)
{
	pthread_mutex_lock(&channel->lock);
	while (channel->nr)
		pthread_cond_wait(&channel->moved, &channel->lock);
	memcpy(channel->objects, objects, nr * sizeof(*objects));
	channel->nr = nr;
	pthread_cond_signal(&channel->moved);
	pthread_mutex_unlock(&channel->lock);
}

static unsigned int get_batch(struct channel *channel, void **objects)
{
	unsigned int nr;

	pthread_mutex_lock(&channel->lock);
	while (!channel->nr)
		pthread_cond_wait(&channel->moved, &channel->lock);
	nr = channel->nr;
	memcpy(objects, channel->objects, nr * sizeof(*objects));
	channel->nr = 0;
	pthread_cond_signal(&channel->moved);
	pthread_mutex_unlock(&channel->lock);
	return nr;
}

static void note_slabs(struct travel *travel)
{
	unsigned long slabs = slab_nr_slabs(travel->cache);

	/* A lost update does no harm: the next round compares again. */
	if (slabs > __atomic_load_n(&travel->max_slabs, __ATOMIC_RELAXED))
		__atomic_store_n(&travel->max_slabs, slabs, __ATOMIC_RELAXED);
}

/* Even threads allocate, odd ones free. */
static void travel_thread(struct test_thread *thread)
{
	struct travel *travel = thread->arg;
	struct channel *channel = &travel->channels[thread->index / 2];
	void *objects[64];

	if (travel->pinned)
		test_pin(thread->index);
	for (unsigned int round = 0; round < travel->rounds; round++) {
		unsigned int nr = 64;

		if (thread->index % 2) {
			nr = get_batch(channel, objects);
			for (unsigned int i = 0; i < nr; i++) {
				KUNIT_EXPECT_TRUE(thread->test,
						  shadow_stamp_holds(objects[i], OBJECT_BYTES,
								     round));
				kmem_cache_free(travel->cache, objects[i]);
			}
			continue;
		}
		for (unsigned int i = 0; i < nr; i++) {
			objects[i] = kmem_cache_alloc(travel->cache, GFP_KERNEL);
			KUNIT_ASSERT_NOT_NULL(thread->test, objects[i]);
			shadow_stamp(objects[i], OBJECT_BYTES, round);
		}
		put_batch(channel, objects, nr);
		note_slabs(travel);
	}
}

static void travel_many(struct kunit *test, unsigned int nr_threads, bool pinned)
{
	struct travel travel = { .rounds = TEST_STEPS(40000) / nr_threads, .pinned = pinned };
	unsigned long in_flight = nr_threads / 2 * 3 * 64, bound;

	travel.cache = kmem_cache_create("travel", OBJECT_BYTES, 0, 0, NULL);
	KUNIT_ASSERT_NOT_NULL(test, travel.cache);
	for (unsigned int i = 0; i < ARRAY_SIZE(travel.channels); i++) {
		pthread_mutex_init(&travel.channels[i].lock, NULL);
		pthread_cond_init(&travel.channels[i].moved, NULL);
	}
	test_threads_run(test, nr_threads, travel_thread, &travel);
	/* At worst each object out of its slab is the only one of it. */
	bound = in_flight +
		(travel.cache->own_sheaf ? travel.cache->sheaf_room_max : 1) * percpu_nr_slots() +
		travel.cache->min_partial + nr_threads;
	kunit_info(test, "at most %lu slabs for %lu objects in flight (bound %lu)",
		   travel.max_slabs, in_flight, bound);
	KUNIT_EXPECT_LE(test, travel.max_slabs, bound);
	KUNIT_EXPECT_EQ(test, test_slab_inuse(travel.cache), slab_cached_objects(travel.cache));
	kmem_cache_destroy(travel.cache);
}

static void test_threads_remote_free(struct kunit *test)
{
	travel_many(test, 2, true);
}

static void test_threads_remote_free_many(struct kunit *test)
{
	travel_many(test, 8, false);
}

#define NR_SHELVES 128
#define NR_CACHES 4
#define HELD 100
#define STEPS TEST_STEPS(150000)

/* Any thread may take an object from a shelf and free it. */
struct parcel {
	void *object;
	size_t size;
	struct kmem_cache *cache;
	u64 owner;
};

struct market {
	struct kmem_cache *caches[NR_CACHES];
	bool migrate;
	pthread_mutex_t locks[NR_SHELVES];
	struct parcel shelves[NR_SHELVES];	/* Sync: locks */
};

static void open_parcel(struct kunit *test, struct parcel *parcel)
{
	if (!parcel->object)
		return;
	KUNIT_EXPECT_TRUE_MSG(test, shadow_stamp_holds(parcel->object, parcel->size,
						       parcel->owner),
			      "%zu bytes at %p", parcel->size, parcel->object);
	if (parcel->cache)
		kmem_cache_free(parcel->cache, parcel->object);
	else
		kfree(parcel->object);
	parcel->object = NULL;
}

static void make_parcel(struct test_thread *thread, struct market *market,
			struct parcel *parcel)
{
	unsigned int i = prng_below(&thread->prng, 2 * NR_CACHES);

	parcel->cache = i < NR_CACHES ? market->caches[i] : NULL;
	if (parcel->cache) {
		parcel->size = kmem_cache_size(parcel->cache);
		parcel->object = kmem_cache_alloc(parcel->cache, GFP_KERNEL);
	} else {
		parcel->size = prng_range(&thread->prng, 1,
					  prng_one_in(&thread->prng, 20) ? 20000 : 500);
		parcel->object = kmalloc(parcel->size, GFP_KERNEL);
	}
	KUNIT_ASSERT_NOT_NULL(thread->test, parcel->object);
	parcel->owner = prng_u64(&thread->prng);
	shadow_stamp(parcel->object, parcel->size, parcel->owner);
}

static void trade(struct test_thread *thread)
{
	struct market *market = thread->arg;
	struct parcel held[HELD] = { { 0 } };

	for (unsigned int step = 0; step < STEPS; step++) {
		struct parcel *mine = &held[prng_below(&thread->prng, HELD)], other;
		unsigned int shelf = prng_below(&thread->prng, NR_SHELVES);

		if (market->migrate && step % 200 == 0)
			test_pin(prng_below(&thread->prng, test_nr_cpus()));
		if (!mine->object) {
			make_parcel(thread, market, mine);
			continue;
		}
		if (prng_one_in(&thread->prng, 2)) {
			open_parcel(thread->test, mine);
			continue;
		}
		pthread_mutex_lock(&market->locks[shelf]);
		other = market->shelves[shelf];
		market->shelves[shelf] = *mine;
		pthread_mutex_unlock(&market->locks[shelf]);
		*mine = other;
	}
	for (unsigned int i = 0; i < HELD; i++)
		open_parcel(thread->test, &held[i]);
}

static void run_market(struct kunit *test, bool migrate)
{
	static const unsigned int sizes[NR_CACHES] = { 16, 72, 512, 3000 };
	static struct market market;

	market = (struct market){ .migrate = migrate };
	for (unsigned int i = 0; i < NR_SHELVES; i++)
		pthread_mutex_init(&market.locks[i], NULL);
	for (unsigned int i = 0; i < NR_CACHES; i++) {
		market.caches[i] = kmem_cache_create("market", sizes[i], 0, 0, NULL);
		KUNIT_ASSERT_NOT_NULL(test, market.caches[i]);
	}
	test_threads_run(test, 8, trade, &market);
	for (unsigned int i = 0; i < NR_SHELVES; i++)
		open_parcel(test, &market.shelves[i]);
	for (unsigned int i = 0; i < NR_CACHES; i++) {
		struct kmem_cache *cache = market.caches[i];

		KUNIT_EXPECT_EQ_MSG(test, test_slab_inuse(cache), slab_cached_objects(cache),
				    "objects of %u bytes were lost or doubled", sizes[i]);
		kmem_cache_destroy(cache);
	}
}

static void test_threads_market(struct kunit *test)
{
	run_market(test, false);
}

static void test_threads_market_migrating(struct kunit *test)
{
	run_market(test, true);
}

/* Caches come and go while others are in use. */
static void churn(struct test_thread *thread)
{
	for (unsigned int round = 0; round < 500; round++) {
		unsigned int size = prng_range(&thread->prng, 8, 2000);
		struct kmem_cache *cache = kmem_cache_create("churn", size, 0, 0, NULL);
		void *objects[50];

		KUNIT_ASSERT_NOT_NULL(thread->test, cache);
		for (unsigned int i = 0; i < 50; i++) {
			objects[i] = kmem_cache_alloc(cache, GFP_KERNEL);
			KUNIT_ASSERT_NOT_NULL(thread->test, objects[i]);
			shadow_stamp(objects[i], size, i);
		}
		for (unsigned int i = 0; i < 50; i++) {
			KUNIT_EXPECT_TRUE(thread->test, shadow_stamp_holds(objects[i], size, i));
			kmem_cache_free(cache, objects[i]);
		}
		KUNIT_EXPECT_EQ(thread->test, test_slab_inuse(cache), slab_cached_objects(cache));
		kmem_cache_destroy(cache);
	}
}

static void test_threads_caches_come_and_go(struct kunit *test)
{
	test_threads_run(test, 6, churn, NULL);
}

static struct kunit_case threads_cases[] = {
	KUNIT_CASE_SLOW(test_threads_remote_free),
	KUNIT_CASE_SLOW(test_threads_remote_free_many),
	KUNIT_CASE_SLOW(test_threads_market),
	KUNIT_CASE_SLOW(test_threads_market_migrating),
	KUNIT_CASE_SLOW(test_threads_caches_come_and_go),
	{ 0 },
};

static struct kunit_suite threads_suite = {
	.name = "slab_threads",
	.test_cases = threads_cases,
};

kunit_test_suite(threads_suite);
