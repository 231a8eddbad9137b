// SPDX-License-Identifier: MIT
/* The child that is a module: run, and asked where it is if it hangs. */
#define _GNU_SOURCE
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "module.h"
#include "module_child.h"

/* For a thread to print its stack, one after the other; less for each if there are many. */
#define STACK_TIME_NS 200000000L
#define MANY_THREADS 10
#define STACK_SECONDS 20
#define MAX_FRAMES 200

/* SIGQUIT makes a thread of a module say where it is (kernel/crash.c). */
static void ask_for_stacks(pid_t pid)
{
	unsigned int nr = 0;
	char path[64];
	struct dirent *entry;
	DIR *threads;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	threads = opendir(path);
	while (threads && (entry = readdir(threads))) {
		int tid = atoi(entry->d_name);

		if (tid <= 0 || syscall(SYS_tgkill, pid, tid, SIGQUIT))
			continue;
		nanosleep(&(struct timespec){
			.tv_nsec = nr++ < MANY_THREADS ? STACK_TIME_NS : STACK_TIME_NS / 20,
		}, NULL);
	}
	if (threads)
		closedir(threads);
}

/* Functions and lines of the stacks, those that were inlined too, from debug information. */
static void show_sources(const struct module_job *job)
{
	char *argv[MAX_FRAMES + 8] = { "addr2line", "-f", "-i", "-p", "-s", "-e",
				       (char *)job->program };
	static char frames[MAX_FRAMES][32];
	unsigned int first = 7, n = first;
	FILE *file = fopen(job->trace, "r");
	int status;
	pid_t pid;

	while (file && n < first + MAX_FRAMES &&
	       fscanf(file, "%31s", frames[n - first]) == 1) {
		argv[n] = frames[n - first];
		n++;
	}
	if (file)
		fclose(file);
	if (n == first || !module_is_in_path(argv[0]))
		return;
	fprintf(stderr, "usermm module: in the sources:\n");
	pid = child_start(argv, job->folder, STDERR_FILENO);
	if (pid > 0 && child_wait(pid, STACK_SECONDS, &status) != CHILD_ENDED)
		child_kill(pid);
}

int module_job_run(const struct module_job *job)
{
	char *argv[MODULE_MAX_ARGUMENTS + 2];
	unsigned int n = 0;
	int status = 0;
	pid_t pid;

	argv[n++] = (char *)job->program;
	for (unsigned int i = 0; i < job->nr_params; i++)
		argv[n++] = job->params[i];
	argv[n] = NULL;
	setenv(MODULE_TRACE_FILE, job->trace, 1);
	pid = child_start(argv, NULL, STDOUT_FILENO);
	if (pid < 0)
		return 1;
	switch (child_wait(pid, job->timeout, &status)) {
	case CHILD_INTERRUPTED:
		child_kill(pid);
		return 1;
	case CHILD_TIME_UP:
		fprintf(stderr, "usermm module: still running after %lu seconds "
				"(--timeout=SECONDS sets the limit); its threads:\n", job->timeout);
		ask_for_stacks(pid);
		child_kill(pid);
		show_sources(job);
		return MODULE_EXIT_TIMEOUT;
	case CHILD_ENDED:
		break;
	}
	if (WIFSIGNALED(status)) {
		show_sources(job);
		fprintf(stderr, "usermm module: the module was ended by signal %d (%s)\n",
			WTERMSIG(status), strsignal(WTERMSIG(status)));
		return 128 + WTERMSIG(status);
	}
	return WEXITSTATUS(status);
}
