/* SPDX-License-Identifier: MIT */
/*
 * A thread that suspends the background thread waits for its end, unless the background thread is
 * waiting for that thread. A wake-up while the background thread ends makes the next one.
 */
#include <pthread.h>
#include <unistd.h>

#include "base/upward_hooks.h"
#include "os/background.h"
#include "os/lock.h"
#include "support/handler.h"
#include "support/kernel.h"

/* Seconds after which a wait counts as endless. */
#define PATIENCE 60

static struct lock lock;
static bool is_working, may_go_on;	/* Sync: atomic */
/* The thread has ended for the library, but still exists. */
static bool stays_behind, may_leave, is_waited_for, was_waited_for;	/* Sync: atomic */
static pthread_key_t stays_key;

static void stay_behind(void *unused)
{
	(void)unused;
	while (!atomic_load_acquire(&may_leave))
		usleep(100);
}

static unsigned int need_lock(void)
{
	if (atomic_load_relaxed(&stays_behind))
		pthread_setspecific(stays_key, &stays_behind);
	atomic_store_release(&is_working, true);
	while (!atomic_load_acquire(&may_go_on))
		usleep(100);
	lock_acquire(&lock);
	lock_release(&lock);
	return 0;
}

static int init_work(struct kunit_suite *suite)
{
	(void)suite;
	lock_init(&lock, RANK_ZONE);
	background_set_work(need_lock, NULL);
	/* Made before the library's key, so libc calls this destructor first. */
	return pthread_key_create(&stays_key, stay_behind);
}

static void begin_work(void)
{
	alarm(PATIENCE);
	atomic_store_relaxed(&may_go_on, false);
	atomic_store_relaxed(&is_working, false);
	background_wake();
	while (!atomic_load_acquire(&is_working))
		usleep(1000);
}

static void end_work(struct kunit *test)
{
	background_suspend();
	KUNIT_EXPECT_FALSE_MSG(test, background_is_running(), "it was not waited for");
	background_wake();
	KUNIT_EXPECT_FALSE_MSG(test, background_is_running(), "another one came");
	background_resume();
	alarm(0);
}

static void test_background_suspend_waits(struct kunit *test)
{
	begin_work();
	atomic_store_release(&may_go_on, true);
	end_work(test);
}

/* The thread may need the lock that the caller holds, so the caller does not wait. */
static void test_background_suspend_under_lock(struct kunit *test)
{
	begin_work();
	lock_acquire(&lock);
	atomic_store_release(&may_go_on, true);
	background_suspend();
	KUNIT_EXPECT_TRUE_MSG(test, background_is_running(), "it cannot have ended");
	lock_release(&lock);
	end_work(test);
	background_resume();
}

static void suspend_and_resume(void *test)
{
	background_suspend();
	KUNIT_EXPECT_TRUE((struct kunit *)test, background_is_running());
	background_resume();
}

static void test_background_suspend_above_holder(struct kunit *test)
{
	begin_work();
	lock_acquire(&lock);
	atomic_store_release(&may_go_on, true);
	run_in_handler(suspend_and_resume, test);
	lock_release(&lock);
	end_work(test);
}

static void *suspend(void *arg)
{
	atomic_store_release(&is_waited_for, true);
	background_suspend();
	atomic_store_release(&was_waited_for, true);
	background_resume();
	return arg;
}

/* The caller waits until the thread is gone, however long that takes. */
static void test_background_suspend_waits_long(struct kunit *test)
{
	pthread_t suspending;

	atomic_store_relaxed(&stays_behind, true);
	begin_work();
	atomic_store_release(&may_go_on, true);
	KUNIT_ASSERT_EQ(test, pthread_create(&suspending, NULL, suspend, NULL), 0);
	/*
	 * The thread ends for the library, and then stays longer than the library would wait for
	 * its number.
	 */
	while (background_is_running() || !atomic_load_acquire(&is_waited_for))
		usleep(1000);
	usleep(1500000);
	KUNIT_EXPECT_FALSE_MSG(test, atomic_load_acquire(&was_waited_for), "it is still there");
	atomic_store_release(&may_leave, true);
	pthread_join(suspending, NULL);
	atomic_store_relaxed(&stays_behind, false);
	end_work(test);
}

/* The next thread waits for the last one, so that there is one at a time. */
static void test_background_wake_while_ending(struct kunit *test)
{
	atomic_store_relaxed(&may_leave, false);
	atomic_store_relaxed(&stays_behind, true);
	begin_work();
	atomic_store_release(&may_go_on, true);
	while (background_is_running())
		usleep(1000);
	atomic_store_relaxed(&stays_behind, false);
	atomic_store_relaxed(&is_working, false);
	background_wake();
	KUNIT_EXPECT_TRUE_MSG(test, background_is_running(), "the call is lost");
	usleep(10000);
	KUNIT_EXPECT_FALSE_MSG(test, atomic_load_acquire(&is_working), "there are two");
	atomic_store_release(&may_leave, true);
	while (background_is_running() && !atomic_load_acquire(&is_working))
		usleep(1000);
	KUNIT_EXPECT_TRUE_MSG(test, atomic_load_acquire(&is_working), "nobody has come");
	end_work(test);
}

static struct kunit_case background_cases[] = {
	KUNIT_CASE(test_background_suspend_waits),
	KUNIT_CASE(test_background_suspend_under_lock),
	KUNIT_CASE(test_background_suspend_above_holder),
	KUNIT_CASE(test_background_suspend_waits_long),
	KUNIT_CASE(test_background_wake_while_ending),
	{}
};

static struct kunit_suite background_suite = {
	.name = "background_suspend",
	.suite_init = init_work,
	.test_cases = background_cases,
};

kunit_test_suite(background_suite);
