/* SPDX-License-Identifier: MIT */
/* A handler for faults in front of the program's, in processes that fork. */
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/atomic.h"
#include "os/fault.h"
#include "page/zone.h"
#include "support/kernel.h"
#include "support/threads.h"

#define FORKS TEST_STEPS(300)

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

/* Who was in the midst of a change when it forked is not there in the child. */
static void fork_often(struct kunit *test)
{
	unsigned int behind = 0;

	for (unsigned int i = 0; i < FORKS; i++) {
		int status = -1;
		pid_t pid = fork();

		if (!pid) {
			set_programs();
			os_fault_watch(look);
			_exit(is_programs());
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

static void test_fault_fork(struct kunit *test)
{
	struct sigaction before;

	KUNIT_ASSERT_EQ(test, page_init(), 0);
	KUNIT_ASSERT_EQ(test, sigaction(SIGSEGV, NULL, &before), 0);
	test_threads_run(test, 2, change_or_fork, NULL);
	KUNIT_EXPECT_EQ(test, sigaction(SIGSEGV, &before, NULL), 0);
}

static struct kunit_case fault_cases[] = {
	KUNIT_CASE(test_fault_fork),
	{ 0 },
};

static struct kunit_suite fault_suite = {
	.name = "fault",
	.test_cases = fault_cases,
};

kunit_test_suite(fault_suite);
