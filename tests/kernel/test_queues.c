// SPDX-License-Identifier: MIT
/* Queues, rings, workers, references per CPU, notifiers, timers of the old kind. */
#include <kunit/resource.h>
#include <kunit/test.h>

#include <linux/completion.h>
#include <linux/kfifo.h>
#include <linux/kthread.h>
#include <linux/notifier.h>
#include <linux/percpu-refcount.h>
#include <linux/prandom.h>
#include <linux/skb_array.h>
#include <linux/slab.h>
#include <linux/timer.h>

#define STEPS 5000
#define SIZE 16

/* Against a model that only counts: the elements are 0, 1, 2 and so on. */
static void fifo_keeps_order(struct kunit *test)
{
	unsigned int in = 0, out = 0, buffer[SIZE + 4], got, n, i;
	DECLARE_KFIFO_PTR(fifo, unsigned int);
	struct rnd_state random;

	prandom_seed_state(&random, 3);
	KUNIT_ASSERT_EQ(test, kfifo_alloc(&fifo, SIZE - 3, GFP_KERNEL), 0);
	KUNIT_ASSERT_EQ(test, kfifo_size(&fifo), (unsigned int)SIZE);
	for (int step = 0; step < STEPS; step++) {
		n = prandom_u32_state(&random) % ARRAY_SIZE(buffer);
		if (prandom_u32_state(&random) % 2) {
			for (i = 0; i < n; i++)
				buffer[i] = in + i;
			got = kfifo_in(&fifo, buffer, n);
			KUNIT_ASSERT_EQ(test, got, min(n, SIZE - (in - out)));
			in += got;
		} else {
			got = kfifo_out(&fifo, buffer, n);
			KUNIT_ASSERT_EQ(test, got, min(n, in - out));
			for (i = 0; i < got; i++)
				KUNIT_ASSERT_EQ(test, buffer[i], out + i);
			out += got;
		}
		KUNIT_ASSERT_EQ(test, kfifo_len(&fifo), in - out);
		KUNIT_ASSERT_EQ(test, kfifo_is_full(&fifo), in - out == SIZE);
	}
	kfifo_reset(&fifo);
	KUNIT_EXPECT_EQ(test, kfifo_get(&fifo, buffer), 0u);
	KUNIT_EXPECT_EQ(test, kfifo_put(&fifo, 9), 1u);
	KUNIT_EXPECT_EQ(test, kfifo_peek(&fifo, buffer), 1u);
	KUNIT_EXPECT_EQ(test, buffer[0], 9u);
	kfifo_free(&fifo);
	KUNIT_EXPECT_FALSE(test, kfifo_initialized(&fifo));
}

static DEFINE_KFIFO(shared_fifo, unsigned long, 64);

static int produce(void *data)
{
	unsigned long nr = (unsigned long)data;

	for (unsigned long i = 0; i < nr; )
		if (kfifo_put(&shared_fifo, i))
			i++;
		else
			yield();
	return 0;
}

/* One producer and one consumer need no lock. They may have but one CPU, and take turns there. */
static void fifo_between_threads(struct kunit *test)
{
	unsigned long nr = 50000, value = 0;
	struct task_struct *task = kthread_create(produce, (void *)nr, "producer");

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, task);
	get_task_struct(task);
	wake_up_process(task);
	for (unsigned long i = 0; i < nr; i++) {
		while (!kfifo_get(&shared_fifo, &value))
			yield();
		KUNIT_ASSERT_EQ(test, value, i);
	}
	kthread_stop_put(task);
}

static int destroyed;

static void destroy(void *ptr)
{
	(void)ptr;
	destroyed++;
}

static void ring_resizes_and_takes_back(struct kunit *test)
{
	struct ptr_ring ring;
	char entries[8];
	void *batch[8];

	KUNIT_ASSERT_EQ(test, ptr_ring_init(&ring, 4, GFP_KERNEL), 0);
	for (int i = 0; i < 4; i++)
		KUNIT_ASSERT_EQ(test, ptr_ring_produce_any(&ring, &entries[i]), 0);
	KUNIT_EXPECT_EQ(test, ptr_ring_produce_bh(&ring, &entries[4]), -ENOSPC);
	KUNIT_EXPECT_EQ(test, ptr_ring_consume_batched_irq(&ring, batch, 2), 2);
	ptr_ring_unconsume(&ring, batch, 2, destroy);
	KUNIT_EXPECT_EQ(test, ptr_ring_resize(&ring, 6, GFP_KERNEL, destroy), 0);
	KUNIT_EXPECT_EQ(test, ptr_ring_produce(&ring, &entries[4]), 0);
	for (int i = 0; i < 5; i++)
		KUNIT_EXPECT_PTR_EQ(test, ptr_ring_consume_any(&ring), (void *)&entries[i]);
	KUNIT_EXPECT_NULL(test, ptr_ring_consume(&ring));
	for (int i = 0; i < 5; i++)
		KUNIT_ASSERT_EQ(test, ptr_ring_produce(&ring, &entries[i]), 0);
	destroyed = 0;
	KUNIT_EXPECT_EQ(test, ptr_ring_resize(&ring, 2, GFP_KERNEL, destroy), 0);
	KUNIT_EXPECT_EQ(test, destroyed, 3);
	KUNIT_EXPECT_EQ(test, ptr_ring_produce(&ring, &entries[2]), -ENOSPC);
	ptr_ring_cleanup(&ring, destroy);
	KUNIT_EXPECT_EQ(test, destroyed, 5);
}

static void ring_without_room(struct kunit *test)
{
	struct ptr_ring ring;
	int size = 0;
	char entry;

	OPTIMIZER_HIDE_VAR(size);	/* or the compiler warns of it */
	KUNIT_ASSERT_EQ(test, ptr_ring_init(&ring, size, GFP_KERNEL), 0);
	KUNIT_EXPECT_TRUE(test, ptr_ring_empty(&ring));
	KUNIT_EXPECT_NULL(test, ptr_ring_consume(&ring));
	KUNIT_EXPECT_EQ(test, ptr_ring_produce(&ring, &entry), -ENOSPC);
	KUNIT_EXPECT_EQ(test, ptr_ring_resize(&ring, 1, GFP_KERNEL, NULL), 0);
	KUNIT_EXPECT_EQ(test, ptr_ring_produce(&ring, &entry), 0);
	KUNIT_EXPECT_FALSE(test, ptr_ring_empty_any(&ring));
	ptr_ring_cleanup(&ring, NULL);
}

static void packets_are_memory(struct kunit *test)
{
	struct sk_buff *skb = alloc_skb(100, GFP_KERNEL);
	struct skb_array ring;

	KUNIT_ASSERT_NOT_NULL(test, skb);
	skb_reserve(skb, 10);
	memset(skb_put(skb, 90), 1, 90);
	KUNIT_EXPECT_EQ(test, skb->len, 90u);
	KUNIT_EXPECT_EQ(test, skb_tailroom(skb), 28u);
	KUNIT_ASSERT_EQ(test, skb_array_init(&ring, 8, GFP_KERNEL), 0);
	KUNIT_EXPECT_EQ(test, skb_array_produce(&ring, skb), 0);
	KUNIT_EXPECT_PTR_EQ(test, __skb_array_peek(&ring), skb);
	skb_array_cleanup(&ring);
}

struct counted_work {
	struct kthread_work work;
	struct completion go_on;
	int runs;
};

static void count_work(struct kthread_work *work)
{
	container_of(work, struct counted_work, work)->runs++;
}

static void slow_work(struct kthread_work *work)
{
	struct counted_work *slow = container_of(work, struct counted_work, work);

	wait_for_completion(&slow->go_on);
	slow->runs++;
}

static void worker_does_work(struct kunit *test)
{
	struct kthread_worker *worker = kthread_create_worker(0, "worker/%d", 1);
	struct counted_work slow = { .runs = 0 }, quick = { .runs = 0 };
	struct kthread_delayed_work later;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, worker);
	kthread_init_work(&slow.work, slow_work);
	init_completion(&slow.go_on);
	kthread_init_work(&quick.work, count_work);
	for (int i = 0; i < 200; i++) {
		KUNIT_ASSERT_TRUE(test, kthread_queue_work(worker, &quick.work));
		kthread_flush_work(&quick.work);
		KUNIT_ASSERT_EQ(test, READ_ONCE(quick.runs), i + 1);
	}
	kthread_queue_work(worker, &slow.work);
	KUNIT_EXPECT_TRUE(test, kthread_queue_work(worker, &quick.work));
	KUNIT_EXPECT_FALSE(test, kthread_queue_work(worker, &quick.work));
	KUNIT_EXPECT_TRUE(test, kthread_cancel_work_sync(&quick.work));
	complete_all(&slow.go_on);
	kthread_flush_worker(worker);
	KUNIT_EXPECT_EQ(test, slow.runs, 1);
	KUNIT_EXPECT_EQ(test, quick.runs, 200);
	kthread_init_delayed_work(&later, count_work);
	KUNIT_EXPECT_TRUE(test, kthread_queue_delayed_work(worker, &later, HZ * 100));
	KUNIT_EXPECT_TRUE(test, kthread_cancel_delayed_work_sync(&later));
	kthread_queue_work(worker, &slow.work);
	kthread_destroy_worker(worker);
	KUNIT_EXPECT_EQ(test, slow.runs, 2);
}

static int releases;

static void count_release(struct percpu_ref *ref)
{
	(void)ref;
	WRITE_ONCE(releases, releases + 1);
}

static DECLARE_COMPLETION(counted);

static int take_and_put(void *data)
{
	for (int i = 0; i < 20000; i++) {
		percpu_ref_get(data);
		percpu_ref_put(data);
	}
	percpu_ref_put(data);
	complete(&counted);
	return 0;
}

static void references_are_summed(struct kunit *test)
{
	struct task_struct *tasks[3];
	struct percpu_ref ref;

	releases = 0;
	KUNIT_ASSERT_EQ(test, percpu_ref_init(&ref, count_release, 0, GFP_KERNEL), 0);
	for (int i = 0; i < 3; i++) {
		percpu_ref_get(&ref);
		tasks[i] = kthread_create(take_and_put, &ref, "ref/%d", i);
		KUNIT_ASSERT_NOT_ERR_OR_NULL(test, tasks[i]);
		get_task_struct(tasks[i]);
		wake_up_process(tasks[i]);
	}
	percpu_ref_get(&ref);
	percpu_ref_kill(&ref);
	KUNIT_EXPECT_FALSE(test, percpu_ref_tryget_live(&ref));
	/* A thread that is stopped before it has begun does not run at all. */
	for (int i = 0; i < 3; i++)
		wait_for_completion(&counted);
	for (int i = 0; i < 3; i++)
		kthread_stop_put(tasks[i]);
	rcu_barrier();
	KUNIT_EXPECT_EQ(test, releases, 0);
	KUNIT_EXPECT_TRUE(test, percpu_ref_tryget(&ref));
	percpu_ref_put_many(&ref, 2);
	KUNIT_EXPECT_EQ(test, releases, 1);
	KUNIT_EXPECT_TRUE(test, percpu_ref_is_zero(&ref));
	KUNIT_EXPECT_FALSE(test, percpu_ref_tryget(&ref));
	percpu_ref_reinit(&ref);
	KUNIT_EXPECT_TRUE(test, percpu_ref_tryget_live(&ref));
	percpu_ref_put(&ref);
	percpu_ref_kill(&ref);
	rcu_barrier();
	KUNIT_EXPECT_EQ(test, releases, 2);
	percpu_ref_exit(&ref);
}

static int calls[4], nr_calls;

static int note(struct notifier_block *block, unsigned long action, void *data)
{
	(void)data;
	calls[nr_calls++] = block->priority;
	return action == 2 && block->priority == 5 ? NOTIFY_STOP : NOTIFY_OK;
}

static void notifiers_by_priority(struct kunit *test)
{
	struct notifier_block low = { .notifier_call = note, .priority = 1 };
	struct notifier_block high = { .notifier_call = note, .priority = 9 };
	struct notifier_block middle = { .notifier_call = note, .priority = 5 };
	BLOCKING_NOTIFIER_HEAD(chain);

	KUNIT_EXPECT_EQ(test, blocking_notifier_chain_register(&chain, &low), 0);
	KUNIT_EXPECT_EQ(test, blocking_notifier_chain_register(&chain, &high), 0);
	KUNIT_EXPECT_EQ(test, blocking_notifier_chain_register(&chain, &middle), 0);
	KUNIT_EXPECT_EQ(test, blocking_notifier_chain_register(&chain, &middle), -EEXIST);
	nr_calls = 0;
	KUNIT_EXPECT_EQ(test, blocking_notifier_call_chain(&chain, 1, NULL), NOTIFY_OK);
	KUNIT_ASSERT_EQ(test, nr_calls, 3);
	KUNIT_EXPECT_EQ(test, calls[0], 9);
	KUNIT_EXPECT_EQ(test, calls[2], 1);
	nr_calls = 0;
	KUNIT_EXPECT_EQ(test, blocking_notifier_call_chain(&chain, 2, NULL), NOTIFY_STOP);
	KUNIT_EXPECT_EQ(test, nr_calls, 2);
	KUNIT_EXPECT_EQ(test, blocking_notifier_chain_unregister(&chain, &middle), 0);
	KUNIT_EXPECT_EQ(test, blocking_notifier_chain_unregister(&chain, &middle), -ENOENT);
	nr_calls = 0;
	blocking_notifier_call_chain(&chain, 2, NULL);
	KUNIT_EXPECT_EQ(test, nr_calls, 2);
	KUNIT_EXPECT_EQ(test, notifier_to_errno(notifier_from_errno(-ENOMEM)), -ENOMEM);
}

static int init_resource(struct kunit_resource *resource, void *context)
{
	resource->data = context;
	return context ? 0 : -EINVAL;
}

static void free_resource(struct kunit_resource *resource)
{
	(*(int *)resource->data)++;
}

static bool is_data(struct kunit *test, struct kunit_resource *resource, void *data)
{
	(void)test;
	return resource->data == data;
}

static void resources_are_found(struct kunit *test)
{
	static int freed;

	freed = 0;
	KUNIT_EXPECT_NULL(test, kunit_alloc_resource(test, init_resource, NULL, GFP_KERNEL, NULL));
	KUNIT_EXPECT_PTR_EQ(test, kunit_alloc_resource(test, init_resource, free_resource,
						       GFP_KERNEL, &freed), (void *)&freed);
	KUNIT_EXPECT_NOT_NULL(test, kunit_find_resource(test, is_data, &freed));
	KUNIT_EXPECT_EQ(test, kunit_destroy_resource(test, is_data, &freed), 0);
	KUNIT_EXPECT_EQ(test, freed, 1);
	KUNIT_EXPECT_EQ(test, kunit_destroy_resource(test, is_data, &freed), -ENOENT);
}

static struct kunit_case queue_cases[] = {
	KUNIT_CASE(fifo_keeps_order),
	KUNIT_CASE(fifo_between_threads),
	KUNIT_CASE(ring_resizes_and_takes_back),
	KUNIT_CASE(ring_without_room),
	KUNIT_CASE(packets_are_memory),
	KUNIT_CASE(worker_does_work),
	KUNIT_CASE(references_are_summed),
	KUNIT_CASE(notifiers_by_priority),
	KUNIT_CASE(resources_are_found),
	{}
};

static struct kunit_suite queue_suite = {
	.name = "kernel_queues",
	.test_cases = queue_cases,
};
kunit_test_suite(queue_suite);
