/* SPDX-License-Identifier: MIT */
/*
 * Requests of `usermm control`: the background thread answers them and stays for them, a fork child
 * answers for itself, and a tracer wakes the thread from its sleep.
 */
#include "api/control_requests.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/atomic.h"
#include "malloc_core/tested.h"
#include "os/background.h"
#include "support/child.h"
#include "support/kernel.h"

#define OTHER_DECAY_MS 777
#define PROFILE_BYTES (512UL << 10)

static uint32_t own_process(void)
{
	return (uint32_t)getpid();
}

/* Waits until this process has a thread that answers. */
static void wait_for_thread(void)
{
	while (atomic_load_acquire(&control_request.process) != own_process())
		usleep(100);
}

static void begin(void)
{
	child_alarm();
	control_requests_begin();
	wait_for_thread();
}

static void request(const char *name, unsigned int access, uint64_t value)
{
	control_request.access = access;
	control_request.value = value;
	memset(control_request.name, 'x', sizeof(control_request.name));
	memcpy(control_request.name, name,
	       min(strlen(name) + 1, sizeof(control_request.name)));
	/* pairs with the background thread's look */
	atomic_store_release(&control_request.asked, control_request.asked + 1);
}

static int wait_for_answer(void)
{
	while (atomic_load_acquire(&control_request.answered) != control_request.asked)
		usleep(100);
	return control_request.error;
}

static int ask(const char *name, unsigned int access, uint64_t value)
{
	request(name, access, value);
	background_wake();
	return wait_for_answer();
}

static void answer(struct kunit *test, void *unused)
{
	(void)unused;
	begin();
	KUNIT_EXPECT_EQ(test, ask("decay_ms", CAN_READ, 0), 0);
	KUNIT_EXPECT_EQ(test, control_request.value, 250);
	KUNIT_EXPECT_EQ(test, ask("decay_ms", CAN_READ | CAN_WRITE, OTHER_DECAY_MS), 0);
	KUNIT_EXPECT_EQ(test, control_request.value, 250);
	KUNIT_EXPECT_EQ(test, ask("decay_ms", CAN_READ, 0), 0);
	KUNIT_EXPECT_EQ(test, control_request.value, OTHER_DECAY_MS);
	KUNIT_EXPECT_EQ(test, ask("process.start_time_seconds", CAN_READ, 0), 0);
	KUNIT_EXPECT_GT(test, control_request.value, 0);
	KUNIT_EXPECT_EQ(test, ask("purge", CAN_WRITE, 0), 0);
	KUNIT_EXPECT_EQ(test, ask("decay_ms", CAN_WRITE, 1), -EINVAL);
	KUNIT_EXPECT_EQ(test, ask("nr_cpus", CAN_WRITE, 1), -EPERM);
	KUNIT_EXPECT_EQ(test, ask("no.such", CAN_READ, 0), -ENOENT);
	/* A name without an end is cut. */
	KUNIT_EXPECT_EQ(test, ask("xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
				  CAN_READ, 0), -ENOENT);
}

static void test_control_requests_answers(struct kunit *test)
{
	CHILD_EXPECT_SUCCESS(test, answer, NULL);
}

/* The background thread stays, because it takes requests; otherwise it would have ended by then. */
static void stay(struct kunit *test, void *unused)
{
	(void)unused;
	begin();
	usleep(1300000);
	KUNIT_EXPECT_TRUE(test, background_is_running());
	KUNIT_EXPECT_EQ(test, ask("decay_ms", CAN_READ, 0), 0);
	/* The next background thread answers a request that came while there was none. */
	background_suspend();
	request("decay_ms", CAN_READ | CAN_WRITE, OTHER_DECAY_MS);
	KUNIT_EXPECT_FALSE(test, background_is_running());
	background_resume();
	KUNIT_EXPECT_EQ(test, wait_for_answer(), 0);
	KUNIT_EXPECT_EQ(test, control_request.value, 250);
}

static void test_control_requests_thread_stays(struct kunit *test)
{
	CHILD_EXPECT_SUCCESS(test, stay, NULL);
}

/* The request is the parent's. */
static void answer_in_fork_child(struct kunit *test)
{
	uint64_t decay_ms = 0;

	child_alarm();
	wait_for_thread();
	KUNIT_EXPECT_EQ(test, control_request.asked, control_request.answered);
	KUNIT_EXPECT_EQ(test, usermm_control("decay_ms", &decay_ms, NULL), 0);
	KUNIT_EXPECT_EQ(test, decay_ms, 250);
	KUNIT_EXPECT_EQ(test, ask("decay_ms", CAN_WRITE, OTHER_DECAY_MS), 0);
	_exit(test->status == KUNIT_FAILURE);
}

static void fork_with_request(struct kunit *test, void *unused)
{
	int status = -1;
	pid_t child;

	(void)unused;
	begin();
	background_suspend();
	request("decay_ms", CAN_WRITE, 500);
	child = fork();
	if (!child)
		answer_in_fork_child(test);
	KUNIT_ASSERT_GT(test, child, 0);
	KUNIT_EXPECT_EQ(test, waitpid(child, &status, 0), child);
	KUNIT_EXPECT_EQ(test, status, 0);
	background_resume();
	KUNIT_EXPECT_EQ(test, wait_for_answer(), 0);
}

static void test_control_requests_fork(struct kunit *test)
{
	CHILD_EXPECT_SUCCESS(test, fork_with_request, NULL);
}

/* Does the file end in this text? */
static bool ends_with(int file, const char *end)
{
	char text[32] = { 0 };
	const off_t length = (off_t)strlen(end);

	return pread(file, text, (size_t)length, lseek(file, 0, SEEK_END) - length) == length &&
	       !strcmp(text, end);
}

/* The requester adds the mappings, since the thread that answers may not be able to read them. */
static void write_profile(struct kunit *test, void *unused)
{
	int file = memfd_create("profile", MFD_CLOEXEC);
	uint64_t number = (uint64_t)file;

	(void)unused;
	KUNIT_ASSERT_GE(test, file, 0);
	begin();
	KUNIT_EXPECT_EQ(test, ask("profile_write", CAN_WRITE, number), -EOPNOTSUPP);
	KUNIT_EXPECT_EQ(test, ask("profile", CAN_WRITE, PROFILE_BYTES), 0);
	KUNIT_EXPECT_EQ(test, ask("profile_write", CAN_WRITE, number), 0);
	KUNIT_EXPECT_TRUE(test, ends_with(file, "\nMAPPED_LIBRARIES:\n"));
	/* Any other thread writes the whole profile itself, mappings included. */
	KUNIT_EXPECT_EQ(test, usermm_control("profile_write", NULL, &number), 0);
	KUNIT_EXPECT_GT(test, lseek(file, 0, SEEK_END), 0);
	KUNIT_EXPECT_FALSE(test, ends_with(file, "\nMAPPED_LIBRARIES:\n"));
}

static void test_control_requests_profile(struct kunit *test)
{
	CHILD_EXPECT_SUCCESS(test, write_profile, NULL);
}

/* --- A tracer -------------------------------------------------------------------------- */

static bool get(pid_t thread, void *address, void *to, size_t bytes)
{
	struct iovec local = { to, bytes }, remote = { address, bytes };

	return process_vm_readv(thread, &local, 1, &remote, 1, 0) == (ssize_t)bytes;
}

static bool put(pid_t thread, void *address, const void *from, size_t bytes)
{
	struct iovec local = { (void *)from, bytes }, remote = { address, bytes };

	return process_vm_writev(thread, &local, 1, &remote, 1, 0) == (ssize_t)bytes;
}

/* Waits until the thread sleeps, so that only a tracer can wake it. */
static void wait_for_sleep(pid_t thread)
{
	uint32_t sleeping = 0;
	char state = 0, path[64];
	FILE *file;

	while (state != 'S' || !sleeping) {
		usleep(1000);
		get(thread, &background_sleeping, &sleeping, sizeof(sleeping));
		snprintf(path, sizeof(path), "/proc/%d/stat", thread);
		file = fopen(path, "re");
		if (!file || fscanf(file, "%*d %*s %c", &state) != 1)
			state = 'X';
		if (file)
			fclose(file);
	}
}

/* Writes the request and the word on which the thread sleeps, as stats/control_request.h has it. */
static bool write_request(pid_t thread)
{
	struct control_request block = { .access = CAN_READ, .name = "decay_ms" };
	const size_t start = offsetof(struct control_request, access);
	uint32_t requests, asked = 1;

	if (!put(thread, &control_request.access, (char *)&block + start, sizeof(block) - start) ||
	    !put(thread, &control_request.asked, &asked, sizeof(asked)) ||
	    !get(thread, &background_requests, &requests, sizeof(requests)))
		return false;
	requests += CONTROL_REQUEST_WAKE;
	return put(thread, &background_requests, &requests, sizeof(requests));
}

static void trace_and_ask(struct kunit *test, pid_t child)
{
	struct control_request block = { 0 };
	pid_t thread;
	int status;

	while (!get(child, &control_request, &block, sizeof(block)) ||
	       block.process != (uint32_t)child)
		usleep(1000);
	thread = (pid_t)block.thread;
	KUNIT_ASSERT_EQ(test, ptrace(PTRACE_SEIZE, thread, 0, 0), 0);
	wait_for_sleep(thread);
	KUNIT_ASSERT_TRUE(test, write_request(thread));
	/* It sleeps on: nothing has told the kernel to compare the word. */
	wait_for_sleep(thread);
	KUNIT_EXPECT_EQ(test, waitpid(thread, &status, __WALL | WNOHANG), 0);
	KUNIT_ASSERT_EQ(test, ptrace(PTRACE_INTERRUPT, thread, 0, 0), 0);
	KUNIT_ASSERT_EQ(test, waitpid(thread, &status, __WALL), thread);
	KUNIT_ASSERT_TRUE(test, WIFSTOPPED(status));
	KUNIT_ASSERT_EQ(test, ptrace(PTRACE_CONT, thread, 0, 0), 0);
	do {
		usleep(1000);
		KUNIT_ASSERT_TRUE(test, get(thread, &control_request, &block, sizeof(block)));
	} while (block.answered != 1);
	KUNIT_EXPECT_EQ(test, block.error, 0);
	KUNIT_EXPECT_EQ(test, block.value, 250);
}

static void ask_child(struct kunit *test, void *unused)
{
	pid_t child = fork();

	(void)unused;
	child_alarm();
	if (!child) {
		child_alarm();
		control_requests_begin();
		for (;;)
			pause();
	}
	KUNIT_ASSERT_GT(test, child, 0);
	trace_and_ask(test, child);
	kill(child, SIGKILL);
	/* First reaps the traced thread, which only its tracer can do, and then the process. */
	while (waitpid(-1, NULL, __WALL) > 0)
		continue;
}

/* User emulation lacks these calls. Linux lets nobody trace himself, and says so otherwise. */
static void need_tracers(struct kunit *test)
{
	char from = 'a', to = 0;

	if (!get(getpid(), &from, &to, sizeof(to)) && errno == ENOSYS)
		kunit_skip(test, "no process_vm_readv() here");
	if (ptrace(PTRACE_SEIZE, getpid(), 0, 0) && errno == ENOSYS)
		kunit_skip(test, "no ptrace() here");
}

static void test_control_requests_wakes(struct kunit *test)
{
	need_tracers(test);
	CHILD_EXPECT_SUCCESS(test, ask_child, NULL);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(test_control_requests_answers),
	KUNIT_CASE(test_control_requests_thread_stays),
	KUNIT_CASE(test_control_requests_fork),
	KUNIT_CASE(test_control_requests_profile),
	KUNIT_CASE(test_control_requests_wakes),
	{ 0 },
};

static struct kunit_suite suite = { .name = "api-control-requests", .test_cases = cases };

kunit_test_suite(suite);
