// SPDX-License-Identifier: MIT
/* Where slab calls may be made: under locks, with interrupts off, in timers and work. */
#include <linux/completion.h>
#include <linux/gfp.h>
#include <linux/interrupt.h>
#include <linux/jiffies.h>
#include <linux/mempool.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/timer.h>
#include <linux/workqueue.h>

#include "../conformance.h"

static struct kmem_cache *cache;

static int make_cache(struct kunit *test)
{
	cache = kmem_cache_create("conformance_context", 120, 0, SLAB_NO_MERGE, NULL);
	return cache ? 0 : -ENOMEM;
}

static void drop_cache(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, kmem_cache_shrink(cache), 0);
	kmem_cache_destroy(cache);
}

/* Everything that may be called where nothing may wait; the number of failures. */
static unsigned int use_everything(gfp_t gfp)
{
	static const size_t sizes[] = { 1, 30, 96, 192, 700, 3000, 8192 };
	void *objects[ARRAY_SIZE(sizes)], *many[40];
	unsigned int nr_bad = 0;

	for (unsigned int i = 0; i < ARRAY_SIZE(sizes); i++) {
		objects[i] = kzalloc(sizes[i], gfp);
		nr_bad += !objects[i] || memchr_inv(objects[i], 0, sizes[i]);
		objects[i] = krealloc(objects[i], sizes[i] * 2, gfp);
		nr_bad += !objects[i];
	}
	for (unsigned int i = 0; i < ARRAY_SIZE(sizes); i++)
		kfree(objects[i]);
	for (unsigned int i = 0; i < ARRAY_SIZE(many); i++) {
		many[i] = kmem_cache_alloc(cache, gfp);
		nr_bad += !many[i];
	}
	for (unsigned int i = 0; i < ARRAY_SIZE(many); i++)
		kmem_cache_free(cache, many[i]);
	return nr_bad;
}

/* Process context, the reference: it works where waiting is allowed. */
static void in_a_process(struct kunit *test)
{
	for (unsigned int i = 0; i < 100; i++)
		KUNIT_EXPECT_EQ(test, use_everything(GFP_KERNEL), 0U);
}

static void under_a_spinlock(struct kunit *test)
{
	static DEFINE_SPINLOCK(lock);
	unsigned long irqs;
	unsigned int nr_bad = 0;

	for (unsigned int i = 0; i < 100; i++) {
		spin_lock(&lock);
		nr_bad += use_everything(GFP_ATOMIC);
		spin_unlock(&lock);
		spin_lock_irqsave(&lock, irqs);
		nr_bad += use_everything(GFP_NOWAIT);
		spin_unlock_irqrestore(&lock, irqs);
		spin_lock_bh(&lock);
		nr_bad += use_everything(GFP_ATOMIC);
		spin_unlock_bh(&lock);
	}
	KUNIT_EXPECT_EQ(test, nr_bad, 0U);
}

static void without_preemption_or_interrupts(struct kunit *test)
{
	unsigned int nr_bad = 0;
	unsigned long irqs;

	preempt_disable();
	nr_bad += use_everything(GFP_ATOMIC);
	preempt_enable();
	local_irq_save(irqs);
	nr_bad += use_everything(GFP_ATOMIC);
	local_irq_restore(irqs);
	rcu_read_lock();
	nr_bad += use_everything(GFP_ATOMIC);
	rcu_read_unlock();
	KUNIT_EXPECT_EQ(test, nr_bad, 0U);
}

static struct {
	struct timer_list timer;
	struct work_struct work;
	struct completion done;
	unsigned int nr_bad;
	void *handed_over;
} elsewhere;

static void in_timer(struct timer_list *timer)
{
	elsewhere.nr_bad = use_everything(GFP_ATOMIC);
	kmem_cache_free(cache, elsewhere.handed_over);
	elsewhere.handed_over = kmem_cache_alloc(cache, GFP_ATOMIC);
	complete(&elsewhere.done);
}

/* A timer's function: objects pass in both directions. */
static void in_a_timer(struct kunit *test)
{
	for (unsigned int i = 0; i < 5; i++) {
		init_completion(&elsewhere.done);
		elsewhere.handed_over = kmem_cache_alloc(cache, GFP_KERNEL);
		timer_setup(&elsewhere.timer, in_timer, 0);
		mod_timer(&elsewhere.timer, jiffies + 1);
		wait_for_completion(&elsewhere.done);
		timer_delete_sync(&elsewhere.timer);
		KUNIT_EXPECT_EQ(test, elsewhere.nr_bad, 0U);
		KUNIT_EXPECT_NOT_NULL(test, elsewhere.handed_over);
		kmem_cache_free(cache, elsewhere.handed_over);
	}
}

static void in_work(struct work_struct *work)
{
	elsewhere.nr_bad = use_everything(GFP_KERNEL);
	kmem_cache_free(cache, elsewhere.handed_over);
	elsewhere.handed_over = kmem_cache_alloc(cache, GFP_KERNEL);
}

/* A work item may wait. */
static void in_a_work_item(struct kunit *test)
{
	for (unsigned int i = 0; i < 5; i++) {
		elsewhere.handed_over = kmem_cache_alloc(cache, GFP_KERNEL);
		INIT_WORK(&elsewhere.work, in_work);
		schedule_work(&elsewhere.work);
		flush_work(&elsewhere.work);
		KUNIT_EXPECT_EQ(test, elsewhere.nr_bad, 0U);
		KUNIT_EXPECT_NOT_NULL(test, elsewhere.handed_over);
		kmem_cache_free(cache, elsewhere.handed_over);
	}
}

/* mempool_alloc() and mempool_free() with interrupts off. */
static void mempools_without_interrupts(struct kunit *test)
{
	mempool_t *pool = mempool_create_slab_pool(4, cache);
	void *elements[10];
	unsigned long irqs;
	unsigned int nr_bad = 0;

	KUNIT_ASSERT_NOT_NULL(test, pool);
	local_irq_save(irqs);
	for (unsigned int i = 0; i < ARRAY_SIZE(elements); i++) {
		elements[i] = mempool_alloc(pool, GFP_ATOMIC);
		nr_bad += !elements[i];
	}
	for (unsigned int i = 0; i < ARRAY_SIZE(elements); i++)
		mempool_free(elements[i], pool);
	local_irq_restore(irqs);
	KUNIT_EXPECT_EQ(test, nr_bad, 0U);
	KUNIT_EXPECT_EQ(test, pool->curr_nr, 4);
	mempool_destroy(pool);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(in_a_process),
	KUNIT_CASE(under_a_spinlock),
	KUNIT_CASE(without_preemption_or_interrupts),
	KUNIT_CASE(in_a_timer),
	KUNIT_CASE(in_a_work_item),
	KUNIT_CASE(mempools_without_interrupts),
	{}
};

static struct kunit_suite suite = {
	.name = "conformance_slab_contexts",
	.init = make_cache,
	.exit = drop_cache,
	.test_cases = cases,
};
kunit_test_suite(suite);
MODULE_LICENSE("Dual MIT/GPL");
