/* SPDX-License-Identifier: MIT */
/*
 * Signal handlers in a thread that holds a lock: an allocation gets an object of the sheaf, or
 * NULL; frees are deferred, the objects stay marked and constructed, and come back later.
 */
#include "page/zone.h"
#include "slab/cache.h"
#include "slab/cpu_cache.h"
#include "slab/freeptr.h"
#include "support/child.h"
#include "support/handler.h"
#include "support/kernel.h"
#include "support/slabs.h"
#include "support/threads.h"

#define NR_OBJECTS 500
#define MAGIC 0xc0ffeeUL

struct state {
	struct kunit *test;
	struct kmem_cache *cache;
	unsigned long *objects[NR_OBJECTS];
	unsigned long *more[NR_OBJECTS];	/* got in the handler */
	unsigned int nr_more;
};

static unsigned long nr_deferred(const struct kmem_cache *cache)
{
	const struct kmem_cache_node *node;
	unsigned long nr = 0;

	for_each_kmem_cache_node(cache, node) {
		for (void *object = node->deferred; object; object = slab_link_read(cache, object))
			nr++;
	}
	return nr;
}

static void construct(void *object)
{
	*(unsigned long *)object = MAGIC;
}

static void new_state(struct kunit *test, struct state *state, unsigned int size,
		      void (*ctor)(void *))
{
	*state = (struct state){ .test = test };
	state->cache = kmem_cache_create("signal", size, 0, 0, ctor);
	KUNIT_ASSERT_NOT_NULL(test, state->cache);
	for (unsigned int i = 0; i < NR_OBJECTS; i++) {
		state->objects[i] = kmem_cache_alloc(state->cache, GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, state->objects[i]);
	}
}

/* All objects are back; none may be missing. */
static void end_state(struct state *state)
{
	for (unsigned int i = 0; i < state->nr_more; i++)
		kmem_cache_free(state->cache, state->more[i]);
	slab_drain_all(state->cache);
	KUNIT_EXPECT_EQ(state->test, slab_free_empty(state->cache), 0);
	KUNIT_EXPECT_EQ(state->test, test_slab_inuse(state->cache), 0);
	kmem_cache_destroy(state->cache);
}

static void alloc_and_free(void *arg)
{
	struct state *state = arg;
	struct kunit *test = state->test;

	while (state->nr_more < NR_OBJECTS) {
		unsigned long *object = kmem_cache_alloc(state->cache, GFP_KERNEL | __GFP_NOFAIL);

		if (!object)
			break;
		state->more[state->nr_more++] = object;
	}
	KUNIT_EXPECT_LT_MSG(test, state->nr_more, NR_OBJECTS, "the sheaf ends");
	for (unsigned int i = 0; i < NR_OBJECTS; i++)
		kmem_cache_free(state->cache, state->objects[i]);
	KUNIT_EXPECT_NULL(test, kmem_cache_create("in-handler", 64, 0, 0, NULL));
}

static void holder_interrupted(struct kunit *test, unsigned int size, void (*ctor)(void *))
{
	struct state state;
	unsigned long inuse, waiting;
	void *seen[NR_OBJECTS];

	new_state(test, &state, size, ctor);
	inuse = test_slab_inuse(state.cache);
	lock_acquire(&slab_node_here(state.cache)->lock);
	run_in_handler(alloc_and_free, &state);
	lock_release(&slab_node_here(state.cache)->lock);
	waiting = nr_deferred(state.cache);
	/*
	 * An object for which the sheaf had no room waits, and still counts as in use; or it is
	 * back in its slab, if the slab did not have to change lists.
	 */
	if (state.cache->own_sheaf || state.cache->objects < NR_OBJECTS)
		KUNIT_EXPECT_GT(test, waiting + inuse, test_slab_inuse(state.cache));
	else
		KUNIT_EXPECT_EQ_MSG(test, waiting, 0, "all are of the CPU's own slab");
	KUNIT_EXPECT_EQ(test, waiting + slab_cached_objects(state.cache),
			test_slab_inuse(state.cache) - state.nr_more);
	KUNIT_EXPECT_LE(test, test_slab_inuse(state.cache), inuse);

	/* All of them are handed out again, each once and in its state. */
	for (unsigned int i = 0; i < NR_OBJECTS; i++) {
		unsigned long *object = kmem_cache_alloc(state.cache, GFP_KERNEL);

		KUNIT_ASSERT_NOT_NULL(test, object);
		if (ctor)
			KUNIT_EXPECT_EQ(test, *object, MAGIC);
		for (unsigned int j = 0; j < i; j++)
			KUNIT_ASSERT_TRUE(test, seen[j] != object);
		seen[i] = object;
	}
	KUNIT_EXPECT_EQ(test, nr_deferred(state.cache), 0);
	for (unsigned int i = 0; i < NR_OBJECTS; i++)
		kmem_cache_free(state.cache, seen[i]);
	end_state(&state);
}

static void test_signal_above_cache_lock(struct kunit *test)
{
	static const unsigned int sizes[] = { 8, 16, 100, 700, 3000 };

	for (unsigned int i = 0; i < ARRAY_SIZE(sizes); i++) {
		holder_interrupted(test, sizes[i], NULL);
		holder_interrupted(test, sizes[i], construct);
	}
}

/* A lock of another layer, or of another cache: the cache's own comes before it. */
static void test_signal_above_other_locks(struct kunit *test)
{
	struct kmem_cache *other = kmem_cache_create("other", 64, 0, 0, NULL);
	struct lock *locks[] = {
		&other->first_node.lock, &page_drain_lock, &page_grow_lock, &budget_zone()->lock,
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(locks); i++) {
		struct state state;

		new_state(test, &state, 64, NULL);
		lock_acquire(locks[i]);
		run_in_handler(alloc_and_free, &state);
		KUNIT_EXPECT_GT(test, nr_deferred(state.cache), 0);
		lock_release(locks[i]);
		end_state(&state);
	}
	kmem_cache_destroy(other);
}

static void kmalloc_everything(void *arg)
{
	void **blocks = arg;

	for (unsigned int i = 0; i <= 22; i++) {
		blocks[i] = kmalloc(1UL << i, GFP_KERNEL);
		kfree(blocks[i]);
		blocks[i] = kzalloc(1UL << i, GFP_KERNEL);
	}
}

/* If no lock of the cache is held, a handler gets all objects. */
static void test_signal_above_list_of_caches(struct kunit *test)
{
	void *blocks[23] = { NULL };

	kfree(kmalloc(8, GFP_KERNEL));
	lock_acquire(&slab_caches_lock);
	run_in_handler(kmalloc_everything, blocks);
	lock_release(&slab_caches_lock);
	for (unsigned int i = 0; i < ARRAY_SIZE(blocks); i++) {
		KUNIT_EXPECT_NOT_NULL(test, blocks[i]);
		kfree(blocks[i]);
	}
}

/* Each free beyond the sheaf is deferred; the last object is freed once more. */
static void free_twice(void *arg)
{
	struct state *state = arg;

	for (unsigned int i = 0; i < NR_OBJECTS; i++)
		kmem_cache_free(state->cache, state->objects[i]);
	kmem_cache_free(state->cache, state->objects[NR_OBJECTS - 1]);
}

static void double_free(struct kunit *test, void *arg)
{
	struct state state;

	new_state(test, &state, 64, arg);
	lock_acquire(&slab_node_here(state.cache)->lock);
	run_in_handler(free_twice, &state);
}

static void test_signal_double_free(struct kunit *test)
{
	CHILD_EXPECT_DEATH(test, double_free, NULL, "double free");
	CHILD_EXPECT_DEATH(test, double_free, (void *)construct, "double free");
}

/* Storm: objects that handlers and threads leave for each other. Sync: atomic exchange */
static unsigned long *shelves[64];

struct storm {
	struct prng prng;
	struct kunit *test;
	unsigned long nulls;
};

/* The first word tells the size, the last one repeats it. */
static void swap_one(struct storm *storm)
{
	size_t size = prng_one_in(&storm->prng, 30) ? 8192UL << prng_below(&storm->prng, 9) :
		      16UL << prng_below(&storm->prng, 9);
	unsigned long *object = kmalloc(size, GFP_NOWAIT);

	if (!object) {
		storm->nulls++;
		return;
	}
	object[0] = object[size / 8 - 1] = size;
	object = __atomic_exchange_n(&shelves[prng_below(&storm->prng, ARRAY_SIZE(shelves))],
				     object, __ATOMIC_ACQ_REL);
	if (object)
		KUNIT_EXPECT_EQ(storm->test, object[object[0] / 8 - 1], object[0]);
	kfree(object);
}

static void swap_in_handler(void *context)
{
	swap_one(context);
}

static void storm_thread(struct test_thread *thread)
{
	struct storm own = { .prng = thread->prng, .test = thread->test };
	struct storm handler = { .prng = { thread->index + 77 }, .test = thread->test };
	void *run[200];

	test_storm_start(thread->test, 50, swap_in_handler, &handler);
	for (unsigned int round = 0; round < 2000; round++) {
		size_t size = 16UL << prng_below(&own.prng, 7);

		for (unsigned int i = 0; i < ARRAY_SIZE(run); i++)
			run[i] = kmalloc(size, GFP_KERNEL);
		for (unsigned int i = 0; i < ARRAY_SIZE(run); i++)
			kfree(run[i]);
		swap_one(&own);
	}
	KUNIT_EXPECT_GT(thread->test, test_storm_stop(), 0);
	KUNIT_EXPECT_EQ_MSG(thread->test, own.nulls, 0, "outside of handlers nothing fails");
}

static void test_signal_storm(struct kunit *test)
{
	test_threads_run(test, 4, storm_thread, NULL);
	for (unsigned int i = 0; i < ARRAY_SIZE(shelves); i++)
		kfree(__atomic_exchange_n(&shelves[i], NULL, __ATOMIC_ACQ_REL));
}

static int pin(struct kunit *test)
{
	(void)test;
	test_pin(0);
	return 0;
}

static struct kunit_case signal_cases[] = {
	KUNIT_CASE(test_signal_above_cache_lock),
	KUNIT_CASE(test_signal_above_other_locks),
	KUNIT_CASE(test_signal_above_list_of_caches),
	KUNIT_CASE(test_signal_double_free),
	KUNIT_CASE(test_signal_storm),
	{ 0 },
};

static struct kunit_suite signal_suite = {
	.name = "slab-signal",
	.init = pin,
	.test_cases = signal_cases,
};

kunit_test_suite(signal_suite);
