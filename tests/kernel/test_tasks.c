// SPDX-License-Identifier: MIT
/* Queues of tasks to wake, and the time that CPUs and tasks spent. */
#include <stdio.h>
#include <unistd.h>

#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/kernel_stat.h>
#include <linux/kthread.h>
#include <linux/pid.h>
#include <linux/sched/cputime.h>
#include <linux/sched/task.h>
#include <linux/sched/wake_q.h>

struct sleeper {
	struct task_struct *task;
	struct completion woken;
	bool told;			/* Sync: atomic */
};

static int sleep_until_told(void *data)
{
	struct sleeper *sleeper = data;

	for (;;) {
		set_current_state(TASK_UNINTERRUPTIBLE);
		if (READ_ONCE(sleeper->told))
			break;
		schedule();
	}
	__set_current_state(TASK_RUNNING);
	complete(&sleeper->woken);
	while (!kthread_should_stop())
		schedule_timeout_interruptible(1);
	return 0;
}

static void start_sleeper(struct kunit *test, struct sleeper *sleeper)
{
	sleeper->told = false;
	init_completion(&sleeper->woken);
	sleeper->task = kthread_run(sleep_until_told, sleeper, "sleeper");
	KUNIT_ASSERT_FALSE(test, IS_ERR(sleeper->task));
}

static void stop_sleeper(struct kunit *test, struct sleeper *sleeper)
{
	KUNIT_EXPECT_NE(test, wait_for_completion_timeout(&sleeper->woken, 60 * HZ), 0UL);
	WRITE_ONCE(sleeper->told, true);
	wake_up_process(sleeper->task);
	KUNIT_EXPECT_EQ(test, kthread_stop(sleeper->task), 0);
}

static void test_queue_wakes_all(struct kunit *test)
{
	struct sleeper sleepers[3];
	unsigned int before[3];
	DEFINE_WAKE_Q(other);
	DEFINE_WAKE_Q(queue);

	KUNIT_EXPECT_TRUE(test, wake_q_empty(&queue));
	wake_up_q(&queue);
	for (unsigned int i = 0; i < 3; i++) {
		start_sleeper(test, &sleepers[i]);
		before[i] = refcount_read(&sleepers[i].task->usage);
		WRITE_ONCE(sleepers[i].told, true);
		wake_q_add(&queue, sleepers[i].task);
		KUNIT_EXPECT_EQ(test, refcount_read(&sleepers[i].task->usage), before[i] + 1);
	}
	/* They are in a queue: nobody else takes them, and one reference is returned. */
	wake_q_add(&other, sleepers[0].task);
	wake_q_add(&queue, sleepers[2].task);
	get_task_struct(sleepers[1].task);
	wake_q_add_safe(&other, sleepers[1].task);
	KUNIT_EXPECT_TRUE(test, wake_q_empty(&other));
	for (unsigned int i = 0; i < 3; i++)
		KUNIT_EXPECT_EQ(test, refcount_read(&sleepers[i].task->usage), before[i] + 1);
	wake_up_q(&queue);
	for (unsigned int i = 0; i < 3; i++) {
		KUNIT_EXPECT_NULL(test, sleepers[i].task->wake_q.next);
		KUNIT_EXPECT_EQ(test, refcount_read(&sleepers[i].task->usage), before[i]);
		stop_sleeper(test, &sleepers[i]);
	}
}

static void test_queue_takes_over_a_reference(struct kunit *test)
{
	struct sleeper sleeper;
	unsigned int before;
	DEFINE_WAKE_Q(queue);

	start_sleeper(test, &sleeper);
	before = refcount_read(&sleeper.task->usage);
	get_task_struct(sleeper.task);
	WRITE_ONCE(sleeper.told, true);
	wake_q_add_safe(&queue, sleeper.task);
	KUNIT_EXPECT_FALSE(test, wake_q_empty(&queue));
	KUNIT_EXPECT_EQ(test, refcount_read(&sleeper.task->usage), before + 1);
	wake_up_q(&queue);
	KUNIT_EXPECT_EQ(test, refcount_read(&sleeper.task->usage), before);
	wake_q_init(&queue);
	KUNIT_EXPECT_TRUE(test, wake_q_empty(&queue));
	stop_sleeper(test, &sleeper);
}

struct row {
	unsigned long long user, nice, system;	/* ticks */
};

/* The machine's figures for CPU 0. False if it has none. */
static bool read_row(struct row *row)
{
	FILE *file = fopen("/proc/stat", "re");
	int found;

	if (!file)
		return false;
	found = fscanf(file, "cpu %*[^\n] cpu0 %llu %llu %llu", &row->user, &row->nice,
		       &row->system);
	fclose(file);
	return found == 3;
}

static void test_cpus_have_the_machines_times(struct kunit *test)
{
	u64 tick = NSEC_PER_SEC / (u64)sysconf(_SC_CLK_TCK);
	struct kernel_cpustat seen;
	struct row before, after;

	if (!read_row(&before))
		kunit_skip(test, "/proc/stat has no CPU 0");
	kcpustat_cpu_fetch(&seen, 0);
	KUNIT_ASSERT_TRUE(test, read_row(&after));
	KUNIT_EXPECT_GE(test, seen.cpustat[CPUTIME_USER], before.user * tick);
	KUNIT_EXPECT_LE(test, seen.cpustat[CPUTIME_USER], after.user * tick);
	KUNIT_EXPECT_GE(test, seen.cpustat[CPUTIME_NICE], before.nice * tick);
	KUNIT_EXPECT_LE(test, seen.cpustat[CPUTIME_NICE], after.nice * tick);
	KUNIT_EXPECT_GE(test, seen.cpustat[CPUTIME_SYSTEM], before.system * tick);
	KUNIT_EXPECT_LE(test, seen.cpustat[CPUTIME_SYSTEM], after.system * tick);
	if (sysconf(_SC_NPROCESSORS_CONF) < NR_CPUS)
		KUNIT_EXPECT_EQ(test, kcpustat_cpu(NR_CPUS - 1).cpustat[CPUTIME_IDLE], 0ULL);
}

static u64 ran(struct task_struct *task)
{
	u64 user, system;

	thread_group_cputime_adjusted(task, &user, &system);
	return user + system;
}

static void test_tasks_have_their_own_time(struct kunit *test)
{
	struct sleeper sleeper;
	unsigned int calls = 0;

	start_sleeper(test, &sleeper);
	/* This thread runs, the other one sleeps. */
	while (ran(current) < ran(sleeper.task) + 2 * NSEC_PER_MSEC && calls < 100000)
		calls++;
	KUNIT_EXPECT_LT(test, calls, 100000U);
	KUNIT_EXPECT_EQ(test, ran(&init_task), 0ULL);
	WRITE_ONCE(sleeper.told, true);
	wake_up_process(sleeper.task);
	stop_sleeper(test, &sleeper);
}

static void test_programs_have_a_time(struct kunit *test)
{
	struct pid *pid = find_get_pid(getppid());
	struct task_struct *task = pid ? get_pid_task(pid, PIDTYPE_PID) : NULL;

	if (!task)
		kunit_skip(test, "the parent cannot be seen");
	KUNIT_EXPECT_GT(test, ran(task), 0ULL);
	put_task_struct(task);
	put_pid(pid);
}

static struct kunit_case tasks_cases[] = {
	KUNIT_CASE(test_queue_wakes_all),
	KUNIT_CASE(test_queue_takes_over_a_reference),
	KUNIT_CASE(test_cpus_have_the_machines_times),
	KUNIT_CASE(test_tasks_have_their_own_time),
	KUNIT_CASE(test_programs_have_a_time),
	{ }
};

static struct kunit_suite tasks_suite = {
	.name = "tasks",
	.test_cases = tasks_cases,
};
kunit_test_suite(tasks_suite);
