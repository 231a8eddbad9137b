// SPDX-License-Identifier: MIT
/* The child that is a module: started, waited for, and asked where it is if it hangs. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "command.h"
#include "module.h"

/* For a thread to print its stack, one after the other. */
#define STACK_TIME_NS 200000000L

static void start(const struct module_job *job)
{
	char *argv[MODULE_MAX_ARGUMENTS + 2];
	unsigned int n = 0;
	sigset_t none;

	argv[n++] = (char *)job->program;
	for (unsigned int i = 0; i < job->nr_params; i++)
		argv[n++] = job->params[i];
	argv[n] = NULL;
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	/* A module that hangs must not stay when its caller goes. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	execv(job->program, argv);
	fprintf(stderr, "usermm module: %s: %s\n", job->program, strerror(errno));
	_exit(EXIT_NOT_EXECUTABLE);
}

/* SIGQUIT makes a thread of a module say where it is (kernel/crash.c). */
static void ask_for_stacks(pid_t pid)
{
	char path[64];
	struct dirent *entry;
	DIR *threads;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	threads = opendir(path);
	while (threads && (entry = readdir(threads))) {
		int tid = atoi(entry->d_name);

		if (tid <= 0 || syscall(SYS_tgkill, pid, tid, SIGQUIT))
			continue;
		nanosleep(&(struct timespec){ .tv_nsec = STACK_TIME_NS }, NULL);
	}
	if (threads)
		closedir(threads);
}

/* SIGCHLD is blocked, so that its arrival ends the wait; false when the time is up. */
static bool wait_for_child(pid_t pid, unsigned long seconds, int *status)
{
	struct timespec limit = { .tv_sec = (time_t)seconds };
	sigset_t child;

	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	for (;;) {
		int error;

		if (waitpid(pid, status, WNOHANG) == pid)
			return true;
		error = seconds ? sigtimedwait(&child, NULL, &limit) : sigwaitinfo(&child, NULL);
		if (error < 0 && errno == EAGAIN)
			return waitpid(pid, status, WNOHANG) == pid;
	}
}

int module_job_run(const struct module_job *job)
{
	sigset_t child;
	int status = 0;
	pid_t pid;

	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigprocmask(SIG_BLOCK, &child, NULL);
	fflush(NULL);
	pid = fork();
	if (!pid)
		start(job);
	if (pid < 0) {
		fprintf(stderr, "usermm module: %s\n", strerror(errno));
		return 1;
	}
	if (!wait_for_child(pid, job->timeout, &status)) {
		fprintf(stderr, "usermm module: still running after %lu seconds "
				"(--timeout=SECONDS sets the limit); its threads:\n", job->timeout);
		ask_for_stacks(pid);
		kill(pid, SIGKILL);
		waitpid(pid, &status, 0);
		return MODULE_EXIT_TIMEOUT;
	}
	if (WIFSIGNALED(status)) {
		fprintf(stderr, "usermm module: the module was ended by signal %d (%s)\n",
			WTERMSIG(status), strsignal(WTERMSIG(status)));
		return 128 + WTERMSIG(status);
	}
	return WEXITSTATUS(status);
}
