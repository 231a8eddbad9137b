// SPDX-License-Identifier: MIT
/* Caches in several threads: objects freed elsewhere, shrinking meanwhile, RCU readers. */
#include <linux/delay.h>
#include <linux/gfp.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/vmstat.h>

#include "../conformance.h"

enum { THREADS = 4, SLOTS = 64, STEPS = 20000, PATIENCE_MS = 100000 };

#define MAGIC 0x74687265616465UL

struct thing {
	unsigned long magic;
	struct thing *self;
	u8 fill[200];
};

/* What the threads of a case share. */
static struct {
	struct kmem_cache *cache;
	struct thing *slots[SLOTS];
	atomic_t nr_working;
	atomic_t nr_bad;
} shared;

/* Runs them all to their ends. */
static void run(struct kunit *test, int (*const functions[THREADS])(void *))
{
	struct task_struct *tasks[THREADS];

	atomic_set(&shared.nr_bad, 0);
	atomic_set(&shared.nr_working, THREADS);
	for (unsigned long i = 0; i < THREADS; i++) {
		tasks[i] = kthread_run(functions[i], (void *)(i + 1), "conformance%lu", i);
		KUNIT_ASSERT_FALSE(test, IS_ERR(tasks[i]));
	}
	for (unsigned int ms = 0; ms < PATIENCE_MS && atomic_read(&shared.nr_working); ms += 2)
		msleep(2);
	KUNIT_EXPECT_EQ(test, atomic_read(&shared.nr_working), 0);
	for (unsigned int i = 0; i < THREADS; i++)
		kthread_stop(tasks[i]);
	KUNIT_EXPECT_EQ(test, atomic_read(&shared.nr_bad), 0);
}

static void make_cache(struct kunit *test, slab_flags_t flags, void (*ctor)(void *))
{
	memset(shared.slots, 0, sizeof(shared.slots));
	shared.cache = kmem_cache_create("conformance_threads", sizeof(struct thing), 0,
					 flags | SLAB_NO_MERGE, ctor);
	KUNIT_ASSERT_NOT_NULL(test, shared.cache);
}

/* Nothing has been lost: every object is free, so no slab is left. */
static void expect_all_free(struct kunit *test)
{
	for (unsigned int i = 0; i < SLOTS; i++)
		if (shared.slots[i])
			kmem_cache_free(shared.cache, shared.slots[i]);
	KUNIT_EXPECT_EQ(test, kmem_cache_shrink(shared.cache), 0);
	kmem_cache_destroy(shared.cache);
}

static u32 next_random(u32 *seed)
{
	*seed = *seed * 1664525 + 1013904223;
	return *seed >> 8;
}

/* Puts a new object where another thread will take it, and frees what was there. */
static int exchange_objects(void *data)
{
	u32 seed = (u32)(unsigned long)data;

	for (unsigned int step = 0; step < STEPS; step++) {
		struct thing *thing = kmem_cache_alloc(shared.cache, GFP_KERNEL), *old;

		if (!thing)
			continue;
		thing->self = thing;
		memset(thing->fill, (int)(u8)(unsigned long)data, sizeof(thing->fill));
		old = xchg(&shared.slots[next_random(&seed) % SLOTS], thing);
		if (old) {
			if (READ_ONCE(old->self) != old ||
			    memchr_inv(old->fill, old->fill[0], sizeof(old->fill)))
				atomic_inc(&shared.nr_bad);
			old->self = NULL;
			kmem_cache_free(shared.cache, old);
		}
		if (step % 64 == 0)
			cond_resched();
	}
	atomic_dec(&shared.nr_working);
	return until_stopped();
}

/* An object is freed by whoever has it, on any CPU; it is never two threads'. */
static void freed_by_others(struct kunit *test)
{
	static int (*const functions[THREADS])(void *) = {
		exchange_objects, exchange_objects, exchange_objects, exchange_objects,
	};

	make_cache(test, 0, NULL);
	run(test, functions);
	expect_all_free(test);
}

static int shrink_again_and_again(void *data)
{
	while (atomic_read(&shared.nr_working) > 1) {
		kmem_cache_shrink(shared.cache);
		schedule_timeout_uninterruptible(1);
	}
	atomic_dec(&shared.nr_working);
	return until_stopped();
}

/* kmem_cache_shrink() while others allocate and free. */
static void shrunk_meanwhile(struct kunit *test)
{
	static int (*const functions[THREADS])(void *) = {
		exchange_objects, exchange_objects, exchange_objects, shrink_again_and_again,
	};

	make_cache(test, 0, NULL);
	run(test, functions);
	expect_all_free(test);
}

static int exchange_in_bulk(void *data)
{
	u32 seed = (u32)(unsigned long)data;
	void *things[20];

	for (unsigned int step = 0; step < STEPS / 10; step++) {
		int nr = (int)(next_random(&seed) % ARRAY_SIZE(things)) + 1, put = 0;

		if (!kmem_cache_alloc_bulk(shared.cache, GFP_KERNEL, (size_t)nr, things))
			continue;
		for (int i = 0; i < nr; i++) {
			struct thing *thing = things[i], *old;

			thing->self = thing;
			memset(thing->fill, nr, sizeof(thing->fill));
			old = xchg(&shared.slots[next_random(&seed) % SLOTS], thing);
			if (!old)
				continue;
			if (READ_ONCE(old->self) != old)
				atomic_inc(&shared.nr_bad);
			old->self = NULL;
			things[put++] = old;
		}
		kmem_cache_free_bulk(shared.cache, (size_t)put, things);
		cond_resched();
	}
	atomic_dec(&shared.nr_working);
	return until_stopped();
}

/* Bulk calls and single ones at the same time. */
static void in_bulk(struct kunit *test)
{
	static int (*const functions[THREADS])(void *) = {
		exchange_in_bulk, exchange_in_bulk, exchange_objects, exchange_in_bulk,
	};

	make_cache(test, 0, NULL);
	run(test, functions);
	expect_all_free(test);
}

static void construct(void *object)
{
	struct thing *thing = object;

	thing->magic = MAGIC;
}

/* Frees at once what readers may be looking at. */
static int replace_objects(void *data)
{
	u32 seed = (u32)(unsigned long)data;

	for (unsigned int step = 0; step < STEPS; step++) {
		struct thing *thing = kmem_cache_alloc(shared.cache, GFP_KERNEL), *old;

		if (!thing)
			continue;
		if (thing->magic != MAGIC)
			atomic_inc(&shared.nr_bad);
		old = xchg(&shared.slots[next_random(&seed) % SLOTS], thing);
		if (old)
			kmem_cache_free(shared.cache, old);
		if (step % 64 == 0)
			cond_resched();
	}
	atomic_dec(&shared.nr_working);
	return until_stopped();
}

static int read_objects(void *data)
{
	u32 seed = (u32)(unsigned long)data;

	for (unsigned int step = 0; step < STEPS; step++) {
		struct thing *thing;

		rcu_read_lock();
		thing = READ_ONCE(shared.slots[next_random(&seed) % SLOTS]);
		if (thing && READ_ONCE(thing->magic) != MAGIC)
			atomic_inc(&shared.nr_bad);
		rcu_read_unlock();
		if (step % 64 == 0)
			cond_resched();
	}
	atomic_dec(&shared.nr_working);
	return until_stopped();
}

/* SLAB_TYPESAFE_BY_RCU: a reader may find another object, but always one of the type. */
static void type_is_stable_for_readers(struct kunit *test)
{
	static int (*const functions[THREADS])(void *) = {
		replace_objects, read_objects, replace_objects, read_objects,
	};

	make_cache(test, SLAB_TYPESAFE_BY_RCU, construct);
	run(test, functions);
	expect_all_free(test);
}

/* Takes objects out of the slots until the others have ended. */
static int free_only(void *data)
{
	u32 seed = (u32)(unsigned long)data;

	while (atomic_read(&shared.nr_working) > 2) {
		for (unsigned int i = 0; i < SLOTS; i++) {
			struct thing *old = xchg(&shared.slots[next_random(&seed) % SLOTS], NULL);

			if (old)
				kmem_cache_free(shared.cache, old);
		}
		cond_resched();
	}
	atomic_dec(&shared.nr_working);
	return until_stopped();
}

static int allocate_only(void *data)
{
	u32 seed = (u32)(unsigned long)data;

	for (unsigned int step = 0; step < 5 * STEPS; step++) {
		struct thing **slot = &shared.slots[next_random(&seed) % SLOTS], *thing;

		if (step % 64 == 0)
			cond_resched();
		if (READ_ONCE(*slot))
			continue;
		thing = kmem_cache_alloc(shared.cache, GFP_KERNEL);
		if (thing && cmpxchg(slot, NULL, thing))
			kmem_cache_free(shared.cache, thing);
	}
	atomic_dec(&shared.nr_working);
	return until_stopped();
}

/* One side allocates, another frees: slabs come back, memory does not grow with time. */
static void memory_is_bounded(struct kunit *test)
{
	static int (*const functions[THREADS])(void *) = {
		allocate_only, free_only, allocate_only, free_only,
	};
	long before;

	make_cache(test, 0, NULL);
	before = (long)global_zone_page_state(NR_FREE_PAGES);
	run(test, functions);
	KUNIT_EXPECT_LT(test, before - (long)global_zone_page_state(NR_FREE_PAGES),
			(long)((8UL << 20) >> PAGE_SHIFT));
	expect_all_free(test);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(freed_by_others),
	KUNIT_CASE(shrunk_meanwhile),
	KUNIT_CASE(in_bulk),
	KUNIT_CASE(type_is_stable_for_readers),
	KUNIT_CASE(memory_is_bounded),
	{}
};

static struct kunit_suite suite = { .name = "conformance_slab_threads", .test_cases = cases };
kunit_test_suite(suite);
MODULE_LICENSE("Dual MIT/GPL");
