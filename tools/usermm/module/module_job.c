// SPDX-License-Identifier: MIT
/* Runs the module as a child, and asks its threads for their stacks if it hangs. */
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
#include "../statuses.h"

/* How long all threads together may take to print their stacks; enough on a busy machine. */
#define STACK_SECONDS 20
/*
 * How long to wait for a thread that blocks the signal. Such a thread (the library's own is one)
 * mostly does not answer.
 */
#define BLOCKED_MS 200
#define POLL_MS 2
#define SOURCES_SECONDS 20
#define MAX_FRAMES 200

static unsigned long milliseconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (unsigned long)now.tv_sec * 1000 + (unsigned long)now.tv_nsec / 1000000;
}

/* How many threads have finished their answer: each ends its lines with an empty one. */
static unsigned int nr_answers(const char *notes)
{
	FILE *file = fopen(notes, "r");
	int c, last = '\n';
	unsigned int nr = 0;

	for (; file && (c = getc(file)) != EOF; last = c)
		nr += c == '\n' && last == '\n';
	if (file)
		fclose(file);
	return nr;
}

/*
 * Is SIGQUIT pending for the thread, and blocked? (A thread that answers blocks the signal too, but
 * then it is no longer pending.)
 */
static bool is_deaf(pid_t pid, int tid)
{
	unsigned long long asked = 0, blocked = 0;
	char path[64], line[256];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/status", (int)pid, tid);
	file = fopen(path, "r");
	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "SigPnd: %llx", &asked) != 1)
			sscanf(line, "SigBlk: %llx", &blocked);
	if (file)
		fclose(file);
	return asked & blocked & 1ULL << (SIGQUIT - 1);
}

/* SIGQUIT makes a thread of a module print its stack (kernel/module/crash.c). */
static void ask_for_stack(const struct module_job *job, pid_t pid, int tid, unsigned long end)
{
	unsigned int before = nr_answers(job->trace);
	unsigned long start = milliseconds(), now = start;

	if (syscall(SYS_tgkill, pid, tid, SIGQUIT))
		return;
	while (nr_answers(job->trace) == before && now < end && !syscall(SYS_tgkill, pid, tid, 0) &&
	       (now - start < BLOCKED_MS || !is_deaf(pid, tid))) {
		nanosleep(&(struct timespec){ .tv_nsec = POLL_MS * 1000000L }, NULL);
		now = milliseconds();
	}
}

static void ask_for_stacks(const struct module_job *job, pid_t pid)
{
	unsigned long end = milliseconds() + STACK_SECONDS * 1000;
	char path[64];
	struct dirent *entry;
	DIR *threads;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	threads = opendir(path);
	while (threads && (entry = readdir(threads))) {
		int tid = atoi(entry->d_name);

		if (tid > 0)
			ask_for_stack(job, pid, tid, end);
	}
	if (threads)
		closedir(threads);
}

/* Prints functions and lines of the stacks, also inlined ones, from debug information. */
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
	pid = child_start(argv, job->folder, STDERR_FILENO, STDERR_FILENO);
	if (pid > 0 && child_wait(pid, SOURCES_SECONDS, &status) != CHILD_ENDED)
		child_kill(pid);
}

static void put_arguments(const struct module_job *job, char **argv)
{
	unsigned int n = 0;

	argv[n++] = (char *)job->program;
	for (unsigned int i = 0; i < job->nr_params; i++)
		argv[n++] = job->params[i];
	if (job->command)
		argv[n++] = "--";
	for (char **word = job->command; word && *word; word++)
		argv[n++] = *word;
	argv[n] = NULL;
}

static void put_environment(const struct module_job *job)
{
	char files[PATH_MAX + 16];

	setenv(MODULE_TRACE_FILE, job->trace, 1);
	snprintf(files, sizeof(files), "%s/files", job->folder);
	if (job->command) {
		setenv(MODULE_FILES_FOLDER, files, 1);
		setenv(MODULE_FILES_PRELOAD, job->preload, 1);
	}
}

int module_job_run(const struct module_job *job)
{
	char *argv[2 * MODULE_MAX_ARGUMENTS + 4];
	int status = 0;
	pid_t pid;

	put_arguments(job, argv);
	put_environment(job);
	pid = child_start(argv, NULL, STDOUT_FILENO, STDERR_FILENO);
	if (pid < 0)
		return 1;
	switch (child_wait(pid, job->timeout, &status)) {
	case CHILD_INTERRUPTED:
		child_kill(pid);
		return 1;
	case CHILD_TIME_UP:
		fprintf(stderr, "usermm module: still running after %lu seconds "
				"(--timeout=SECONDS sets the limit); its threads:\n", job->timeout);
		ask_for_stacks(job, pid);
		child_kill(pid);
		show_sources(job);
		return EXIT_TIME_UP;
	case CHILD_ENDED:
		if (job->command)
			kill(-pid, SIGKILL);	/* what the command left running */
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
