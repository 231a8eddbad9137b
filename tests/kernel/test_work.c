// SPDX-License-Identifier: MIT
/*
 * Work items and timers together: limits, waiting for their end, cancelling, functions that run
 * late.
 */
#include <kunit/test.h>

#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/fs.h>
#include <linux/hrtimer.h>
#include <linux/kthread.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/timer.h>
#include <linux/workqueue.h>

struct busy {
	struct work_struct work;
	struct workqueue_struct *queue;
	struct completion begun, go_on;
	atomic_t *active, *most;
	unsigned int again;		/* how often it queues itself */
	bool in_softirq;
	atomic_t runs;
};

static void do_busy(struct work_struct *work)
{
	struct busy *busy = container_of(work, struct busy, work);
	int active = busy->active ? atomic_inc_return(busy->active) : 0;

	busy->in_softirq = in_serving_softirq();
	atomic_inc(&busy->runs);
	complete(&busy->begun);
	if (busy->active) {
		int most = atomic_read(busy->most);

		while (most < active && !atomic_try_cmpxchg(busy->most, &most, active))
			;
		msleep(5);
		atomic_dec(busy->active);
	} else if (!busy->in_softirq) {
		wait_for_completion(&busy->go_on);
	}
	if (busy->again && busy->again--)
		queue_work(busy->queue, work);
}

static void busy_init(struct busy *busy, struct workqueue_struct *queue)
{
	*busy = (struct busy){ .queue = queue };
	INIT_WORK(&busy->work, do_busy);
	init_completion(&busy->begun);
	init_completion(&busy->go_on);
}

#define NR_ITEMS 8

static int most_at_once(struct kunit *test, unsigned int flags, int max_active, int cpu)
{
	struct workqueue_struct *queue = alloc_workqueue("most", flags, max_active);
	atomic_t active = ATOMIC_INIT(0), most = ATOMIC_INIT(0);
	static struct busy items[NR_ITEMS];

	KUNIT_ASSERT_NOT_NULL(test, queue);
	for (int i = 0; i < NR_ITEMS; i++) {
		busy_init(&items[i], queue);
		items[i].active = &active;
		items[i].most = &most;
		queue_work_on(cpu, queue, &items[i].work);
	}
	destroy_workqueue(queue);
	for (int i = 0; i < NR_ITEMS; i++)
		KUNIT_EXPECT_EQ(test, atomic_read(&items[i].runs), 1);
	return atomic_read(&most);
}

static void test_max_active(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, most_at_once(test, 0, 1, 0), 1);
	KUNIT_EXPECT_EQ(test, most_at_once(test, WQ_UNBOUND, 1, WORK_CPU_UNBOUND), 1);
	KUNIT_EXPECT_LE(test, most_at_once(test, WQ_UNBOUND, 3, WORK_CPU_UNBOUND), 3);
	KUNIT_EXPECT_LE(test, most_at_once(test, WQ_MEM_RECLAIM, 2, 0), 2);
}

/* As many items as may be active wait for the last of them: a pool of threads would hang. */
static void test_many_wait_for_one(struct kunit *test)
{
	struct workqueue_struct *queue = alloc_workqueue("many", WQ_UNBOUND, 0);
	unsigned int nr = 40;
	struct busy *items = kunit_kcalloc(test, nr, sizeof(*items), GFP_KERNEL);

	for (unsigned int i = 0; i < nr; i++) {
		busy_init(&items[i], queue);
		KUNIT_EXPECT_TRUE(test, queue_work(queue, &items[i].work));
	}
	for (unsigned int i = 0; i < nr; i++)
		wait_for_completion(&items[i].begun);
	for (unsigned int i = 0; i < nr; i++)
		complete(&items[i].go_on);
	destroy_workqueue(queue);
}

/*
 * An item that queues itself again and again can be flushed, which waits for one run; cancelling
 * ends it.
 */
static void test_item_that_queues_itself(struct kunit *test)
{
	struct workqueue_struct *queue = alloc_workqueue("again", 0, 0);
	struct busy busy;
	int runs;

	busy_init(&busy, queue);
	busy.again = UINT_MAX;
	complete_all(&busy.go_on);
	queue_work(queue, &busy.work);
	KUNIT_EXPECT_TRUE(test, flush_work(&busy.work));
	flush_workqueue(queue);
	KUNIT_EXPECT_GE(test, atomic_read(&busy.runs), 1);
	cancel_work_sync(&busy.work);
	runs = atomic_read(&busy.runs);
	KUNIT_EXPECT_FALSE(test, work_pending(&busy.work));
	msleep(2);
	KUNIT_EXPECT_EQ(test, atomic_read(&busy.runs), runs);
	busy.again = 5;
	atomic_set(&busy.runs, 0);
	queue_work(queue, &busy.work);
	drain_workqueue(queue);
	KUNIT_EXPECT_EQ(test, atomic_read(&busy.runs), 6);
	destroy_workqueue(queue);
}

/* Somebody else has disabled it as well. */
static bool is_being_cancelled(struct work_struct *work)
{
	disable_work(work);
	return !enable_work(work);
}

static int lets_go_when_cancelled(void *data)
{
	struct busy *busy = data;

	while (!is_being_cancelled(&busy->work))
		msleep(1);
	complete(&busy->go_on);
	return 0;
}

/*
 * An item that is being cancelled cannot be queued. Cancelling an item that was not pending returns
 * false.
 */
static void test_cancel_waits(struct kunit *test)
{
	struct task_struct *helper;
	struct busy busy;

	busy_init(&busy, system_wq);
	busy.again = 1;
	KUNIT_EXPECT_FALSE(test, cancel_work_sync(&busy.work));
	KUNIT_EXPECT_FALSE(test, flush_work(&busy.work));
	schedule_work(&busy.work);
	wait_for_completion(&busy.begun);
	KUNIT_EXPECT_EQ(test, work_busy(&busy.work), (unsigned int)WORK_BUSY_RUNNING);
	helper = kthread_run(lets_go_when_cancelled, &busy, "lets_go");
	KUNIT_ASSERT_FALSE(test, IS_ERR(helper));
	get_task_struct(helper);
	KUNIT_EXPECT_FALSE(test, cancel_work_sync(&busy.work));
	kthread_stop_put(helper);
	KUNIT_EXPECT_EQ(test, work_busy(&busy.work), 0u);
	KUNIT_EXPECT_EQ(test, atomic_read(&busy.runs), 1);
	complete_all(&busy.go_on);
	KUNIT_EXPECT_TRUE(test, schedule_work(&busy.work));
	flush_work(&busy.work);
	KUNIT_EXPECT_EQ(test, atomic_read(&busy.runs), 2);
}

static void test_disabled_work(struct kunit *test)
{
	struct busy busy;

	busy_init(&busy, system_wq);
	complete_all(&busy.go_on);
	KUNIT_EXPECT_FALSE(test, disable_work(&busy.work));
	KUNIT_EXPECT_FALSE(test, disable_work_sync(&busy.work));
	KUNIT_EXPECT_FALSE(test, schedule_work(&busy.work));
	KUNIT_EXPECT_FALSE(test, enable_work(&busy.work));
	KUNIT_EXPECT_FALSE(test, schedule_work(&busy.work));
	KUNIT_EXPECT_TRUE(test, enable_work(&busy.work));
	KUNIT_EXPECT_TRUE(test, schedule_work(&busy.work));
	flush_work(&busy.work);
	KUNIT_EXPECT_EQ(test, atomic_read(&busy.runs), 1);
}

struct freed {
	struct work_struct work;
	struct completion *gone;
};

static void frees_itself(struct work_struct *work)
{
	struct freed *freed = container_of(work, struct freed, work);
	struct completion *gone = freed->gone;

	kfree(freed);
	complete(gone);
}

static void test_item_that_frees_itself(struct kunit *test)
{
	DECLARE_COMPLETION_ONSTACK(gone);

	for (int i = 0; i < 200; i++) {
		struct freed *freed = kmalloc(sizeof(*freed), GFP_KERNEL);

		KUNIT_ASSERT_NOT_NULL(test, freed);
		INIT_WORK(&freed->work, frees_itself);
		freed->gone = &gone;
		schedule_work(&freed->work);
		wait_for_completion(&gone);
	}
	flush_workqueue(system_wq);
}

struct late {
	struct delayed_work work;
	atomic_t runs;
};

static void do_late(struct work_struct *work)
{
	atomic_inc(&container_of(to_delayed_work(work), struct late, work)->runs);
}

/* Both ways to stop it, and to move it, just when its time comes; it may be freed then. */
static void test_delayed_race(struct kunit *test)
{
	for (int i = 0; i < 100; i++) {
		struct late *late = kzalloc(sizeof(*late), GFP_KERNEL);
		bool pending;

		KUNIT_ASSERT_NOT_NULL(test, late);
		INIT_DELAYED_WORK(&late->work, do_late);
		KUNIT_EXPECT_TRUE(test, schedule_delayed_work(&late->work, 1));
		usleep_range(3900, 4100);
		if (i % 3 == 0) {
			pending = cancel_delayed_work_sync(&late->work);
		} else if (i % 3 == 1) {
			mod_delayed_work(system_wq, &late->work, 1000 * HZ);
			pending = cancel_delayed_work(&late->work);
			KUNIT_EXPECT_TRUE(test, pending);
			flush_work(&late->work.work);
			pending = !atomic_read(&late->runs);
		} else {
			flush_delayed_work(&late->work);
			pending = false;
		}
		KUNIT_EXPECT_EQ(test, atomic_read(&late->runs), pending ? 0 : 1);
		KUNIT_EXPECT_FALSE(test, delayed_work_pending(&late->work));
		kfree(late);
	}
}

static void test_bottom_half_queue(struct kunit *test)
{
	struct workqueue_struct *queue = alloc_workqueue("bh", WQ_BH, 0);
	struct busy busy;

	busy_init(&busy, queue);
	queue_work(queue, &busy.work);
	flush_work(&busy.work);
	KUNIT_EXPECT_TRUE(test, busy.in_softirq);
	destroy_workqueue(queue);
}

#define PATIENCE_NS (20 * NSEC_PER_SEC)

struct slow {
	struct timer_list timer;
	struct hrtimer hrtimer;
	atomic_t runs;
	unsigned int cpu;
	bool waits;	/* for a thread that wants to meet it while it runs, or shortly after */
	bool is_met;	/* Sync: atomic */
};

static void be_slow(struct slow *slow)
{
	u64 limit = ktime_get_ns() + PATIENCE_NS;

	WRITE_ONCE(slow->cpu, smp_processor_id());
	while (slow->waits && !smp_load_acquire(&slow->is_met) && ktime_get_ns() < limit)
		cpu_relax();
	if (slow->waits)
		mdelay(10);
	atomic_inc(&slow->runs);
}

/* It may come to its end: from here on others wait for it. */
static void meet(struct slow *slow)
{
	smp_store_release(&slow->is_met, true);
}

static void slow_timer(struct timer_list *timer)
{
	struct slow *slow = timer_container_of(slow, timer, timer);

	be_slow(slow);
}

static enum hrtimer_restart slow_hrtimer(struct hrtimer *timer)
{
	be_slow(container_of(timer, struct slow, hrtimer));
	return HRTIMER_NORESTART;
}

static void test_timer_results(struct kunit *test)
{
	struct slow slow = { .waits = true };

	timer_setup(&slow.timer, slow_timer, 0);
	KUNIT_EXPECT_EQ(test, mod_timer_pending(&slow.timer, jiffies + 1), 0);
	KUNIT_EXPECT_FALSE(test, timer_pending(&slow.timer));
	slow.timer.expires = jiffies + 1000 * HZ;
	add_timer(&slow.timer);
	KUNIT_EXPECT_EQ(test, mod_timer(&slow.timer, jiffies + 999 * HZ), 1);
	KUNIT_EXPECT_EQ(test, timer_reduce(&slow.timer, jiffies + 1000 * HZ), 1);
	KUNIT_EXPECT_TRUE(test, time_before(slow.timer.expires, jiffies + 1000 * HZ));
	KUNIT_EXPECT_EQ(test, mod_timer_pending(&slow.timer, jiffies + 500 * HZ), 1);
	KUNIT_EXPECT_EQ(test, timer_delete_sync_try(&slow.timer), 1);
	KUNIT_EXPECT_EQ(test, timer_delete_sync_try(&slow.timer), 0);
	mod_timer(&slow.timer, jiffies);
	while (timer_pending(&slow.timer))
		usleep_range(100, 200);
	KUNIT_EXPECT_EQ(test, timer_delete_sync_try(&slow.timer), -1);
	KUNIT_EXPECT_EQ(test, atomic_read(&slow.runs), 0);
	meet(&slow);
	KUNIT_EXPECT_EQ(test, timer_delete_sync(&slow.timer), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&slow.runs), 1);
	mod_timer(&slow.timer, jiffies + 1000 * HZ);
	KUNIT_EXPECT_EQ(test, timer_shutdown(&slow.timer), 1);
	KUNIT_EXPECT_EQ(test, mod_timer(&slow.timer, jiffies), 0);
	KUNIT_EXPECT_FALSE(test, timer_pending(&slow.timer));
}

/*
 * A thread that holds the CPU may wait for the timer's end, and does not delay other CPUs' timers.
 */
static void test_timers_and_held_cpus(struct kunit *test)
{
	struct slow here = { .cpu = ~0u }, there = { .cpu = ~0u };
	unsigned int cpu;
	u64 limit = ktime_get_ns() + PATIENCE_NS;

	timer_setup(&here.timer, slow_timer, 0);
	timer_setup(&there.timer, slow_timer, 0);
	cpu = get_cpu();
	mod_timer(&here.timer, jiffies);
	if (nr_cpu_ids > 1) {
		there.timer.expires = jiffies + 1;
		add_timer_on(&there.timer, (int)((cpu + 1) % nr_cpu_ids));
		while (!atomic_read(&there.runs) && ktime_get_ns() < limit)
			cpu_relax();
		KUNIT_EXPECT_EQ(test, READ_ONCE(there.cpu), (cpu + 1) % nr_cpu_ids);
	}
	KUNIT_EXPECT_EQ(test, timer_delete_sync(&here.timer), 1);
	mod_timer(&here.timer, jiffies);
	put_cpu();
	while (!atomic_read(&here.runs))
		usleep_range(100, 200);
	timer_delete_sync(&here.timer);
	KUNIT_EXPECT_EQ(test, READ_ONCE(here.cpu), cpu);
}

static void test_hrtimers(struct kunit *test)
{
	struct slow slow = { .waits = true };
	ktime_t when;

	hrtimer_setup(&slow.hrtimer, slow_hrtimer, CLOCK_REALTIME, HRTIMER_MODE_ABS);
	KUNIT_EXPECT_EQ(test, hrtimer_cancel(&slow.hrtimer), 0);
	when = ktime_get_real() + 5 * NSEC_PER_MSEC;
	hrtimer_start(&slow.hrtimer, when, HRTIMER_MODE_ABS);
	KUNIT_EXPECT_EQ(test, hrtimer_get_expires(&slow.hrtimer), when);
	KUNIT_EXPECT_TRUE(test, hrtimer_active(&slow.hrtimer));
	while (hrtimer_is_queued(&slow.hrtimer))
		usleep_range(100, 200);
	KUNIT_EXPECT_TRUE(test, hrtimer_active(&slow.hrtimer));
	KUNIT_EXPECT_EQ(test, hrtimer_try_to_cancel(&slow.hrtimer), -1);
	meet(&slow);
	KUNIT_EXPECT_EQ(test, hrtimer_cancel(&slow.hrtimer), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&slow.runs), 1);
	KUNIT_EXPECT_FALSE(test, hrtimer_active(&slow.hrtimer));
	hrtimer_start(&slow.hrtimer, KTIME_MAX, HRTIMER_MODE_REL);
	KUNIT_EXPECT_EQ(test, hrtimer_cancel(&slow.hrtimer), 1);
	when = hrtimer_get_expires(&slow.hrtimer);
	KUNIT_EXPECT_EQ(test, hrtimer_forward(&slow.hrtimer, when - 1, 10), 0ULL);
	KUNIT_EXPECT_EQ(test, hrtimer_forward(&slow.hrtimer, when, 10), 1ULL);
	KUNIT_EXPECT_EQ(test, hrtimer_get_expires(&slow.hrtimer), when + 10);
	KUNIT_EXPECT_EQ(test, hrtimer_forward(&slow.hrtimer, when + 35, 10), 3ULL);
}

/* Reads or writes a file of the queue named "shown". The result is what the call said. */
static ssize_t queue_file(const char *name, const char *write, char *read, size_t n)
{
	struct file *file;
	char path[80];
	loff_t pos = 0;
	ssize_t done;

	snprintf(path, sizeof(path), "/sys/bus/workqueue/devices/shown/%s", name);
	file = filp_open(path, write ? O_WRONLY : O_RDONLY, 0);
	if (IS_ERR(file))
		return PTR_ERR(file);
	done = write ? kernel_write(file, write, strlen(write), &pos) :
		       kernel_read(file, read, n - 1, &pos);
	filp_close(file, NULL);
	if (!write && done >= 0)
		read[done] = '\0';
	return done;
}

static void test_files_of_a_queue(struct kunit *test)
{
	struct workqueue_struct *queue = alloc_workqueue("shown", WQ_UNBOUND | WQ_SYSFS, 3);
	char text[40];

	KUNIT_ASSERT_NOT_NULL(test, queue);
	KUNIT_EXPECT_EQ(test, queue_file("per_cpu", NULL, text, sizeof(text)), 2);
	KUNIT_EXPECT_STREQ(test, text, "0\n");
	KUNIT_EXPECT_EQ(test, queue_file("max_active", "7\n", NULL, 0), 2);
	KUNIT_EXPECT_EQ(test, queue_file("max_active", "0", NULL, 0), -EINVAL);
	queue_file("max_active", NULL, text, sizeof(text));
	KUNIT_EXPECT_STREQ(test, text, "7\n");
	queue_file("affinity_scope", NULL, text, sizeof(text));
	KUNIT_EXPECT_NOT_NULL(test, strstr(text, "default ("));
	KUNIT_EXPECT_EQ(test, queue_file("affinity_scope", "numa\n", NULL, 0), 5);
	KUNIT_EXPECT_EQ(test, queue_file("affinity_scope", "moon", NULL, 0), -EINVAL);
	queue_file("affinity_scope", NULL, text, sizeof(text));
	KUNIT_EXPECT_STREQ(test, text, "numa\n");
	KUNIT_EXPECT_EQ(test, queue_file("nice", "20", NULL, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, queue_file("nice", "-5", NULL, 0), 2);
	KUNIT_EXPECT_EQ(test, queue_file("per_cpu", "1", NULL, 0), -EACCES);
	KUNIT_EXPECT_NULL_MSG(test, alloc_workqueue("shown", WQ_SYSFS, 0), "the name is taken");
	destroy_workqueue(queue);
	KUNIT_EXPECT_EQ(test, queue_file("per_cpu", NULL, text, sizeof(text)), -ENOENT);
	queue = alloc_workqueue("shown", WQ_SYSFS, 0);
	KUNIT_ASSERT_NOT_NULL(test, queue);
	KUNIT_EXPECT_EQ(test, queue_file("affinity_scope", NULL, text, sizeof(text)), -ENOENT);
	destroy_workqueue(queue);
}

/* Three items wait for the first, until there may be four at a time. */
static void test_more_at_a_time(struct kunit *test)
{
	struct workqueue_struct *queue = alloc_workqueue("raised", WQ_UNBOUND, 1);
	struct busy items[4];

	KUNIT_ASSERT_NOT_NULL(test, queue);
	for (unsigned int i = 0; i < ARRAY_SIZE(items); i++) {
		busy_init(&items[i], queue);
		queue_work(queue, &items[i].work);
	}
	wait_for_completion(&items[0].begun);
	KUNIT_EXPECT_FALSE(test, try_wait_for_completion(&items[1].begun));
	workqueue_set_max_active(queue, 4);
	for (unsigned int i = 1; i < ARRAY_SIZE(items); i++)
		wait_for_completion(&items[i].begun);
	for (unsigned int i = 0; i < ARRAY_SIZE(items); i++)
		complete(&items[i].go_on);
	destroy_workqueue(queue);
}

static struct kunit_case work_cases[] = {
	KUNIT_CASE(test_max_active),
	KUNIT_CASE(test_many_wait_for_one),
	KUNIT_CASE(test_item_that_queues_itself),
	KUNIT_CASE(test_cancel_waits),
	KUNIT_CASE(test_disabled_work),
	KUNIT_CASE(test_item_that_frees_itself),
	KUNIT_CASE(test_delayed_race),
	KUNIT_CASE(test_bottom_half_queue),
	KUNIT_CASE(test_timer_results),
	KUNIT_CASE(test_timers_and_held_cpus),
	KUNIT_CASE(test_hrtimers),
	KUNIT_CASE(test_files_of_a_queue),
	KUNIT_CASE(test_more_at_a_time),
	{ }
};

static struct kunit_suite work_suite = {
	.name = "kernel_work",
	.test_cases = work_cases,
};
kunit_test_suite(work_suite);
