/* SPDX-License-Identifier: MIT */
/* Locks exclude, once happens once, and fork() leaves both usable. */
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/check.h"
#include "os/lock.h"
#include "os/once.h"
#include "os/os.h"
#include "support/child.h"
#include "support/handler.h"
#include "support/kernel.h"
#include "support/threads.h"

static struct lock lock;

/* Plain variables: without exclusion, increments are lost. */
static unsigned long counter, inside, clashes;

static void count_up(struct test_thread *thread)
{
	unsigned int rounds = *(unsigned int *)thread->arg;

	for (unsigned int i = 0; i < rounds; i++) {
		lock_acquire(&lock);
		if (inside++)
			clashes++;
		counter++;
		if (prng_one_in(&thread->prng, 1000))
			sched_yield();
		inside--;
		lock_release(&lock);
	}
}

static int init_lock(struct kunit_suite *suite)
{
	(void)suite;
	lock_init(&lock, RANK_ZONE);
	return 0;
}

static void test_lock_excludes(struct kunit *test)
{
	unsigned int rounds = 200000;

	counter = 0;
	test_threads_run(test, 8, count_up, &rounds);
	KUNIT_EXPECT_EQ(test, counter, 8UL * rounds);
	KUNIT_EXPECT_EQ(test, clashes, 0);
	KUNIT_EXPECT_EQ_MSG(test, lock.state, 0, "free again");
}

/* Longer holds: waiters sleep, and every one of them is woken. */
static void hold_long(struct test_thread *thread)
{
	(void)thread;
	for (unsigned int i = 0; i < 50; i++) {
		lock_acquire(&lock);
		counter++;
		os_sleep_us(200);
		lock_release(&lock);
	}
}

static void test_lock_wakes_sleepers(struct kunit *test)
{
	counter = 0;
	test_threads_run(test, 6, hold_long, NULL);
	KUNIT_EXPECT_EQ(test, counter, 300);
}

static void take_in_order(struct kunit *test, void *arg)
{
	struct lock outer, inner;

	(void)arg;
	lock_init(&outer, RANK_CACHES);
	lock_init(&inner, RANK_PERCPU);
	for (unsigned int i = 0; i < 3; i++) {
		lock_acquire(&outer);
		lock_acquire(&inner);
		lock_release(&inner);
		lock_release(&outer);
	}
	lock_destroy(&outer);
	lock_destroy(&inner);
	KUNIT_SUCCEED(test);
}

static void take_out_of_order(struct kunit *test, void *arg)
{
	struct lock outer, inner;

	(void)arg;
	lock_init(&outer, RANK_CACHES);
	lock_init(&inner, RANK_PERCPU);
	lock_acquire(&inner);
	lock_acquire(&outer);
	KUNIT_SUCCEED(test);
}

static void take_two_of_a_rank(struct kunit *test, void *arg)
{
	struct lock one, two;

	(void)arg;
	lock_init(&one, RANK_CACHE);
	lock_init(&two, RANK_CACHE);
	lock_acquire(&one);
	lock_acquire(&two);
	KUNIT_SUCCEED(test);
}

static void test_lock_order(struct kunit *test)
{
	CHILD_EXPECT_SUCCESS(test, take_in_order, NULL);
	CHILD_EXPECT_DEATH(test, take_out_of_order, NULL, "usermm: lock order");
	CHILD_EXPECT_DEATH(test, take_two_of_a_rank, NULL, "usermm: lock order");
}

static struct {
	struct lock locks[NR_LOCK_RANKS];
	bool taken[NR_LOCK_RANKS];
} ladder;

static int bring_up_nothing(void)
{
	return 0;
}

static void take_each(void *arg)
{
	static struct once once;

	*(bool *)arg = once_run(&once, bring_up_nothing);
	for (unsigned int rank = 0; rank < NR_LOCK_RANKS; rank++) {
		ladder.taken[rank] = lock_acquire_unless_handler(&ladder.locks[rank]);
		if (ladder.taken[rank])
			lock_release(&ladder.locks[rank]);
	}
}

/* A handler above a holder gets locks of higher ranks than the holder's, and no others. */
static void test_lock_in_order(struct kunit *test)
{
	bool brought_up = true;

	for (unsigned int rank = 0; rank < NR_LOCK_RANKS; rank++)
		lock_init(&ladder.locks[rank], rank);
	for (unsigned int held = 0; held < NR_LOCK_RANKS; held++) {
		lock_acquire(&ladder.locks[held]);
		run_in_handler(take_each, &brought_up);
		lock_release(&ladder.locks[held]);
		KUNIT_EXPECT_FALSE_MSG(test, brought_up, "under a lock");
		for (unsigned int rank = 0; rank < NR_LOCK_RANKS; rank++)
			KUNIT_EXPECT_EQ_MSG(test, ladder.taken[rank], rank > held,
					    "%u above %u", rank, held);
	}
	run_in_handler(take_each, &brought_up);
	KUNIT_EXPECT_TRUE_MSG(test, brought_up, "a refusal is no failure");
	for (unsigned int rank = 0; rank < NR_LOCK_RANKS; rank++) {
		KUNIT_EXPECT_TRUE(test, ladder.taken[rank]);
		lock_destroy(&ladder.locks[rank]);
	}
}

/* fork() in such a handler waits for no lock; the child is still the holder. */
static void fork_and_use(void *arg)
{
	int status = -1;
	pid_t pid = fork();

	if (!pid) {
		child_alarm();
		_exit(lock_acquire_unless_handler(arg) ? 2 : 0);
	}
	waitpid(pid, &status, 0);
	counter = (unsigned long)status;
}

static void hold_and_fork(struct test_thread *thread)
{
	(void)thread;
	lock_acquire(&lock);
	run_in_handler(fork_and_use, &lock);
	lock_release(&lock);
}

static void test_lock_fork_above_holder(struct kunit *test)
{
	counter = 1;
	test_threads_run(test, 1, hold_and_fork, NULL);
	KUNIT_EXPECT_EQ(test, counter, 0);
	KUNIT_EXPECT_EQ(test, lock.state, 0);
	KUNIT_EXPECT_TRUE(test, lock_none_held());
}

static struct once signal_once;
static bool handler_ran;

static void note_handler(void *arg)
{
	(void)arg;
	handler_ran = true;
}

static int interrupted_bring_up(void)
{
	run_in_handler(note_handler, NULL);
	return handler_ran ? -1 : 0;
}

static void test_once_blocks_signals(struct kunit *test)
{
	KUNIT_EXPECT_TRUE_MSG(test, once_run(&signal_once, interrupted_bring_up),
			      "the handler waits");
	usleep(1);	/* ThreadSanitizer keeps signals back until the next call that it knows */
	KUNIT_EXPECT_TRUE_MSG(test, handler_ran, "and runs then");
}

/* The handlers run by themselves: fork() waits for the lock, the child owns it. */
static void fork_meanwhile(struct test_thread *thread)
{
	if (thread->index) {
		unsigned int rounds = 300000;

		thread->arg = &rounds;
		count_up(thread);
		return;
	}
	for (unsigned int i = 0; i < 30; i++) {
		int status = -1;
		pid_t pid = fork();

		if (!pid) {
			child_alarm();
			lock_acquire(&lock);
			/* No thread was inside when the process was copied. */
			if (inside)
				_exit(2);
			lock_release(&lock);
			_exit(0);
		}
		waitpid(pid, &status, 0);
		KUNIT_EXPECT_EQ_MSG(thread->test, status, 0, "fork %u", i);
	}
}

static void test_lock_survives_fork(struct kunit *test)
{
	counter = 0;
	test_threads_run(test, 4, fork_meanwhile, NULL);
	KUNIT_EXPECT_EQ(test, counter, 900000);
	KUNIT_EXPECT_EQ(test, clashes, 0);
}

static struct once onces[100], failing, outer_once, inner_once, shared;
static unsigned int nr_runs, nr_failures, nr_outer, nr_inner, nr_shared;

static int run_slowly(void)
{
	__atomic_fetch_add(&nr_runs, 1, __ATOMIC_RELAXED);
	sched_yield();
	/* The load is plain: once_run() orders it. */
	__atomic_store_n(&counter, counter + 1, __ATOMIC_RELAXED);
	return 0;
}

static void race_once(struct test_thread *thread)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(onces); i++) {
		KUNIT_EXPECT_TRUE(thread->test, once_run(&onces[i], run_slowly));
		KUNIT_EXPECT_TRUE(thread->test, once_done(&onces[i]));
		KUNIT_EXPECT_GE(thread->test, __atomic_load_n(&counter, __ATOMIC_RELAXED), i + 1);
	}
}

static void test_once_runs_once(struct kunit *test)
{
	counter = 0;
	test_threads_run(test, 8, race_once, NULL);
	KUNIT_EXPECT_EQ(test, nr_runs, ARRAY_SIZE(onces));
	KUNIT_EXPECT_EQ(test, counter, ARRAY_SIZE(onces));
}

#define FAILURES 3

static int fail_at_first(void)
{
	return nr_failures < FAILURES ? nr_failures++, -1 : 0;
}

static void test_once_tries_again(struct kunit *test)
{
	for (unsigned int i = 0; i < FAILURES; i++) {
		KUNIT_EXPECT_FALSE(test, once_run(&failing, fail_at_first));
		KUNIT_EXPECT_FALSE(test, once_done(&failing));
		KUNIT_EXPECT_EQ(test, nr_failures, i + 1);
	}
	KUNIT_EXPECT_TRUE(test, once_run(&failing, fail_at_first));
	KUNIT_EXPECT_TRUE(test, once_done(&failing));
}

static pid_t waiter;	/* Sync: atomic; the thread that is to wait; 0: not started */
static bool waited;

/* Has the waiter blocked all signals? It has then seen how many tries there were. */
static bool waiter_is_inside(void)
{
	pid_t number = __atomic_load_n(&waiter, __ATOMIC_ACQUIRE);
	unsigned long blocked = 0;
	char path[64], line[256];
	FILE *status;

	snprintf(path, sizeof(path), "/proc/self/task/%d/status", (int)number);
	status = number ? fopen(path, "re") : NULL;
	while (status && fgets(line, sizeof(line), status))
		sscanf(line, "SigBlk: %lx", &blocked);
	if (status)
		fclose(status);
	return blocked & 1UL << (SIGUSR1 - 1);
}

/* Waits until another thread waits for this call, then fails. */
static int fail_shared(void)
{
	if (__atomic_fetch_add(&nr_shared, 1, __ATOMIC_RELAXED))
		return 0;
	for (unsigned int i = 0; i < 20000 && !waited; i++) {
		waited = waiter_is_inside();
		usleep(500);
	}
	return -1;
}

static void share_failure(struct test_thread *thread)
{
	if (!thread->index) {
		KUNIT_EXPECT_FALSE(thread->test, once_run(&shared, fail_shared));
		return;
	}
	/* The other thread has the lock. */
	while (!__atomic_load_n(&nr_shared, __ATOMIC_RELAXED))
		sched_yield();
	__atomic_store_n(&waiter, (pid_t)syscall(SYS_gettid), __ATOMIC_RELEASE);
	KUNIT_EXPECT_FALSE(thread->test, once_run(&shared, fail_shared));
}

static void test_once_waiters_fail_too(struct kunit *test)
{
	test_threads_run(test, 2, share_failure, NULL);
	KUNIT_EXPECT_TRUE(test, waited);
	KUNIT_EXPECT_EQ_MSG(test, nr_shared, 1, "the waiter has not tried by itself");
	KUNIT_EXPECT_TRUE_MSG(test, once_run(&shared, fail_shared), "but who comes later does");
}

static int bring_up_inner(void)
{
	nr_inner++;
	return 0;
}

static int bring_up_outer(void)
{
	nr_outer++;
	return once_run(&inner_once, bring_up_inner) ? 0 : -1;
}

static void race_nested(struct test_thread *thread)
{
	bool outer = thread->index % 2;

	KUNIT_EXPECT_TRUE(thread->test, outer ? once_run(&outer_once, bring_up_outer) :
						once_run(&inner_once, bring_up_inner));
}

static void test_once_nests(struct kunit *test)
{
	test_threads_run(test, 8, race_nested, NULL);
	KUNIT_EXPECT_EQ(test, nr_outer, 1);
	KUNIT_EXPECT_EQ(test, nr_inner, 1);
}

static struct kunit_case lock_cases[] = {
	KUNIT_CASE(test_lock_excludes),
	KUNIT_CASE(test_lock_wakes_sleepers),
	KUNIT_CASE(test_lock_order),
	KUNIT_CASE(test_lock_in_order),
	KUNIT_CASE(test_lock_fork_above_holder),
	KUNIT_CASE(test_lock_survives_fork),
	KUNIT_CASE(test_once_runs_once),
	KUNIT_CASE(test_once_tries_again),
	KUNIT_CASE(test_once_waiters_fail_too),
	KUNIT_CASE(test_once_nests),
	KUNIT_CASE(test_once_blocks_signals),
	{ 0 },
};

static struct kunit_suite lock_suite = {
	.name = "lock",
	.suite_init = init_lock,
	.test_cases = lock_cases,
};

kunit_test_suite(lock_suite);
