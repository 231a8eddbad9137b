/* SPDX-License-Identifier: MIT */
/*
 * What a thread can still do after it has given up its rights, and that other threads keep theirs.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/atomic.h"
#include "base/system_call.h"
#include "os/clock.h"
#include "os/rights.h"
#include "os/signal/signals.h"
#include "os/thread.h"
#include "support/kernel.h"

static bool is_ready;	/* Sync: atomic */

struct attempts {
	bool seen;		/* rights_changes_are_seen() */
	/* results */
	long open, socket, signal_other, signal_self, map, exec, read_limit, set_limit;
};

static void *attempt(void *arg)
{
	struct attempts *made = arg;
	static const char *const none[] = { NULL };
	struct rlimit limit;
	void *page;

	if (made->seen)
		rights_changes_are_seen();
	rights_give_up();
	made->open = system_call(SYS_openat, AT_FDCWD, "/proc/self/status", O_RDONLY);
	made->socket = system_call(SYS_socket, AF_UNIX, SOCK_STREAM, 0);
	made->signal_other = system_call(SYS_kill, 1, 0);
	made->signal_self = system_call(SYS_tgkill, system_call(SYS_getpid),
					system_call(SYS_gettid), 0);
	page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	made->map = page == MAP_FAILED || munmap(page, 4096);
	made->exec = system_call(SYS_execve, "/nonexistent", none, none);
	made->read_limit = system_call(SYS_prlimit64, 0, RLIMIT_CORE, NULL, &limit);
	made->set_limit = system_call(SYS_prlimit64, 0, RLIMIT_CORE, &limit, NULL);
	os_sleep_us(1);
	return arg;
}

static void try_all(struct kunit *test, struct attempts *made)
{
	pthread_t thread;

	KUNIT_ASSERT_EQ(test, pthread_create(&thread, NULL, attempt, made), 0);
	KUNIT_ASSERT_EQ(test, pthread_join(thread, NULL), 0);
	KUNIT_EXPECT_EQ(test, made->signal_self, 0L);
	KUNIT_EXPECT_EQ(test, made->map, 0L);
	KUNIT_EXPECT_EQ(test, made->read_limit, 0L);
}

/* Returns the thread id of the process's other thread. */
static int other_thread(void)
{
	DIR *tasks = opendir("/proc/self/task");
	const struct dirent *task;
	int number = 0;

	while (tasks && (task = readdir(tasks)))
		if (task->d_name[0] != '.' && atoi(task->d_name) != os_current_thread())
			number = atoi(task->d_name);
	if (tasks)
		closedir(tasks);
	return number;
}

static bool has_filters(void)
{
	/* EFAULT: there are filters, and this one cannot be read. */
	return system_call(SYS_prctl, 22 /* PR_SET_SECCOMP */, 2, NULL) == -EFAULT;
}

/* If the call cannot be told apart, there is no filter, and libc's setuid() has to work. */
static void test_rights_without_filter(struct kunit *test)
{
	struct attempts made = { 0 };

	try_all(test, &made);
	KUNIT_EXPECT_GE(test, made.open, 0L);
	system_call(SYS_close, made.open);
	KUNIT_EXPECT_EQ(test, made.exec, (long)-ENOENT);
}

/*
 * Like the library's thread, it blocks signals. libc makes it call setuid(2), too, with the few
 * rights that it has left.
 */
static void *stay(void *unused)
{
	os_signals before;

	os_block_signals(OS_SIGNALS_ALL, &before);
	rights_give_up();
	atomic_store_release(&is_ready, true);
	for (;;)
		os_sleep_us(100000);
	return unused;
}

/* 0: as it should be. */
static int change_user_beside_thread(void)
{
	struct __user_cap_header_struct header = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct left[2];
	const uint32_t may_be_left = 1u << CAP_SETUID | 1u << CAP_SETGID;
	pthread_t thread;

	atomic_store_relaxed(&is_ready, false);
	if (pthread_create(&thread, NULL, stay, NULL))
		return 1;
	while (!atomic_load_acquire(&is_ready))
		os_sleep_us(100);
	header.pid = other_thread();
	if (system_call(SYS_capget, &header, left) || left[1].permitted ||
	    (left[0].permitted & ~may_be_left))
		return 2;
	if (setgid(65534) || setuid(65534) || !setuid(0) || !setgid(0))
		return 3;
	/* The thread has changed its ids, too. */
	return system_call(SYS_capget, &header, left) || left[0].permitted ? 4 : 0;
}

/* libc would end the process if the thread were refused. */
static void test_rights_follow_setuid(struct kunit *test)
{
	int status = -1;
	pid_t pid;

	if (geteuid())
		kunit_skip(test, "this user cannot become another");
	pid = fork();
	if (!pid)
		_exit(change_user_beside_thread());
	KUNIT_ASSERT_EQ(test, waitpid(pid, &status, 0), pid);
	KUNIT_EXPECT_EQ(test, status, 0);
}

static void test_rights_with_filter(struct kunit *test)
{
	struct attempts made = { .seen = true };
	int fd;

	if (!has_filters())
		kunit_skip(test, "the kernel has no seccomp filters");
	try_all(test, &made);
	KUNIT_EXPECT_EQ(test, made.open, (long)-EPERM);
	KUNIT_EXPECT_EQ(test, made.socket, (long)-EPERM);
	KUNIT_EXPECT_EQ(test, made.signal_other, (long)-EPERM);
	KUNIT_EXPECT_EQ(test, made.exec, (long)-EPERM);
	KUNIT_EXPECT_EQ(test, made.set_limit, (long)-EPERM);
	/* The other threads are as before. */
	fd = open("/proc/self/status", O_RDONLY);
	KUNIT_EXPECT_GE(test, fd, 0);
	system_call(SYS_close, fd);
}

static struct kunit_case rights_cases[] = {
	KUNIT_CASE(test_rights_without_filter),
	KUNIT_CASE(test_rights_follow_setuid),
	/* The last one, as it says once for all that changes are seen. */
	KUNIT_CASE(test_rights_with_filter),
	{ 0 },
};

static struct kunit_suite rights_suite = {
	.name = "rights",
	.test_cases = rights_cases,
};

kunit_test_suite(rights_suite);
