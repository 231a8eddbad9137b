// SPDX-License-Identifier: MIT
/* Kernel threads, completions, wait queues, work queues, timers. */
#include <kunit/test.h>

#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/hrtimer.h>
#include <linux/kthread.h>
#include <linux/lockref.h>
#include <linux/mutex.h>
#include <linux/semaphore.h>
#include <linux/timer.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

struct question {
	struct completion begun;
	int answer;
};

static int answer(void *data)
{
	struct question *question = data;

	complete(&question->begun);
	while (!kthread_should_stop())
		schedule_timeout_interruptible(1);
	return question->answer;
}

static void test_kthread_stop_gives_result(struct kunit *test)
{
	struct question question = { .answer = 42 };
	struct task_struct *task;

	init_completion(&question.begun);
	task = kthread_run(answer, &question, "answer/%d", 1);
	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	wait_for_completion(&question.begun);
	KUNIT_EXPECT_STREQ(test, task->comm, "answer/1");
	KUNIT_EXPECT_TRUE(test, READ_ONCE(task->flags) & PF_KTHREAD);
	KUNIT_EXPECT_PTR_NE(test, task, current);
	KUNIT_EXPECT_EQ(test, kthread_stop(task), 42);
}

static void test_kthread_never_woken(struct kunit *test)
{
	struct question question = { .answer = 42 };
	struct task_struct *task = kthread_create(answer, &question, "never");

	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	KUNIT_EXPECT_EQ(test, kthread_stop(task), -EINTR);
}

struct sleeper {
	struct completion begun;
	unsigned int rounds;
};

static int sleep_until_stopped(void *data)
{
	struct sleeper *sleeper = data;

	complete(&sleeper->begun);
	for (;;) {
		set_current_state(TASK_INTERRUPTIBLE);
		if (kthread_should_stop())
			break;
		schedule();
		WRITE_ONCE(sleeper->rounds, sleeper->rounds + 1);
	}
	__set_current_state(TASK_RUNNING);
	return 0;
}

static void test_schedule_sleeps_until_woken(struct kunit *test)
{
	struct sleeper sleeper = { .rounds = 0 };
	struct task_struct *task;

	init_completion(&sleeper.begun);
	task = kthread_run(sleep_until_stopped, &sleeper, "sleeper");
	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	wait_for_completion(&sleeper.begun);
	for (unsigned int i = 0; i < 100; i++) {
		unsigned int before = READ_ONCE(sleeper.rounds);

		while (!wake_up_process(task))
			cpu_relax();
		while (READ_ONCE(sleeper.rounds) == before)
			cpu_relax();
	}
	KUNIT_EXPECT_EQ(test, READ_ONCE(sleeper.rounds), 100);
	kthread_stop(task);
}

struct parked {
	unsigned long count;
};

static int count_or_park(void *data)
{
	struct parked *parked = data;

	while (!kthread_should_stop()) {
		if (kthread_should_park())
			kthread_parkme();
		WRITE_ONCE(parked->count, parked->count + 1);
		yield();
	}
	return 0;
}

static void test_park(struct kunit *test)
{
	struct parked parked = { 0 };
	struct task_struct *task = kthread_run(count_or_park, &parked, "parked");
	unsigned long count;

	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	KUNIT_EXPECT_EQ(test, kthread_park(task), 0);
	count = READ_ONCE(parked.count);
	msleep(20);
	KUNIT_EXPECT_EQ(test, READ_ONCE(parked.count), count);
	kthread_unpark(task);
	while (READ_ONCE(parked.count) == count)
		cpu_relax();
	KUNIT_EXPECT_EQ(test, kthread_stop(task), 0);
}

struct ping {
	struct completion there, back;
	unsigned int n;
};

static int pong(void *data)
{
	struct ping *ping = data;

	for (unsigned int i = 0; i < 1000; i++) {
		wait_for_completion(&ping->there);
		ping->n++;
		complete(&ping->back);
	}
	return 0;
}

static void test_completion_ping_pong(struct kunit *test)
{
	struct ping ping = { .n = 0 };
	struct task_struct *task;

	init_completion(&ping.there);
	init_completion(&ping.back);
	task = kthread_run(pong, &ping, "pong");
	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	get_task_struct(task);
	for (unsigned int i = 0; i < 1000; i++) {
		complete(&ping.there);
		wait_for_completion(&ping.back);
		KUNIT_ASSERT_EQ(test, ping.n, i + 1);
	}
	kthread_stop_put(task);
}

static void test_completion_counts(struct kunit *test)
{
	DECLARE_COMPLETION_ONSTACK(done);

	KUNIT_EXPECT_EQ(test, wait_for_completion_timeout(&done, 1), 0UL);
	complete(&done);
	complete(&done);
	KUNIT_EXPECT_TRUE(test, try_wait_for_completion(&done));
	KUNIT_EXPECT_TRUE(test, completion_done(&done));
	KUNIT_EXPECT_EQ(test, wait_for_completion_timeout(&done, 5), 5UL);
	KUNIT_EXPECT_FALSE(test, try_wait_for_completion(&done));
	complete_all(&done);
	for (int i = 0; i < 3; i++)
		wait_for_completion(&done);
	reinit_completion(&done);
	KUNIT_EXPECT_FALSE(test, completion_done(&done));
}

#define NR_WAITERS 8

struct crowd {
	wait_queue_head_t queue;
	struct semaphore awake;
	int tokens;	/* Sync: atomic */
};

static bool take_token(struct crowd *crowd)
{
	int tokens = READ_ONCE(crowd->tokens);

	while (tokens > 0)
		if (try_cmpxchg(&crowd->tokens, &tokens, tokens - 1))
			return true;
	return false;
}

static int wait_for_token(void *data)
{
	struct crowd *crowd = data;

	wait_event_interruptible_exclusive(crowd->queue, take_token(crowd));
	up(&crowd->awake);
	return 0;
}

static int completes_late(void *done)
{
	msleep(5);
	complete(done);
	return 0;
}

/* The longest time-outs neither end at once nor overflow. */
static void test_long_timeouts(struct kunit *test)
{
	DECLARE_COMPLETION_ONSTACK(done);
	struct task_struct *task;

	complete(&done);
	KUNIT_EXPECT_GT(test, wait_for_completion_timeout(&done, ULONG_MAX), 0UL);
	task = kthread_run(completes_late, &done, "late");
	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	KUNIT_EXPECT_GT(test, wait_for_completion_timeout(&done, MAX_SCHEDULE_TIMEOUT), 1000UL);
	task = kthread_run(completes_late, &done, "late");
	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	KUNIT_EXPECT_GT(test, wait_for_completion_timeout(&done, LONG_MAX - 1), 1000UL);
	complete(&done);
	KUNIT_EXPECT_EQ(test, wait_for_completion_timeout(&done, 0), 1UL);
	KUNIT_EXPECT_EQ(test, wait_for_completion_timeout(&done, 0), 0UL);
	/* migrate_disable() keeps the thread on its CPU, but lets it sleep. */
	migrate_disable();
	msleep(1);
	KUNIT_EXPECT_FALSE(test, in_atomic());
	migrate_enable();
}

static void test_wait_event_exclusive(struct kunit *test)
{
	struct crowd crowd = { .tokens = 0 };

	init_waitqueue_head(&crowd.queue);
	sema_init(&crowd.awake, 0);
	for (unsigned int i = 0; i < NR_WAITERS; i++)
		KUNIT_ASSERT_FALSE(test, IS_ERR(kthread_run(wait_for_token, &crowd, "w%u", i)));
	KUNIT_EXPECT_EQ(test, down_timeout(&crowd.awake, 2), -ETIME);
	for (unsigned int i = 0; i < NR_WAITERS; i++) {
		atomic_t *tokens = (atomic_t *)&crowd.tokens;

		atomic_inc(tokens);
		wake_up(&crowd.queue);
		KUNIT_ASSERT_EQ(test, down_timeout(&crowd.awake, 10 * HZ), 0);
	}
	while (waitqueue_active(&crowd.queue))
		msleep(1);
	KUNIT_EXPECT_EQ(test, crowd.tokens, 0);
}

static void test_wait_event_timeout(struct kunit *test)
{
	DECLARE_WAIT_QUEUE_HEAD(queue);
	ktime_t start = ktime_get();

	KUNIT_EXPECT_EQ(test, wait_event_timeout(queue, false, 5), 0L);
	KUNIT_EXPECT_GE(test, ktime_ms_delta(ktime_get(), start), 5LL * 1000 / HZ);
	KUNIT_EXPECT_EQ(test, wait_event_timeout(queue, true, 5), 5L);
}

struct job {
	struct work_struct work;
	atomic_t runs, inside, worst;
	bool again;
};

static void do_job(struct work_struct *work)
{
	struct job *job = container_of(work, struct job, work);
	int inside = atomic_inc_return(&job->inside);

	if (inside > 1)
		atomic_set(&job->worst, inside);
	usleep_range(100, 200);
	atomic_dec(&job->inside);
	atomic_inc(&job->runs);
	if (READ_ONCE(job->again))
		schedule_work(work);
}

static void test_work_runs_alone(struct kunit *test)
{
	struct job job = { .again = false };

	INIT_WORK(&job.work, do_job);
	for (unsigned int i = 0; i < 200; i++) {
		schedule_work(&job.work);
		usleep_range(20, 30);
	}
	flush_work(&job.work);
	KUNIT_EXPECT_FALSE(test, work_pending(&job.work));
	KUNIT_EXPECT_GE(test, atomic_read(&job.runs), 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&job.worst), 0);
	atomic_set(&job.runs, 0);
	/* It queues itself for ever, so there is always something to wait for. */
	WRITE_ONCE(job.again, true);
	schedule_work(&job.work);
	KUNIT_EXPECT_TRUE(test, flush_work(&job.work));
	cancel_work_sync(&job.work);
	KUNIT_EXPECT_GE(test, atomic_read(&job.runs), 1);
	KUNIT_EXPECT_EQ(test, work_busy(&job.work), 0u);
}

static void test_queue_of_its_own(struct kunit *test)
{
	struct workqueue_struct *queue = alloc_workqueue("own-%d", WQ_UNBOUND, 4, 1);
	struct job jobs[20] = { 0 };

	KUNIT_ASSERT_NOT_NULL(test, queue);
	for (unsigned int i = 0; i < ARRAY_SIZE(jobs); i++) {
		INIT_WORK(&jobs[i].work, do_job);
		KUNIT_EXPECT_TRUE(test, queue_work(queue, &jobs[i].work));
	}
	flush_workqueue(queue);
	for (unsigned int i = 0; i < ARRAY_SIZE(jobs); i++)
		KUNIT_EXPECT_EQ(test, atomic_read(&jobs[i].runs), 1);
	destroy_workqueue(queue);
}

struct ordered {
	struct work_struct work;
	unsigned int number, *next;
	bool in_order;
};

static void check_order(struct work_struct *work)
{
	struct ordered *ordered = container_of(work, struct ordered, work);

	ordered->in_order = (*ordered->next)++ == ordered->number;
}

static void test_ordered_queue(struct kunit *test)
{
	struct workqueue_struct *queue = alloc_ordered_workqueue("ordered", 0);
	struct ordered works[50];
	unsigned int next = 0;

	KUNIT_ASSERT_NOT_NULL(test, queue);
	for (unsigned int i = 0; i < ARRAY_SIZE(works); i++) {
		works[i] = (struct ordered){ .number = i, .next = &next };
		INIT_WORK(&works[i].work, check_order);
		queue_work(queue, &works[i].work);
	}
	destroy_workqueue(queue);
	for (unsigned int i = 0; i < ARRAY_SIZE(works); i++)
		KUNIT_EXPECT_TRUE(test, works[i].in_order);
}

struct late {
	struct delayed_work work;
	atomic_t runs;
};

static void do_late(struct work_struct *work)
{
	atomic_inc(&container_of(to_delayed_work(work), struct late, work)->runs);
}

static void test_delayed_work(struct kunit *test)
{
	struct late late = { .runs = ATOMIC_INIT(0) };

	INIT_DELAYED_WORK(&late.work, do_late);
	KUNIT_EXPECT_TRUE(test, schedule_delayed_work(&late.work, 1000 * HZ));
	KUNIT_EXPECT_FALSE(test, schedule_delayed_work(&late.work, 0));
	KUNIT_EXPECT_TRUE(test, cancel_delayed_work_sync(&late.work));
	KUNIT_EXPECT_EQ(test, atomic_read(&late.runs), 0);
	schedule_delayed_work(&late.work, 1000 * HZ);
	flush_delayed_work(&late.work);
	KUNIT_EXPECT_EQ(test, atomic_read(&late.runs), 1);
	schedule_delayed_work(&late.work, 1000 * HZ);
	KUNIT_EXPECT_TRUE(test, mod_delayed_work(system_wq, &late.work, 1));
	while (atomic_read(&late.runs) < 2)
		msleep(1);
	KUNIT_EXPECT_FALSE(test, cancel_delayed_work_sync(&late.work));
}

struct ticking {
	struct timer_list timer;
	struct hrtimer hrtimer;
	unsigned int ticks, left;
	unsigned long wrong_context;
};

static void tick(struct timer_list *timer)
{
	struct ticking *ticking = timer_container_of(ticking, timer, timer);

	ticking->wrong_context += !in_interrupt();
	WRITE_ONCE(ticking->ticks, ticking->ticks + 1);
	if (--ticking->left)
		mod_timer(timer, jiffies + 1);
}

static enum hrtimer_restart hrtick(struct hrtimer *timer)
{
	struct ticking *ticking = container_of(timer, struct ticking, hrtimer);

	ticking->wrong_context += !in_hardirq() || !irqs_disabled();
	WRITE_ONCE(ticking->ticks, ticking->ticks + 1);
	hrtimer_forward_now(timer, us_to_ktime(200));
	return --ticking->left ? HRTIMER_RESTART : HRTIMER_NORESTART;
}

static void test_timers(struct kunit *test)
{
	struct ticking ticking = { .left = 3 };

	timer_setup(&ticking.timer, tick, 0);
	KUNIT_EXPECT_EQ(test, mod_timer(&ticking.timer, jiffies + 1), 0);
	while (READ_ONCE(ticking.ticks) < 3)
		msleep(1);
	KUNIT_EXPECT_EQ(test, timer_delete_sync(&ticking.timer), 0);
	mod_timer(&ticking.timer, jiffies + 1000 * HZ);
	KUNIT_EXPECT_TRUE(test, timer_pending(&ticking.timer));
	KUNIT_EXPECT_EQ(test, timer_delete_sync(&ticking.timer), 1);
	ticking.left = 5;
	hrtimer_setup(&ticking.hrtimer, hrtick, CLOCK_MONOTONIC, HRTIMER_MODE_REL);
	hrtimer_start(&ticking.hrtimer, us_to_ktime(200), HRTIMER_MODE_REL);
	while (READ_ONCE(ticking.ticks) < 8)
		msleep(1);
	hrtimer_cancel(&ticking.hrtimer);
	KUNIT_EXPECT_EQ(test, ticking.wrong_context, 0UL);
}

static void test_jiffies(struct kunit *test)
{
	unsigned long before = jiffies;

	KUNIT_EXPECT_EQ(test, msecs_to_jiffies(1), 1UL);
	KUNIT_EXPECT_EQ(test, msecs_to_jiffies(1000), (unsigned long)HZ);
	KUNIT_EXPECT_EQ(test, jiffies_to_msecs(HZ), 1000u);
	msleep(3 * 1000 / HZ);
	KUNIT_EXPECT_TRUE(test, time_after_eq(jiffies, before + 3));
	KUNIT_EXPECT_TRUE(test, time_after(0UL, ~0UL));
}

/* A count of 0 has no user; a count below 0 is of a dead object. */
static void test_lockref_counts(struct kunit *test)
{
	struct lockref ref;

	lockref_init(&ref);
	lockref_get(&ref);
	KUNIT_EXPECT_TRUE(test, lockref_put_or_lock(&ref));
	KUNIT_EXPECT_EQ(test, ref.count, 1);
	KUNIT_EXPECT_FALSE(test, lockref_put_or_lock(&ref));
	lockref_mark_dead(&ref);
	spin_unlock(&ref.lock);
	KUNIT_EXPECT_TRUE(test, __lockref_is_dead(&ref));
	KUNIT_EXPECT_FALSE(test, lockref_get_not_dead(&ref));
	KUNIT_EXPECT_FALSE(test, lockref_get_not_zero(&ref));
	KUNIT_EXPECT_EQ(test, lockref_put_return(&ref), -1);
	ref.count = 0;
	KUNIT_EXPECT_FALSE(test, lockref_get_not_zero(&ref));
	KUNIT_EXPECT_TRUE(test, lockref_get_not_dead(&ref));
	KUNIT_EXPECT_EQ(test, lockref_put_return(&ref), 0);
}

static struct kunit_case threads_cases[] = {
	KUNIT_CASE(test_lockref_counts), KUNIT_CASE(test_kthread_stop_gives_result),
	KUNIT_CASE(test_kthread_never_woken),
	KUNIT_CASE(test_schedule_sleeps_until_woken),
	KUNIT_CASE(test_park),
	KUNIT_CASE(test_completion_ping_pong),
	KUNIT_CASE(test_completion_counts),
	KUNIT_CASE(test_long_timeouts),
	KUNIT_CASE(test_wait_event_exclusive),
	KUNIT_CASE(test_wait_event_timeout),
	KUNIT_CASE(test_work_runs_alone),
	KUNIT_CASE(test_queue_of_its_own),
	KUNIT_CASE(test_ordered_queue),
	KUNIT_CASE(test_delayed_work),
	KUNIT_CASE(test_timers),
	KUNIT_CASE(test_jiffies),
	{ }
};

static struct kunit_suite threads_suite = {
	.name = "kernel_threads",
	.test_cases = threads_cases,
};
kunit_test_suite(threads_suite);
