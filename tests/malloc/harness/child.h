/* SPDX-License-Identifier: MIT */
/* Runs in a child what ends a process, or needs a fresh one. */
#ifndef MALLOC_CHILD_H
#define MALLOC_CHILD_H

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "harness.h"

/* A child that takes longer hangs, and is killed. In an emulated machine: times slowness(). */
#define CHILD_SECONDS 100

struct child_result {
	int status;		/* as from waitpid() */
	char err[32 * KIB];	/* what it wrote to stderr, cut to fit */
};

static inline bool child_exited(int status, int code)
{
	return WIFEXITED(status) && WEXITSTATUS(status) == code;
}

static inline bool child_died_by(int status, int signal)
{
	return WIFSIGNALED(status) && WTERMSIG(status) == signal;
}

/* Does the process sleep? If it has one thing left to do before it waits, it has then done that. */
static inline bool is_asleep(pid_t pid)
{
	char path[64], text[512] = "";
	const char *state;
	ssize_t n = -1;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		n = read(fd, text, sizeof(text) - 1);
		close(fd);
	}
	/* The state stands behind the name, which may hold anything. */
	state = n > 0 ? strrchr(text, ')') : NULL;
	return state && state[1] == ' ' && state[2] == 'S';
}

/* False if it does not within the seconds. */
static inline bool falls_asleep(pid_t pid, double seconds)
{
	double deadline = seconds_now() + seconds * slowness();
	bool asleep;

	while (!(asleep = is_asleep(pid)) && seconds_now() < deadline)
		sleep_us(1000);
	return asleep;
}

/* The wait status of the child, which is killed at the deadline. */
static inline int child_wait_until(pid_t pid, double deadline)
{
	unsigned int delay_us = 50;
	int status = -1;

	while (waitpid(pid, &status, WNOHANG) == 0) {
		if (seconds_now() > deadline) {
			dprintf(STDOUT_FILENO, "# child %d hangs, killed\n", (int)pid);
			kill(pid, SIGKILL);
			while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
				;
			break;
		}
		sleep_us(delay_us);
		delay_us = delay_us < 1000 ? delay_us * 2 : delay_us;
	}
	return status;
}

static inline int child_wait(pid_t pid)
{
	return child_wait_until(pid, seconds_now() + CHILD_SECONDS * slowness());
}

/* Up to the end of the file or the deadline. */
static inline void child_read_until(int fd, char *text, size_t size, double deadline)
{
	struct pollfd ready = { fd, POLLIN, 0 };
	size_t used = 0;
	ssize_t n;

	while (used < size - 1 && seconds_now() < deadline) {
		if (poll(&ready, 1, 100) <= 0)
			continue;
		n = read(fd, text + used, size - 1 - used);
		if (n == 0 || (n < 0 && errno != EINTR))
			break;
		used += n > 0 ? (size_t)n : 0;
	}
	text[used] = '\0';
}

/*
 * Runs fn(arg) in a child. If it returns, the exit status tells of failed checks.
 * Nothing that it starts outlives it.
 */
static inline void child_run(struct child_result *result, void (*fn)(void *arg), void *arg)
{
	double deadline = seconds_now() + CHILD_SECONDS * slowness();
	struct rlimit no_core = { 0, 0 };
	int fds[2];
	pid_t pid;

	REQUIRE(pipe(fds) == 0);
	pid = fork();
	REQUIRE(pid >= 0);
	if (!pid) {
		setpgid(0, 0);
		setrlimit(RLIMIT_CORE, &no_core);
		dup2(fds[1], STDERR_FILENO);
		close(fds[0]);
		close(fds[1]);
		harness.failures = 0;
		fn(arg);
		_exit(harness_status());
	}
	setpgid(pid, pid);
	close(fds[1]);
	child_read_until(fds[0], result->err, sizeof(result->err), deadline);
	close(fds[0]);
	result->status = child_wait_until(pid, deadline);
	kill(-pid, SIGKILL);
}

/* This program again, from its start. */
struct child_again {
	const char *mode;	/* argv[1] */
	const char *arg;	/* argv[2]; NULL = none */
	const char *options;	/* added to USERMM_OPTIONS; NULL = none */
	size_t address_space;	/* RLIMIT_AS; 0 = as it is */
};

static inline void child_exec_again(void *arg)
{
	const struct child_again *again = (const struct child_again *)arg;
	const char *old = getenv("USERMM_OPTIONS");
	struct rlimit limit = { again->address_space, again->address_space };
	char options[16 * KIB];

	if (again->options) {
		snprintf(options, sizeof(options), "%s%s%s", old ? old : "",
			 old && *old ? ":" : "", again->options);
		setenv("USERMM_OPTIONS", options, 1);
	}
	if (again->address_space)
		REQUIRE(setrlimit(RLIMIT_AS, &limit) == 0);
	execl("/proc/self/exe", "again", again->mode, again->arg, (char *)NULL);
	_exit(127);
}

/*
 * fn() ends well in a child of clone(2) that has its own copy of the memory; no fork handlers run
 * for such a child.
 */
static inline void child_by_clone(int (*fn)(void *unused))
{
	static char stack[256 * KIB];
	int status = -1;
	pid_t pid = clone(fn, stack + sizeof(stack), SIGCHLD, NULL);

	REQUIRE(pid > 0 && waitpid(pid, &status, 0) == pid);
	CHECK(child_exited(status, 0), "; status %#x", status);
}

static inline unsigned int count_lines(const char *text)
{
	unsigned int nr = 0;

	for (; *text; text++)
		nr += *text == '\n';
	return nr;
}

/* What the program does when it runs again in that mode. */
struct child_mode {
	const char *mode;
	int (*run)(void);
};

/* The mode that the first argument names, or NULL. */
static inline const struct child_mode *child_mode_of(int argc, char **argv,
						     const struct child_mode *modes, size_t nr)
{
	for (size_t i = 0; argc > 1 && i < nr; i++)
		if (!strcmp(argv[1], modes[i].mode))
			return &modes[i];
	return NULL;
}

/*
 * If this program is run again in that mode, with these options, it ends well and writes nothing.
 */
static inline void child_expect_quiet(const char *mode, const char *options)
{
	struct child_again again = { mode, NULL, options, 0 };
	struct child_result result;

	child_run(&result, child_exec_again, &again);
	CHECK(child_exited(result.status, 0) && !*result.err, "; %s %s: wait status %#x %s", mode,
	      options, result.status, result.err);
}

#endif
