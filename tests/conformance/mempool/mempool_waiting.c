// SPDX-License-Identifier: MIT
/* mempools: callers that may wait always get an element, as soon as somebody gives one back. */
#include <linux/delay.h>
#include <linux/gfp.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/mempool.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/wait.h>

#include "../conformance.h"

enum { WAITERS = 4, PATIENCE_MS = 60000 };

/* An allocator with so many elements to give, and none more. */
struct limited {
	atomic_t left;
	atomic_t asked;
};

static struct limited limited;
static atomic_t nr_done;		/* threads that have got what they want */

static void *limited_alloc(gfp_t gfp, void *data)
{
	struct limited *self = data;

	atomic_inc(&self->asked);
	if (atomic_dec_return(&self->left) >= 0)
		return kmalloc(32, GFP_KERNEL);
	atomic_inc(&self->left);
	return NULL;
}

static void limited_free(void *element, void *data)
{
	struct limited *self = data;

	kfree(element);
	atomic_inc(&self->left);
}

static mempool_t *pool_of(struct kunit *test, int min_nr, int beyond)
{
	mempool_t *pool;

	atomic_set(&limited.left, min_nr + beyond);
	pool = mempool_create(min_nr, limited_alloc, limited_free, &limited);
	KUNIT_ASSERT_NOT_NULL(test, pool);
	atomic_set(&limited.asked, 0);
	atomic_set(&nr_done, 0);
	return pool;
}

/* A thread that takes one element and then waits to be stopped. */
struct waiter {
	mempool_t *pool;
	struct task_struct *task;
	void *element;
	unsigned long at;		/* jiffies */
};

static int take_one(void *data)
{
	struct waiter *self = data;

	self->element = mempool_alloc(self->pool, GFP_KERNEL);
	self->at = jiffies;
	atomic_inc_return(&nr_done);
	return until_stopped();
}

static void start(struct kunit *test, struct waiter *waiter, mempool_t *pool)
{
	waiter->pool = pool;
	waiter->element = NULL;
	waiter->task = kthread_run(take_one, waiter, "conformance");
	KUNIT_ASSERT_FALSE(test, IS_ERR(waiter->task));
}

/*
 * How many are done, once so many are. Time is only a bound here: what is waited for comes at
 * once, or the case fails.
 */
static int wait_for_done(int wanted)
{
	for (unsigned int ms = 0; ms < PATIENCE_MS; ms += 2) {
		if (atomic_read_acquire(&nr_done) >= wanted)
			break;
		msleep(2);
	}
	return atomic_read_acquire(&nr_done);
}

/* What it got goes back. */
static void stop(struct kunit *test, struct waiter *waiter)
{
	kthread_stop(waiter->task);
	KUNIT_EXPECT_NOT_NULL(test, waiter->element);
	mempool_free(waiter->element, waiter->pool);
}

static bool somebody_waits(mempool_t *pool)
{
	for (unsigned int ms = 0; ms < PATIENCE_MS; ms += 2) {
		if (wq_has_sleeper(&pool->wait))
			return true;
		msleep(2);
	}
	return false;
}

/* mempool_alloc() sleeps while there is nothing, and gets what mempool_free() brings. */
static void waits_for_a_free(struct kunit *test)
{
	mempool_t *pool = pool_of(test, 1, 0);
	void *element = mempool_alloc(pool, GFP_KERNEL);
	struct waiter waiter;
	unsigned long freed_at;

	KUNIT_ASSERT_NOT_NULL(test, element);
	start(test, &waiter, pool);
	KUNIT_EXPECT_TRUE(test, somebody_waits(pool));
	msleep(50);
	KUNIT_EXPECT_EQ(test, atomic_read(&nr_done), 0);
	freed_at = jiffies;
	mempool_free(element, pool);
	KUNIT_EXPECT_EQ(test, wait_for_done(1), 1);
	KUNIT_EXPECT_PTR_EQ(test, waiter.element, element);
	/* The free wakes it: the sleep would end by itself after 5 seconds. */
	KUNIT_EXPECT_LT(test, waiter.at - freed_at, 4UL * HZ);
	stop(test, &waiter);
	mempool_destroy(pool);
}

/* The caller has asked the allocator twice before it sleeps, and asks again when it is woken. */
static void asks_again_when_woken(struct kunit *test)
{
	mempool_t *pool = pool_of(test, 1, 0);
	void *element = mempool_alloc_preallocated(pool);
	struct waiter waiter;

	start(test, &waiter, pool);
	KUNIT_EXPECT_TRUE(test, somebody_waits(pool));
	KUNIT_EXPECT_EQ(test, atomic_read(&limited.asked), 2);
	mempool_free(element, pool);
	KUNIT_EXPECT_EQ(test, wait_for_done(1), 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&limited.asked), 3);
	stop(test, &waiter);
	mempool_destroy(pool);
}

/* As many waiters as there are frees are served; the others go on waiting. */
static void one_free_serves_one_waiter(struct kunit *test)
{
	mempool_t *pool = pool_of(test, WAITERS, 0);
	struct waiter waiters[WAITERS];
	void *elements[WAITERS];

	for (unsigned int i = 0; i < WAITERS; i++)
		elements[i] = mempool_alloc_preallocated(pool);
	for (unsigned int i = 0; i < WAITERS; i++)
		start(test, &waiters[i], pool);
	for (int freed = 1; freed <= WAITERS; freed++) {
		KUNIT_EXPECT_TRUE(test, somebody_waits(pool));
		mempool_free(elements[freed - 1], pool);
		KUNIT_EXPECT_EQ(test, wait_for_done(freed), freed);
	}
	for (unsigned int i = 0; i < WAITERS; i++)
		stop(test, &waiters[i]);
	mempool_destroy(pool);
}

/* Nobody frees, but the allocator has something again: the sleep ends by itself. */
static void looks_again_after_a_while(struct kunit *test)
{
	mempool_t *pool = pool_of(test, 1, 0);
	void *element = mempool_alloc_preallocated(pool);
	struct waiter waiter;

	start(test, &waiter, pool);
	KUNIT_EXPECT_TRUE(test, somebody_waits(pool));
	atomic_inc(&limited.left);
	KUNIT_EXPECT_EQ(test, wait_for_done(1), 1);
	KUNIT_EXPECT_NOT_NULL(test, waiter.element);
	KUNIT_EXPECT_PTR_NE(test, waiter.element, element);
	stop(test, &waiter);
	mempool_free(element, pool);
	mempool_destroy(pool);
}

struct worker {
	mempool_t *pool;
	struct task_struct *task;
	unsigned int seed;
	unsigned int nr_null;
	unsigned int nr_shared;
};

/* Each element is one thread's at a time: it finds what it wrote. */
static int work(void *data)
{
	struct worker *self = data;

	for (unsigned int i = 0; i < 2000; i++) {
		unsigned int *element = mempool_alloc(self->pool, GFP_KERNEL);

		if (!element) {
			self->nr_null++;
			continue;
		}
		WRITE_ONCE(*element, self->seed + i);
		if (i % 8 == 0)
			cond_resched();
		if (READ_ONCE(*element) != self->seed + i)
			self->nr_shared++;
		mempool_free(element, self->pool);
	}
	atomic_inc_return(&nr_done);
	return until_stopped();
}

/* Many threads on few elements: none ever gets NULL, or another one's element. */
static void threads_never_get_null(struct kunit *test)
{
	mempool_t *pool = pool_of(test, 2, 1);
	static struct worker workers[WAITERS];

	for (unsigned int i = 0; i < WAITERS; i++) {
		workers[i] = (struct worker){ .pool = pool, .seed = i << 16 };
		workers[i].task = kthread_run(work, &workers[i], "conformance");
		KUNIT_ASSERT_FALSE(test, IS_ERR(workers[i].task));
	}
	KUNIT_EXPECT_EQ(test, wait_for_done(WAITERS), WAITERS);
	for (unsigned int i = 0; i < WAITERS; i++) {
		kthread_stop(workers[i].task);
		KUNIT_EXPECT_EQ(test, workers[i].nr_null, 0U);
		KUNIT_EXPECT_EQ(test, workers[i].nr_shared, 0U);
	}
	KUNIT_EXPECT_EQ(test, pool->curr_nr, 2);
	KUNIT_EXPECT_EQ(test, atomic_read(&limited.left), 1);
	mempool_destroy(pool);
	KUNIT_EXPECT_EQ(test, atomic_read(&limited.left), 3);
}

static int resize(void *data)
{
	struct worker *self = data;

	for (unsigned int i = 0; i < 3000; i++) {
		self->seed = self->seed * 1664525 + 1013904223;
		self->nr_null += mempool_resize(self->pool, 1 + (self->seed >> 16) % 600) != 0;
		if (i % 8 == 0)
			cond_resched();
	}
	atomic_inc_return(&nr_done);
	return until_stopped();
}

/* Several threads resize one pool: in the end it has what its size says, and all are freed. */
static void resized_by_several(struct kunit *test)
{
	mempool_t *pool = mempool_create_kmalloc_pool(1, 40);
	static struct worker workers[4];

	KUNIT_ASSERT_NOT_NULL(test, pool);
	atomic_set(&nr_done, 0);
	for (unsigned int i = 0; i < ARRAY_SIZE(workers); i++) {
		workers[i] = (struct worker){ .pool = pool, .seed = i + 1 };
		workers[i].task = kthread_run(resize, &workers[i], "conformance");
		KUNIT_ASSERT_FALSE(test, IS_ERR(workers[i].task));
	}
	/* A thread that is stopped before it ran does not run at all. */
	KUNIT_EXPECT_EQ(test, wait_for_done(ARRAY_SIZE(workers)), (int)ARRAY_SIZE(workers));
	for (unsigned int i = 0; i < ARRAY_SIZE(workers); i++) {
		kthread_stop(workers[i].task);
		KUNIT_EXPECT_EQ(test, workers[i].nr_null, 0U);
	}
	KUNIT_EXPECT_EQ(test, mempool_resize(pool, 77), 0);
	KUNIT_EXPECT_EQ(test, pool->curr_nr, 77);
	KUNIT_EXPECT_EQ(test, pool->min_nr, 77);
	mempool_destroy(pool);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(waits_for_a_free),
	KUNIT_CASE(asks_again_when_woken),
	KUNIT_CASE(one_free_serves_one_waiter),
	KUNIT_CASE_SLOW(looks_again_after_a_while),
	KUNIT_CASE(threads_never_get_null),
	KUNIT_CASE(resized_by_several),
	{}
};

static struct kunit_suite suite = { .name = "conformance_mempool_waiting", .test_cases = cases };
kunit_test_suite(suite);
MODULE_LICENSE("Dual MIT/GPL");
