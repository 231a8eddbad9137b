/* SPDX-License-Identifier: MIT */
/* A handler for faults in front of the program's, in processes that fork. */
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/atomic.h"
#include "base/upward_hooks.h"
#include "os/os.h"
#include "os/signal/segv_handler.h"
#include "page/zone.h"
#include "support/kernel.h"
#include "support/threads.h"

#define FORKS TEST_STEPS(24)
#define MOMENTS TEST_STEPS(200000)
#define PATIENCE_MS 5000	/* 32 looks are enough */

static bool is_over;

static bool look(const struct os_fault *fault)
{
	(void)fault;
	return false;
}

static void programs(int number)
{
	(void)number;
}

static void set_programs(void)
{
	struct sigaction action;

	memset(&action, 0, sizeof(action));
	action.sa_handler = programs;
	sigaction(SIGSEGV, &action, NULL);
}

static bool is_programs(void)
{
	struct sigaction now;

	return !sigaction(SIGSEGV, NULL, &now) && now.sa_handler == programs;
}

/* The program sets its handler again and again. */
static void change(void)
{
	while (!atomic_load_relaxed(&is_over)) {
		set_programs();
		os_fault_watch(look);
	}
}

/* Does the library's handler come in front again? In processes with threads that takes a while. */
static bool comes_in_front(void)
{
	for (unsigned int ms = 0; is_programs() && ms < PATIENCE_MS; ms += 5) {
		os_fault_watch(look);
		os_sleep_us(5000);
	}
	return !is_programs();
}

/* A thread that was setting a handler at the fork is not there in the child. */
static void fork_often(struct kunit *test)
{
	unsigned int behind = 0;

	for (unsigned int i = 0; i < FORKS; i++) {
		int status = -1;
		pid_t pid = fork();

		if (!pid) {
			set_programs();
			_exit(!comes_in_front());
		}
		KUNIT_ASSERT_GT(test, pid, 0);
		KUNIT_ASSERT_EQ(test, waitpid(pid, &status, 0), pid);
		behind += status != 0;
	}
	KUNIT_EXPECT_EQ(test, behind, 0u);
}

static void change_or_fork(struct test_thread *thread)
{
	if (thread->index) {
		change();
		return;
	}
	fork_often(thread->test);
	atomic_store_relaxed(&is_over, true);
}

/*
 * Skips the test if threads cannot be noticed (musl), or if all handlers look alike
 * (ThreadSanitizer).
 */
static void need_moments(struct kunit *test)
{
#ifndef __GLIBC__
	kunit_skip(test, "musl does not say whether there are threads");
#endif
#ifdef __SANITIZE_THREAD__
	kunit_skip(test, "ThreadSanitizer sets one handler of its own for all of the program's");
#endif
	(void)test;
}

/* One thread sets a handler for a moment, again and again; the other one watches. */
static void set_or_watch(struct test_thread *thread)
{
	for (unsigned int i = 0; i < MOMENTS; i++) {
		struct sigaction before;

		if (thread->index) {
			os_fault_watch(look);
			continue;
		}
		if (!sigaction(SIGSEGV, NULL, &before)) {
			set_programs();
			sigaction(SIGSEGV, &before, NULL);
		}
	}
}

/*
 * A handler that was set for a moment is gone in the end: it is neither in front of the library's
 * nor behind it.
 */
static void test_fault_moments(struct kunit *test)
{
	struct sigaction before, ours, now;

	need_moments(test);
	KUNIT_ASSERT_EQ(test, sigaction(SIGSEGV, NULL, &before), 0);
	os_fault_watch(look);
	KUNIT_ASSERT_EQ(test, sigaction(SIGSEGV, NULL, &ours), 0);
	test_threads_run(test, 2, set_or_watch, NULL);
	KUNIT_ASSERT_EQ(test, sigaction(SIGSEGV, NULL, &now), 0);
	KUNIT_EXPECT_PTR_EQ(test, now.sa_sigaction, ours.sa_sigaction);
	KUNIT_EXPECT_EQ(test, sigaction(SIGSEGV, &before, NULL), 0);
}

/* Not the handler that other tests set: the library has not met this one. */
static void programs_seldom(int number)
{
	(void)number;
}

static bool is_seldom(void)
{
	struct sigaction now;

	return !sigaction(SIGSEGV, NULL, &now) && now.sa_handler == programs_seldom;
}

static void *set_and_look_seldom(void *test)
{
	struct sigaction before, seldom;

	memset(&seldom, 0, sizeof(seldom));
	seldom.sa_handler = programs_seldom;

	for (unsigned int i = 0; i < 4; i++) {
		KUNIT_EXPECT_EQ((struct kunit *)test, sigaction(SIGSEGV, NULL, &before), 0);
		sigaction(SIGSEGV, &seldom, NULL);
		os_fault_watch(look);
		KUNIT_EXPECT_TRUE_MSG((struct kunit *)test, is_seldom(), "moment %u", i);
		KUNIT_EXPECT_EQ((struct kunit *)test, sigaction(SIGSEGV, &before, NULL), 0);
		os_sleep_us(150000);
	}
	set_programs();
	KUNIT_EXPECT_TRUE_MSG((struct kunit *)test, comes_in_front(), "what stays");
	return NULL;
}

/*
 * A thread that looks seldom may find the handler set each time; this is not the same as one that
 * stays set.
 */
static void test_fault_looks(struct kunit *test)
{
	struct sigaction before;
	pthread_t thread;

	need_moments(test);
	KUNIT_ASSERT_EQ(test, sigaction(SIGSEGV, NULL, &before), 0);
	os_fault_watch(look);
	KUNIT_ASSERT_EQ(test, pthread_create(&thread, NULL, set_and_look_seldom, test), 0);
	pthread_join(thread, NULL);
	KUNIT_EXPECT_EQ(test, sigaction(SIGSEGV, &before, NULL), 0);
}

static void test_fault_fork(struct kunit *test)
{
	struct sigaction before;

	KUNIT_ASSERT_EQ(test, page_init(), 0);
	KUNIT_ASSERT_EQ(test, sigaction(SIGSEGV, NULL, &before), 0);
	test_threads_run(test, 2, change_or_fork, NULL);
	KUNIT_EXPECT_EQ(test, sigaction(SIGSEGV, &before, NULL), 0);
}

static struct kunit_case fault_cases[] = {
	KUNIT_CASE(test_fault_moments),
	KUNIT_CASE(test_fault_looks),
	KUNIT_CASE(test_fault_fork),
	{ 0 },
};

static struct kunit_suite fault_suite = {
	.name = "segv-handler",
	.test_cases = fault_cases,
};

kunit_test_suite(fault_suite);
