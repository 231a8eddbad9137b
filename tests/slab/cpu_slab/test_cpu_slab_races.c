/* SPDX-License-Identifier: MIT */
/*
 * A CPU's own slab when another thread is faster: between two steps of an allocation, and while a
 * free waits for the lock.
 */
#include <unistd.h>

#include "cpu_slab_steps.h"
#include "support/zones.h"

/*
 * The constructor runs between the look at the CPU's word and the swap that attaches the new
 * slab. It does what another thread, or the scheduler, may do there.
 */
static struct interruption {
	struct kunit *test;
	struct kmem_cache *cache;
	bool allocates, moves;
	void *object;
} interruption;

static void construct_interrupted(void *object)
{
	struct interruption now = interruption;

	construct(object);
	interruption.allocates = interruption.moves = false;
	if (now.allocates)
		interruption.object = kmem_cache_alloc(now.cache, GFP_KERNEL);
	if (now.moves)
		be_on(now.test, B);
}

static struct kmem_cache *make_interrupted(struct kunit *test, bool allocates, bool moves)
{
	interruption = (struct interruption){ .test = test };
	interruption.cache = make(test, 200, construct_interrupted);
	interruption.allocates = allocates;
	interruption.moves = moves;
	return interruption.cache;
}

/*
 * The CPU has another slab by then: the thread keeps its object, and the new slab goes on the
 * partial list, once.
 */
static void check_attach_loses(struct kunit *test)
{
	struct kmem_cache *cache = make_interrupted(test, true, false);
	struct page *winner, *loser;

	take(test, cache, 0, 1);
	KUNIT_ASSERT_NOT_NULL(test, interruption.object);
	loser = slab_of(cache, objects[0]);
	winner = slab_of(cache, interruption.object);
	KUNIT_ASSERT_TRUE(test, winner != loser);
	KUNIT_EXPECT_PTR_EQ(test, slab_of(cache, cpu_word(test, cache)), winner);
	EXPECT_SLAB(test, cache, loser, 0, 1, 1);
	EXPECT_SLAB(test, cache, winner, 1, slab_word_read(winner).carved, 0);
	KUNIT_EXPECT_EQ(test, slab_nr_slabs(cache), 2);
	kmem_cache_free(cache, interruption.object);
	/* All objects that were given back are free, once each, and in their constructed state. */
	take(test, cache, 1, 2 * cache->objects);
	for (unsigned int i = 0; i < 2u * cache->objects; i++) {
		KUNIT_EXPECT_TRUE(test, is_constructed(objects[i]));
		for (unsigned int k = 0; k < i; k++)
			KUNIT_ASSERT_TRUE(test, objects[k] != objects[i]);
	}
	KUNIT_EXPECT_EQ(test, slab_nr_slabs(cache), 2);
	give(cache, 0, 2 * cache->objects);
	end(test, cache);
}

/* The thread is on B when it attaches: B gets the slab, and A stays without. */
static void check_attach_elsewhere(struct kunit *test)
{
	struct kmem_cache *cache = make_interrupted(test, false, true);

	take(test, cache, 0, 1);
	KUNIT_EXPECT_PTR_EQ(test, slab_of(cache, cpu_word(test, cache)),
			    slab_of(cache, objects[0]));
	be_on(test, A);
	KUNIT_EXPECT_NULL(test, cpu_word(test, cache));
	kmem_cache_free(cache, objects[0]);
	KUNIT_EXPECT_PTR_EQ(test, slab_of(cache, objects[0])->freelist, objects[0]);
	end(test, cache);
}

/* The same where B has a slab already. */
static void check_attach_elsewhere_loses(struct kunit *test)
{
	struct kmem_cache *cache = make_interrupted(test, false, false);
	void *word;

	be_on(test, B);
	take(test, cache, 0, 1);
	word = cpu_word(test, cache);
	be_on(test, A);
	interruption.moves = true;
	take(test, cache, 1, 2);
	KUNIT_EXPECT_PTR_EQ(test, cpu_word(test, cache), word);
	EXPECT_SLAB(test, cache, slab_of(cache, objects[1]), 0, 1, 1);
	be_on(test, A);
	KUNIT_EXPECT_NULL(test, cpu_word(test, cache));
	give(cache, 0, 2);
	end(test, cache);
}

static void free_first(struct test_thread *thread)
{
	kmem_cache_free(thread->arg, objects[0]);
}

static void *free_in_thread(void *test)
{
	test_threads_run(test, 1, free_first, interruption.cache);
	return NULL;
}

/* A free waits for the lock to put the slab on the list, and then finds that a CPU has the slab. */
static void check_frozen_while_waiting(struct kunit *test)
{
	struct kmem_cache *cache = make_interrupted(test, false, false);
	unsigned int nr = cache->objects;
	struct page *slab = use_up(test, cache);
	struct kmem_cache_node *node = slab_node_of(cache, slab);
	struct slab_word old, new;
	pthread_t thread;

	take(test, cache, nr, nr + 1);
	EXPECT_SLAB(test, cache, slab, 0, nr, 0);
	lock_acquire(&node->lock);
	KUNIT_ASSERT_EQ(test, pthread_create(&thread, NULL, free_in_thread, test), 0);
	/*
	 * 2: a thread waits. If it comes too late it finds the slab frozen, with the same result.
	 */
	for (unsigned int ms = 0; ms < 1000 && atomic_load_relaxed(&node->lock.state) != 2; ms++)
		usleep(1000);
	old = new = slab_word_read(slab);
	new.frozen = 1;
	KUNIT_ASSERT_TRUE(test, slab_word_cas(slab, &old, &new));
	lock_release(&node->lock);
	pthread_join(thread, NULL);
	EXPECT_SLAB(test, cache, slab, 1, nr - 1, 0);
	KUNIT_ASSERT_EQ_MSG(test, times_on_partial(cache, slab), 0, "no list to go on with");
	cpu_slab_return(cache, token_of(slab));
	EXPECT_SLAB(test, cache, slab, 0, nr - 1, 1);
	give(cache, 1, nr + 1);
	end(test, cache);
}

static void check_attach(struct kunit *test)
{
	check_frozen_while_waiting(test);

	check_attach_loses(test);
	check_attach_elsewhere(test);
	check_attach_elsewhere_loses(test);
}

static void test_freelist_attach(struct kunit *test)
{
	zones_run(test, two_cpus(), check_attach);
}

static struct kunit_case freelist_races_cases[] = {
	KUNIT_CASE(test_freelist_attach),
	{ 0 },
};

static struct kunit_suite freelist_races_suite = {
	.name = "slab_freelist_races",
	.test_cases = freelist_races_cases,
};

kunit_test_suite(freelist_races_suite);
