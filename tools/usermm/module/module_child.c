// SPDX-License-Identifier: MIT
/* Children that leave nothing behind: see module_child.h. */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/compiler.h"
#include "../command.h"
#include "module_child.h"

static const int ending_signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE };

static sigset_t held, before;
static int arrived;		/* the ending signal that came first */

void child_signals_hold(void)
{
	struct sigaction action;

	sigemptyset(&held);
	sigaddset(&held, SIGCHLD);
	/* A signal that is ignored, as under nohup(1), would be noted nevertheless if blocked. */
	for (unsigned int i = 0; i < ARRAY_SIZE(ending_signals); i++)
		if (!sigaction(ending_signals[i], NULL, &action) && action.sa_handler != SIG_IGN)
			sigaddset(&held, ending_signals[i]);
	/* Some parents leave SIGCHLD ignored: then waitpid() would not report a child's end. */
	signal(SIGCHLD, SIG_DFL);
	sigprocmask(SIG_BLOCK, &held, &before);
}

void child_signals_restore(void)
{
	if (arrived)
		raise(arrived);
	sigprocmask(SIG_SETMASK, &before, NULL);
}

static void become(char *const *argv, const char *tmpdir, int output, int errors, pid_t parent)
{
	setpgid(0, 0);
	/*
	 * It is not in the terminal's group: under `stty tostop` its output would stop it for good.
	 */
	signal(SIGTTOU, SIG_IGN);
	/* The child must end even if its parent is killed. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(EXIT_NOT_EXECUTABLE);
	if (tmpdir)
		setenv("TMPDIR", tmpdir, 1);
	if (output != STDOUT_FILENO)
		dup2(output, STDOUT_FILENO);
	if (errors != STDERR_FILENO)
		dup2(errors, STDERR_FILENO);
	sigprocmask(SIG_SETMASK, &before, NULL);
	execvp(argv[0], argv);
	fprintf(stderr, "usermm module: %s: %s\n", argv[0], strerror(errno));
	_exit(errno == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE);
}

pid_t child_start(char *const *argv, const char *tmpdir, int output, int errors)
{
	pid_t parent = getpid(), pid;

	fflush(NULL);
	pid = fork();
	if (!pid)
		become(argv, tmpdir, output, errors, parent);
	if (pid < 0)
		fprintf(stderr, "usermm module: %s\n", strerror(errno));
	else
		setpgid(pid, pid);	/* parent and child both do it: either may run first */
	return pid;
}

/* Time until `end`. A signal that ends no wait must not restart the limit. */
static struct timespec time_left(const struct timespec *end)
{
	struct timespec now, left;

	clock_gettime(CLOCK_MONOTONIC, &now);
	left.tv_sec = end->tv_sec - now.tv_sec;
	left.tv_nsec = end->tv_nsec - now.tv_nsec;
	if (left.tv_nsec < 0) {
		left.tv_nsec += 1000000000;
		left.tv_sec--;
	}
	return left.tv_sec < 0 ? (struct timespec){ 0 } : left;
}

enum child_end child_wait(pid_t pid, unsigned long seconds, int *status)
{
	struct timespec end, left;

	clock_gettime(CLOCK_MONOTONIC, &end);
	end.tv_sec += (time_t)seconds;
	for (;;) {
		int signal;

		/* SIGCHLD is blocked: if it comes before the wait below, it ends that wait. */
		if (waitpid(pid, status, WNOHANG) == pid)
			return CHILD_ENDED;
		left = time_left(&end);
		signal = seconds ? sigtimedwait(&held, NULL, &left) : sigwaitinfo(&held, NULL);
		if (signal < 0 && errno == EAGAIN)
			return waitpid(pid, status, WNOHANG) == pid ? CHILD_ENDED : CHILD_TIME_UP;
		if (signal > 0 && signal != SIGCHLD) {
			arrived = signal;
			return CHILD_INTERRUPTED;
		}
	}
}

void child_kill(pid_t pid)
{
	kill(-pid, SIGKILL);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}
