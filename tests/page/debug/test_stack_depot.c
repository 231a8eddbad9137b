/* SPDX-License-Identifier: MIT */
/* Stacks, each kept once; and signals that come while one is walked. */
#include <setjmp.h>
#include <signal.h>
#include <sys/time.h>

#include "page/debug/stack_depot.h"
#include "support/kernel.h"

#define NR_ALARMS 200
#define ALARM_US 100
/* For an alarm that is late: some seconds. */
#define WALKS_MAX 10000000u

static bool has_stacks(struct kunit *test)
{
	KUNIT_ASSERT_EQ(test, stack_depot_init(), 0);
	if (stack_depot_save_current(0))
		return true;
	kunit_skip(test, "no tables tell of callers here");
	return false;
}

static void test_stack_depot_keeps_once(struct kunit *test)
{
	const void *const *frames;
	uint32_t stacks[3];

	if (!has_stacks(test))
		return;
	for (volatile unsigned int i = 0; i < ARRAY_SIZE(stacks); i++)	/* one call, not three */
		stacks[i] = stack_depot_save_current(0);
	KUNIT_EXPECT_NE(test, stacks[0], 0);
	KUNIT_EXPECT_EQ(test, stacks[1], stacks[2]);
	KUNIT_EXPECT_GT(test, stack_depot_fetch(stacks[0], &frames), 1);
	KUNIT_EXPECT_EQ(test, stack_depot_fetch(0, &frames), 0);
	KUNIT_EXPECT_EQ(test, stack_depot_fetch(~0u, &frames), 0);
}

static sigjmp_buf before_walks;

static void leave(int number)
{
	siglongjmp(before_walks, number);
}

/*
 * Walks stacks until a handler leaves the loop, mostly in the middle of a walk. If the function
 * returned before the alarm, the handler would jump into a frame that is gone.
 */
static bool walk_until_left(void)
{
	const struct itimerval soon = { .it_value = { 0, ALARM_US } }, never = { 0 };

	if (sigsetjmp(before_walks, 1))
		return true;
	setitimer(ITIMER_REAL, &soon, NULL);
	for (unsigned int i = 0; i < WALKS_MAX; i++)
		stack_depot_save_current(0);
	setitimer(ITIMER_REAL, &never, NULL);
	return false;
}

/* ThreadSanitizer keeps signals back and calls handlers itself, whatever is blocked by then. */
#ifdef __SANITIZE_THREAD__
static const bool signals_are_kept_back = true;
#else
static const bool signals_are_kept_back;
#endif

static void test_stack_depot_left_by_handler(struct kunit *test)
{
	struct sigaction action = { .sa_handler = leave }, before;

	if (!has_stacks(test))
		return;
	if (signals_are_kept_back)
		kunit_skip(test, "ThreadSanitizer delivers signals late");
	sigaction(SIGALRM, &action, &before);
	for (unsigned int i = 0; i < NR_ALARMS; i++)
		KUNIT_ASSERT_TRUE_MSG(test, walk_until_left(), "alarm %u never came", i);
	sigaction(SIGALRM, &before, NULL);
	KUNIT_EXPECT_NE(test, stack_depot_save_current(0), 0);
}

/* The same signals are blocked as before. */
static void test_stack_depot_signal_mask(struct kunit *test)
{
	sigset_t now, set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	KUNIT_ASSERT_EQ(test, sigprocmask(SIG_BLOCK, &set, NULL), 0);
	stack_depot_save_current(0);
	KUNIT_ASSERT_EQ(test, sigprocmask(SIG_UNBLOCK, &set, &now), 0);
	for (int number = 1; number < 32; number++)
		KUNIT_EXPECT_EQ(test, sigismember(&now, number), number == SIGUSR2);
}

static struct kunit_case stack_depot_cases[] = {
	KUNIT_CASE(test_stack_depot_keeps_once),
	KUNIT_CASE(test_stack_depot_left_by_handler),
	KUNIT_CASE(test_stack_depot_signal_mask),
	{ 0 },
};

static struct kunit_suite stack_depot_suite = {
	.name = "stack_depot", .test_cases = stack_depot_cases,
};

kunit_test_suite(stack_depot_suite);
