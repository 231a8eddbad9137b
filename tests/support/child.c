/* SPDX-License-Identifier: MIT */
#include "child.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kunit/kunit_run.h"

#define EXIT_CHECK_FAILED 99
#define SECONDS_MAX 300

struct child {
	struct kunit *test;
	void (*fn)(struct kunit *test, void *arg);
	void *arg;
};

void child_alarm(void)
{
	const char *slowness = getenv("TEST_SLOWNESS");

	alarm(SECONDS_MAX * (slowness ? (unsigned int)strtoul(slowness, NULL, 10) : 1));
}

static void call_child(void *arg)
{
	struct child *child = arg;

	child->fn(child->test, child->arg);
}

static void child_main(struct child *child, int err_fd)
{
	struct kunit_runner runner = { .lock = PTHREAD_MUTEX_INITIALIZER };
	struct kunit test = { .name = child->test->name, .runner = &runner,
			      .priv = child->test->priv };
	struct rlimit no_core = { 0, 0 };

	setrlimit(RLIMIT_CORE, &no_core);
	child_alarm();
	dup2(err_fd, STDERR_FILENO);
	close(err_fd);
	runner.out = stderr;
	child->test = &test;
	kunit_try(&test, call_child, child);
	_exit(test.status == KUNIT_FAILURE ? EXIT_CHECK_FAILED : 0);
}

static void read_all(int fd, char *text, size_t size)
{
	size_t used = 0;
	char rest[256];

	for (;;) {
		bool full = used == size - 1;
		ssize_t n = read(fd, full ? rest : text + used,
				 full ? sizeof(rest) : size - 1 - used);

		if (n <= 0)
			break;
		if (!full)
			used += (size_t)n;
	}
	text[used] = '\0';
}

void child_run(struct kunit *test, void (*fn)(struct kunit *test, void *arg), void *arg,
	       struct child_result *result)
{
	struct child child = { test, fn, arg };
	int fds[2];
	pid_t pid;

	KUNIT_ASSERT_EQ(test, pipe(fds), 0);
	fflush(NULL);
	pid = fork();
	KUNIT_ASSERT_GE(test, pid, 0);
	if (!pid) {
		close(fds[0]);
		child_main(&child, fds[1]);
	}
	close(fds[1]);
	read_all(fds[0], result->err, sizeof(result->err));
	close(fds[0]);
	waitpid(pid, &result->status, 0);
}

static unsigned int nr_lines(const char *text)
{
	unsigned int nr = 0;

	for (; *text; text++)
		nr += *text == '\n';
	return nr;
}

static void expect_texts(struct kunit *test, const struct kunit_loc *loc,
			 const struct child_result *result, const char *const *texts)
{
	for (; *texts; texts++)
		if (!strstr(result->err, *texts))
			kunit_fail_text(test, loc, "in the report of the child is no \"%s\": %s",
					*texts, result->err);
}

void child_expect_death(struct kunit *test, const struct kunit_loc *loc,
			void (*fn)(struct kunit *test, void *arg), void *arg,
			const char *const *texts)
{
	struct child_result result;

	child_run(test, fn, arg, &result);
	if (!WIFSIGNALED(result.status) || WTERMSIG(result.status) != SIGABRT)
		kunit_fail_text(test, loc, "the child did not die by SIGABRT: wait status 0x%x, "
				"stderr: %s", (unsigned int)result.status, result.err);
	else if (nr_lines(result.err) != 1)
		kunit_fail_text(test, loc, "the child's stderr is not one line: %s", result.err);
	else
		expect_texts(test, loc, &result, texts);
}

void child_expect_success(struct kunit *test, const struct kunit_loc *loc,
			  void (*fn)(struct kunit *test, void *arg), void *arg,
			  const char *const *texts)
{
	struct child_result result;

	child_run(test, fn, arg, &result);
	if (result.status)
		kunit_fail_text(test, loc, "the child failed: wait status 0x%x, stderr: %s",
				(unsigned int)result.status, result.err);
	expect_texts(test, loc, &result, texts);
}

const char *child_hex(const void *pointer)
{
	static char texts[8][24];
	static unsigned int next;
	char *text = texts[next++ % 8];

	snprintf(text, sizeof(texts[0]), "%#lx", (unsigned long)pointer);
	return text;
}
