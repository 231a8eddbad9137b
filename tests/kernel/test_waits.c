// SPDX-License-Identifier: MIT
/* Each way to sleep with each way to wake: a wake-up reaches exactly the states that it names. */
#include <kunit/test.h>

#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/freezer.h>
#include <linux/kthread.h>
#include <linux/semaphore.h>
#include <linux/swait.h>
#include <linux/wait.h>
#include <linux/wait_bit.h>

/*
 * The kinds of queues that a sleeper may sleep on; each wake-up is tried on all that the sleeper
 * uses.
 */
struct bed {
	struct wait_queue_head queue;
	struct swait_queue_head simple;
	spinlock_t lock;
	struct completion done;
	struct semaphore sem;
	unsigned long word;
	int condition;
	bool looked;		/* the sleeper has read the condition since it set its state */
	long result;
	struct completion gone;
	void (*sleep)(struct bed *bed);
};

#define LONG_TIME (1000 * HZ)
#define IS_SET is_set(bed)

/* This sleep reads the condition before it sets its state, and not again. */
static void looks_before(struct bed *bed)
{
	smp_store_release(&bed->looked, true);
}

static bool is_set(struct bed *bed)
{
	bool set = READ_ONCE(bed->condition);

	if (READ_ONCE(current->__state) != TASK_RUNNING)
		smp_store_release(&bed->looked, true);
	return set;
}

#define SLEEP(name, ...) static void sleep_##name(struct bed *bed) { __VA_ARGS__; }

SLEEP(event, wait_event(bed->queue, IS_SET))
SLEEP(io, io_wait_event(bed->queue, IS_SET))
SLEEP(timeout, bed->result = wait_event_timeout(bed->queue, IS_SET, LONG_TIME) <= 0)
SLEEP(hrtimeout, bed->result = wait_event_hrtimeout(bed->queue, IS_SET, ms_to_ktime(1000000)))
SLEEP(cmd, wait_event_cmd(bed->queue, IS_SET, barrier(), barrier()))
SLEEP(exclusive_cmd, wait_event_exclusive_cmd(bed->queue, IS_SET, barrier(), barrier()))
SLEEP(interruptible, bed->result = wait_event_interruptible(bed->queue, IS_SET))
SLEEP(interruptible_timeout,
      bed->result = wait_event_interruptible_timeout(bed->queue, IS_SET, LONG_TIME) <= 0)
SLEEP(interruptible_hrtimeout,
      bed->result = wait_event_interruptible_hrtimeout(bed->queue, IS_SET, ms_to_ktime(1000000)))
SLEEP(interruptible_exclusive,
      bed->result = wait_event_interruptible_exclusive(bed->queue, IS_SET))
SLEEP(killable, bed->result = wait_event_killable(bed->queue, IS_SET))
SLEEP(killable_exclusive, bed->result = wait_event_killable_exclusive(bed->queue, IS_SET))
SLEEP(killable_timeout,
      bed->result = wait_event_killable_timeout(bed->queue, IS_SET, LONG_TIME) <= 0)
SLEEP(freezable, bed->result = wait_event_freezable(bed->queue, IS_SET))
SLEEP(freezable_exclusive, bed->result = wait_event_freezable_exclusive(bed->queue, IS_SET))
SLEEP(freezable_timeout,
      bed->result = wait_event_freezable_timeout(bed->queue, IS_SET, LONG_TIME) <= 0)
SLEEP(idle, wait_event_idle(bed->queue, IS_SET))
SLEEP(idle_exclusive, wait_event_idle_exclusive(bed->queue, IS_SET))
SLEEP(idle_timeout, bed->result = wait_event_idle_timeout(bed->queue, IS_SET, LONG_TIME) <= 0)
SLEEP(idle_exclusive_timeout,
      bed->result = wait_event_idle_exclusive_timeout(bed->queue, IS_SET, LONG_TIME) <= 0)
SLEEP(state, bed->result = wait_event_state(bed->queue, IS_SET, TASK_INTERRUPTIBLE))
SLEEP(lock_irq, spin_lock_irq(&bed->lock); wait_event_lock_irq(bed->queue, IS_SET, bed->lock);
      spin_unlock_irq(&bed->lock))
SLEEP(lock_irq_cmd, spin_lock_irq(&bed->lock);
      wait_event_lock_irq_cmd(bed->queue, IS_SET, bed->lock, barrier());
      spin_unlock_irq(&bed->lock))
SLEEP(lock_irq_timeout, spin_lock_irq(&bed->lock);
      bed->result = wait_event_lock_irq_timeout(bed->queue, IS_SET, bed->lock, LONG_TIME) <= 0;
      spin_unlock_irq(&bed->lock))
SLEEP(interruptible_lock_irq, spin_lock_irq(&bed->lock);
      bed->result = wait_event_interruptible_lock_irq(bed->queue, IS_SET, bed->lock);
      spin_unlock_irq(&bed->lock))
SLEEP(interruptible_lock_irq_timeout, spin_lock_irq(&bed->lock);
      bed->result = wait_event_interruptible_lock_irq_timeout(bed->queue, IS_SET, bed->lock,
							      LONG_TIME) <= 0;
      spin_unlock_irq(&bed->lock))
SLEEP(locked, spin_lock(&bed->queue.lock);
      looks_before(bed);
      bed->result = wait_event_interruptible_locked(bed->queue, IS_SET);
      spin_unlock(&bed->queue.lock))
SLEEP(exclusive_locked_irq, spin_lock_irq(&bed->queue.lock);
      looks_before(bed);
      bed->result = wait_event_interruptible_exclusive_locked_irq(bed->queue, IS_SET);
      spin_unlock_irq(&bed->queue.lock))
SLEEP(woken, DEFINE_WAIT_FUNC(entry, woken_wake_function);
      add_wait_queue(&bed->queue, &entry);
      looks_before(bed);
      while (!IS_SET)
		wait_woken(&entry, TASK_INTERRUPTIBLE, MAX_SCHEDULE_TIMEOUT);
      remove_wait_queue(&bed->queue, &entry))
SLEEP(by_hand, DECLARE_WAITQUEUE(entry, current);
      add_wait_queue(&bed->queue, &entry);
      for (;;) {
		set_current_state(TASK_KILLABLE);
		if (IS_SET)
			break;
		schedule();
      }
      __set_current_state(TASK_RUNNING);
      remove_wait_queue(&bed->queue, &entry))

/* The states that a sleep has, and the name for messages. */
static const struct sleep {
	const char *name;
	void (*sleep)(struct bed *bed);
	unsigned int state;
} sleeps[] = {
	{ "wait_event", sleep_event, TASK_UNINTERRUPTIBLE },
	{ "io", sleep_io, TASK_UNINTERRUPTIBLE },
	{ "timeout", sleep_timeout, TASK_UNINTERRUPTIBLE },
	{ "hrtimeout", sleep_hrtimeout, TASK_UNINTERRUPTIBLE },
	{ "cmd", sleep_cmd, TASK_UNINTERRUPTIBLE },
	{ "exclusive_cmd", sleep_exclusive_cmd, TASK_UNINTERRUPTIBLE },
	{ "interruptible", sleep_interruptible, TASK_INTERRUPTIBLE },
	{ "interruptible_timeout", sleep_interruptible_timeout, TASK_INTERRUPTIBLE },
	{ "interruptible_hrtimeout", sleep_interruptible_hrtimeout, TASK_INTERRUPTIBLE },
	{ "interruptible_exclusive", sleep_interruptible_exclusive, TASK_INTERRUPTIBLE },
	{ "killable", sleep_killable, TASK_KILLABLE },
	{ "killable_exclusive", sleep_killable_exclusive, TASK_KILLABLE },
	{ "killable_timeout", sleep_killable_timeout, TASK_KILLABLE },
	{ "freezable", sleep_freezable, TASK_INTERRUPTIBLE | TASK_FREEZABLE },
	{ "freezable_exclusive", sleep_freezable_exclusive, TASK_INTERRUPTIBLE | TASK_FREEZABLE },
	{ "freezable_timeout", sleep_freezable_timeout, TASK_INTERRUPTIBLE | TASK_FREEZABLE },
	{ "idle", sleep_idle, TASK_IDLE },
	{ "idle_exclusive", sleep_idle_exclusive, TASK_IDLE },
	{ "idle_timeout", sleep_idle_timeout, TASK_IDLE },
	{ "idle_exclusive_timeout", sleep_idle_exclusive_timeout, TASK_IDLE },
	{ "state", sleep_state, TASK_INTERRUPTIBLE },
	{ "lock_irq", sleep_lock_irq, TASK_UNINTERRUPTIBLE },
	{ "lock_irq_cmd", sleep_lock_irq_cmd, TASK_UNINTERRUPTIBLE },
	{ "lock_irq_timeout", sleep_lock_irq_timeout, TASK_UNINTERRUPTIBLE },
	{ "interruptible_lock_irq", sleep_interruptible_lock_irq, TASK_INTERRUPTIBLE },
	{ "interruptible_lock_irq_timeout", sleep_interruptible_lock_irq_timeout,
	  TASK_INTERRUPTIBLE },
	{ "interruptible_locked", sleep_locked, TASK_INTERRUPTIBLE },
	{ "interruptible_exclusive_locked_irq", sleep_exclusive_locked_irq, TASK_INTERRUPTIBLE },
	{ "wait_woken", sleep_woken, TASK_INTERRUPTIBLE },
	{ "by hand", sleep_by_hand, TASK_KILLABLE },
};

#define WAKE(name, ...) static void by_##name(struct bed *bed) { __VA_ARGS__; }
WAKE(up, wake_up(&bed->queue))
WAKE(up_nr, wake_up_nr(&bed->queue, 1))
WAKE(up_all, wake_up_all(&bed->queue))
WAKE(up_sync, wake_up_sync(&bed->queue))
WAKE(up_poll, wake_up_poll(&bed->queue, 1))
WAKE(up_locked, spin_lock_irq(&bed->queue.lock); wake_up_locked(&bed->queue);
     spin_unlock_irq(&bed->queue.lock))
WAKE(interruptible, wake_up_interruptible(&bed->queue))
WAKE(interruptible_nr, wake_up_interruptible_nr(&bed->queue, 1))
WAKE(interruptible_all, wake_up_interruptible_all(&bed->queue))
WAKE(interruptible_sync, wake_up_interruptible_sync(&bed->queue))
WAKE(interruptible_poll, wake_up_interruptible_poll(&bed->queue, 1))

static const struct wake {
	const char *name;
	void (*wake)(struct bed *bed);
	unsigned int mode;
} wakes[] = {
	{ "wake_up", by_up, TASK_NORMAL },
	{ "nr", by_up_nr, TASK_NORMAL },
	{ "all", by_up_all, TASK_NORMAL },
	{ "sync", by_up_sync, TASK_NORMAL },
	{ "poll", by_up_poll, TASK_NORMAL },
	{ "locked", by_up_locked, TASK_NORMAL },
	{ "interruptible", by_interruptible, TASK_INTERRUPTIBLE },
	{ "interruptible_nr", by_interruptible_nr, TASK_INTERRUPTIBLE },
	{ "interruptible_all", by_interruptible_all, TASK_INTERRUPTIBLE },
	{ "interruptible_sync", by_interruptible_sync, TASK_INTERRUPTIBLE },
	{ "interruptible_poll", by_interruptible_poll, TASK_INTERRUPTIBLE },
};

/* Sleeps that have their own way to be woken. */
SLEEP(completion, wait_for_completion(&bed->done))
SLEEP(completion_timeout, bed->result = !wait_for_completion_timeout(&bed->done, LONG_TIME))
SLEEP(completion_interruptible, bed->result = wait_for_completion_interruptible(&bed->done))
SLEEP(completion_interruptible_timeout,
      bed->result = wait_for_completion_interruptible_timeout(&bed->done, LONG_TIME) <= 0)
SLEEP(completion_killable, bed->result = wait_for_completion_killable(&bed->done))
SLEEP(completion_killable_timeout,
      bed->result = wait_for_completion_killable_timeout(&bed->done, LONG_TIME) <= 0)
SLEEP(completion_state, bed->result = wait_for_completion_state(&bed->done, TASK_IDLE))
SLEEP(down, down(&bed->sem))
SLEEP(down_interruptible, bed->result = down_interruptible(&bed->sem))
SLEEP(down_killable, bed->result = down_killable(&bed->sem))
SLEEP(down_timeout, bed->result = down_timeout(&bed->sem, LONG_TIME))
SLEEP(bit, bed->result = wait_on_bit(&bed->word, 3, TASK_KILLABLE))
SLEEP(bit_io, bed->result = wait_on_bit_io(&bed->word, 3, TASK_UNINTERRUPTIBLE))
SLEEP(bit_timeout,
      bed->result = wait_on_bit_timeout(&bed->word, 3, TASK_INTERRUPTIBLE, LONG_TIME))
SLEEP(bit_lock, bed->result = wait_on_bit_lock(&bed->word, 3, TASK_UNINTERRUPTIBLE) ||
      !test_bit(3, &bed->word))
SLEEP(var, wait_var_event(&bed->condition, IS_SET))
SLEEP(var_interruptible, bed->result = wait_var_event_interruptible(&bed->condition, IS_SET))
SLEEP(var_killable, bed->result = wait_var_event_killable(&bed->condition, IS_SET))
SLEEP(var_timeout,
      bed->result = wait_var_event_timeout(&bed->condition, IS_SET, LONG_TIME) <= 0)
SLEEP(simple, swait_event_exclusive(bed->simple, IS_SET))
SLEEP(simple_idle, swait_event_idle_exclusive(bed->simple, IS_SET))
SLEEP(simple_interruptible,
      bed->result = swait_event_interruptible_exclusive(bed->simple, IS_SET))
SLEEP(simple_timeout,
      bed->result = swait_event_timeout_exclusive(bed->simple, IS_SET, LONG_TIME) <= 0)
SLEEP(simple_interruptible_timeout,
      bed->result = swait_event_interruptible_timeout_exclusive(bed->simple, IS_SET,
								LONG_TIME) <= 0)
SLEEP(simple_idle_timeout,
      bed->result = swait_event_idle_timeout_exclusive(bed->simple, IS_SET, LONG_TIME) <= 0)
SLEEP(simple_by_hand, DECLARE_SWAITQUEUE(entry);
      for (;;) {
		prepare_to_swait_exclusive(&bed->simple, &entry, TASK_KILLABLE);
		if (IS_SET)
			break;
		schedule();
      }
      finish_swait(&bed->simple, &entry))
SLEEP(schedule_interruptible, bed->result = schedule_timeout_interruptible(LONG_TIME) <= 0)
SLEEP(schedule_killable, bed->result = schedule_timeout_killable(LONG_TIME) <= 0)
SLEEP(schedule_idle, bed->result = schedule_timeout_idle(LONG_TIME) <= 0)
SLEEP(schedule_uninterruptible, bed->result = schedule_timeout_uninterruptible(LONG_TIME) <= 0)

static void end_completion(struct bed *bed, struct task_struct *task)
{
	(void)task;
	complete(&bed->done);
}

static void end_semaphore(struct bed *bed, struct task_struct *task)
{
	(void)task;
	up(&bed->sem);
}

/*
 * First wake-ups that must not reach the sleeper: of another bit, and of this bit while it is set.
 */
static void end_bit(struct bed *bed, struct task_struct *task)
{
	wake_up_bit(&bed->word, 2);
	wake_up_bit(&bed->word, 3);
	wake_up_var(&bed->word);
	if (READ_ONCE(task->__state) != TASK_RUNNING)
		clear_and_wake_up_bit(3, &bed->word);
}

static void end_var(struct bed *bed, struct task_struct *task)
{
	wake_up_var(&bed->word);
	if (READ_ONCE(task->__state) == TASK_RUNNING)
		return;
	WRITE_ONCE(bed->condition, 1);
	smp_mb();
	wake_up_var(&bed->condition);
}

/* Under the lock: so ThreadSanitizer sees the order of this look and the sleeper's addition. */
static bool has_sleeper(struct swait_queue_head *queue)
{
	bool found;

	raw_spin_lock_irq(&queue->lock);
	found = swq_has_sleeper(queue);
	raw_spin_unlock_irq(&queue->lock);
	return found;
}

/* The first wake-up finds the condition false; the sleeper queues itself again. */
static void end_simple(struct bed *bed, struct task_struct *task)
{
	swake_up_one(&bed->simple);
	for (int i = 0; i < 10000 && !(has_sleeper(&bed->simple) &&
				       READ_ONCE(task->__state) != TASK_RUNNING); i++)
		usleep_range(100, 200);
	WRITE_ONCE(bed->condition, 1);
	swake_up_all(&bed->simple);
}

static void end_schedule(struct bed *bed, struct task_struct *task)
{
	(void)bed;
	wake_up_process(task);
}

static const struct pair {
	const char *name;
	void (*sleep)(struct bed *bed);
	unsigned int state;
	void (*end)(struct bed *bed, struct task_struct *task);
} pairs[] = {
	{ "completion", sleep_completion, TASK_UNINTERRUPTIBLE, end_completion },
	{ "completion_timeout", sleep_completion_timeout, TASK_UNINTERRUPTIBLE, end_completion },
	{ "completion_interruptible", sleep_completion_interruptible, TASK_INTERRUPTIBLE,
	  end_completion },
	{ "completion_interruptible_timeout", sleep_completion_interruptible_timeout,
	  TASK_INTERRUPTIBLE, end_completion },
	{ "completion_killable", sleep_completion_killable, TASK_KILLABLE, end_completion },
	{ "completion_killable_timeout", sleep_completion_killable_timeout, TASK_KILLABLE,
	  end_completion },
	{ "completion_state", sleep_completion_state, TASK_IDLE, end_completion },
	{ "down", sleep_down, TASK_UNINTERRUPTIBLE, end_semaphore },
	{ "down_interruptible", sleep_down_interruptible, TASK_INTERRUPTIBLE, end_semaphore },
	{ "down_killable", sleep_down_killable, TASK_KILLABLE, end_semaphore },
	{ "down_timeout", sleep_down_timeout, TASK_UNINTERRUPTIBLE, end_semaphore },
	{ "bit", sleep_bit, TASK_KILLABLE, end_bit },
	{ "bit_io", sleep_bit_io, TASK_UNINTERRUPTIBLE, end_bit },
	{ "bit_timeout", sleep_bit_timeout, TASK_INTERRUPTIBLE, end_bit },
	{ "bit_lock", sleep_bit_lock, TASK_UNINTERRUPTIBLE, end_bit },
	{ "var", sleep_var, TASK_UNINTERRUPTIBLE, end_var },
	{ "var_interruptible", sleep_var_interruptible, TASK_INTERRUPTIBLE, end_var },
	{ "var_killable", sleep_var_killable, TASK_KILLABLE, end_var },
	{ "var_timeout", sleep_var_timeout, TASK_UNINTERRUPTIBLE, end_var },
	{ "simple", sleep_simple, TASK_UNINTERRUPTIBLE, end_simple },
	{ "simple_idle", sleep_simple_idle, TASK_IDLE, end_simple },
	{ "simple_interruptible", sleep_simple_interruptible, TASK_INTERRUPTIBLE, end_simple },
	{ "simple_timeout", sleep_simple_timeout, TASK_UNINTERRUPTIBLE, end_simple },
	{ "simple_interruptible_timeout", sleep_simple_interruptible_timeout, TASK_INTERRUPTIBLE,
	  end_simple },
	{ "simple_idle_timeout", sleep_simple_idle_timeout, TASK_IDLE, end_simple },
	{ "simple_by_hand", sleep_simple_by_hand, TASK_KILLABLE, end_simple },
	{ "schedule_interruptible", sleep_schedule_interruptible, TASK_INTERRUPTIBLE,
	  end_schedule },
	{ "schedule_killable", sleep_schedule_killable, TASK_KILLABLE, end_schedule },
	{ "schedule_idle", sleep_schedule_idle, TASK_IDLE, end_schedule },
	{ "schedule_uninterruptible", sleep_schedule_uninterruptible, TASK_UNINTERRUPTIBLE,
	  end_schedule },
};

static int sleeper(void *data)
{
	struct bed *bed = data;

	bed->sleep(bed);
	complete(&bed->gone);
	return 0;
}

static void make_bed(struct bed *bed, void (*sleep)(struct bed *bed))
{
	*bed = (struct bed){ .sleep = sleep, .word = BIT(3) };
	init_waitqueue_head(&bed->queue);
	init_swait_queue_head(&bed->simple);
	spin_lock_init(&bed->lock);
	init_completion(&bed->done);
	sema_init(&bed->sem, 0);
	init_completion(&bed->gone);
}

/* The task, asleep; the caller puts it. */
static struct task_struct *put_to_sleep(struct kunit *test, struct bed *bed, const char *name,
					unsigned int state)
{
	struct task_struct *task = kthread_create(sleeper, bed, "sleeper");

	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	get_task_struct(task);
	wake_up_process(task);
	/* A task that is not in its function yet, or no longer, sleeps in another state. */
	for (int i = 0; i < 10000 && READ_ONCE(task->__state) != state; i++)
		usleep_range(100, 200);
	KUNIT_ASSERT_EQ_MSG(test, READ_ONCE(task->__state), state, "%s", name);
	return task;
}

/* Or the sleeper might find the condition true before anybody wakes it. */
static void wait_for_look(struct kunit *test, struct bed *bed, const char *name)
{
	for (int i = 0; i < 10000 && !smp_load_acquire(&bed->looked); i++)
		usleep_range(100, 200);
	KUNIT_ASSERT_TRUE_MSG(test, smp_load_acquire(&bed->looked), "%s", name);
}

static void see_it_end(struct kunit *test, struct bed *bed, struct task_struct *task,
		       const char *name)
{
	KUNIT_ASSERT_GT_MSG(test, wait_for_completion_timeout(&bed->gone, 20 * HZ), 0UL, "%s",
			    name);
	KUNIT_EXPECT_EQ_MSG(test, bed->result, 0L, "%s", name);
	put_task_struct(task);
}

static void test_each_sleep_against_each_wake(struct kunit *test)
{
	for (size_t i = 0; i < ARRAY_SIZE(sleeps); i++)
		for (size_t k = 0; k < ARRAY_SIZE(wakes); k++) {
			bool reaches = sleeps[i].state & wakes[k].mode;
			struct task_struct *task;
			struct bed bed;

			make_bed(&bed, sleeps[i].sleep);
			task = put_to_sleep(test, &bed, sleeps[i].name, sleeps[i].state);
			wait_for_look(test, &bed, sleeps[i].name);
			WRITE_ONCE(bed.condition, 1);
			wakes[k].wake(&bed);
			/*
			 * The wake-up did not reach the sleeper, so its state is still that of a
			 * sleeper.
			 */
			if (!reaches) {
				KUNIT_EXPECT_EQ_MSG(test, READ_ONCE(task->__state), sleeps[i].state,
						    "%s by %s", sleeps[i].name, wakes[k].name);
				wake_up_all(&bed.queue);
			}
			see_it_end(test, &bed, task, sleeps[i].name);
		}
}

static void test_sleeps_with_their_own_wake(struct kunit *test)
{
	for (size_t i = 0; i < ARRAY_SIZE(pairs); i++) {
		struct task_struct *task;
		struct bed bed;

		make_bed(&bed, pairs[i].sleep);
		task = put_to_sleep(test, &bed, pairs[i].name, pairs[i].state);
		pairs[i].end(&bed, task);
		see_it_end(test, &bed, task, pairs[i].name);
	}
}

/* A simple queue's waiters are woken one at a time, the first one first. */
static void test_simple_queue_in_order(struct kunit *test)
{
	DECLARE_SWAIT_QUEUE_HEAD_ONSTACK(queue);
	struct swait_queue entries[3];
	struct bed beds[3];
	struct task_struct *tasks[3];

	for (size_t i = 0; i < ARRAY_SIZE(beds); i++) {
		make_bed(&beds[i], sleep_killable);
		tasks[i] = put_to_sleep(test, &beds[i], "killable", TASK_KILLABLE);
		wait_for_look(test, &beds[i], "killable");
		WRITE_ONCE(beds[i].condition, 1);
		entries[i].task = tasks[i];
		raw_spin_lock_irq(&queue.lock);
		list_add_tail(&entries[i].task_list, &queue.task_list);
		raw_spin_unlock_irq(&queue.lock);
	}
	for (size_t i = 0; i < ARRAY_SIZE(beds); i++) {
		KUNIT_EXPECT_TRUE(test, swait_active(&queue));
		KUNIT_EXPECT_PTR_EQ(test, queue.task_list.next, &entries[i].task_list);
		KUNIT_EXPECT_EQ(test, READ_ONCE(tasks[i]->__state), (unsigned int)TASK_KILLABLE);
		swake_up_one(&queue);
		see_it_end(test, &beds[i], tasks[i], "in order");
	}
	KUNIT_EXPECT_FALSE(test, swait_active(&queue));
	swake_up_one(&queue);
	swake_up_all(&queue);
}

/* wake_up_state() reaches exactly the states that share a bit with its own. */
static void test_wake_up_state(struct kunit *test)
{
	struct task_struct *task;
	struct bed bed;

	make_bed(&bed, sleep_killable);
	task = put_to_sleep(test, &bed, "killable", TASK_KILLABLE);
	KUNIT_EXPECT_EQ(test, wake_up_state(task, TASK_INTERRUPTIBLE), 0);
	KUNIT_EXPECT_EQ(test, wake_up_state(task, TASK_PARKED), 0);
	KUNIT_EXPECT_EQ(test, READ_ONCE(task->__state), (unsigned int)TASK_KILLABLE);
	WRITE_ONCE(bed.condition, 1);
	KUNIT_EXPECT_EQ(test, wake_up_state(task, TASK_WAKEKILL), 1);
	see_it_end(test, &bed, task, "killable");
}

static void test_waits_that_end_by_time(struct kunit *test)
{
	unsigned long word = BIT(3);
	DECLARE_WAIT_QUEUE_HEAD(queue);
	DECLARE_SWAIT_QUEUE_HEAD(simple);
	DEFINE_SPINLOCK(lock);
	ktime_t begin = ktime_get();

	KUNIT_EXPECT_EQ(test, wait_event_interruptible_timeout(queue, false, 2), 0L);
	KUNIT_EXPECT_EQ(test, wait_event_killable_timeout(queue, false, 2), 0L);
	KUNIT_EXPECT_EQ(test, wait_event_idle_exclusive_timeout(queue, false, 2), 0L);
	KUNIT_EXPECT_EQ(test, wait_event_hrtimeout(queue, false, ms_to_ktime(2)), -ETIME);
	KUNIT_EXPECT_EQ(test, wait_event_hrtimeout(queue, true, ms_to_ktime(2)), 0);
	KUNIT_EXPECT_EQ(test, wait_on_bit_timeout(&word, 3, TASK_KILLABLE, 2), -EAGAIN);
	KUNIT_EXPECT_EQ(test, wait_on_bit_timeout(&word, 2, TASK_KILLABLE, 2), 0);
	KUNIT_EXPECT_EQ(test, wait_on_bit_lock(&word, 2, TASK_KILLABLE), 0);
	KUNIT_EXPECT_TRUE(test, test_bit(2, &word));
	KUNIT_EXPECT_EQ(test, wait_var_event_timeout(&word, false, 2), 0L);
	spin_lock_irq(&lock);
	KUNIT_EXPECT_EQ(test, wait_event_lock_irq_timeout(queue, false, lock, 2), 0L);
	spin_unlock_irq(&lock);
	KUNIT_EXPECT_EQ(test, swait_event_timeout_exclusive(simple, false, 2), 0L);
	KUNIT_EXPECT_EQ(test, swait_event_interruptible_timeout_exclusive(simple, false, 2), 0L);
	KUNIT_EXPECT_EQ(test, swait_event_idle_timeout_exclusive(simple, true, 2), 2L);
	KUNIT_EXPECT_EQ(test, swait_event_idle_timeout_exclusive(simple, true, 0), 1L);
	KUNIT_EXPECT_EQ(test, wait_event_timeout(queue, true, 0), 1L);
	KUNIT_EXPECT_GE(test, ktime_ms_delta(ktime_get(), begin), 10LL);
	KUNIT_EXPECT_FALSE(test, waitqueue_active(&queue));
	KUNIT_EXPECT_FALSE(test, swait_active(&simple));
}

/* ___wait_event() is used by sources as it is: its command and condition know __ret. */
static void test_wait_event_by_hand(struct kunit *test)
{
	DECLARE_WAIT_QUEUE_HEAD(queue);
	int looks = 0;

	KUNIT_EXPECT_EQ(test, ___wait_event(queue, ++looks == 3, TASK_IDLE, 0, 7,
					    __ret += schedule_timeout(1)), 7L);
	KUNIT_EXPECT_EQ(test, looks, 3);
	KUNIT_EXPECT_EQ(test, ___wait_event(queue, ___wait_cond_timeout(false), TASK_IDLE, 0, 2,
					    __ret = schedule_timeout(__ret)), 0L);
}

static struct kunit_case waits_cases[] = {
	KUNIT_CASE(test_each_sleep_against_each_wake),
	KUNIT_CASE(test_sleeps_with_their_own_wake),
	KUNIT_CASE(test_simple_queue_in_order),
	KUNIT_CASE(test_wake_up_state),
	KUNIT_CASE(test_waits_that_end_by_time),
	KUNIT_CASE(test_wait_event_by_hand),
	{ }
};

static struct kunit_suite waits_suite = {
	.name = "kernel_waits",
	.test_cases = waits_cases,
};
kunit_test_suite(waits_suite);
