// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/compiler.h"
#include "os/os.h"
#include "timing.h"

#define NAME_BYTES 64

static bool is_variable(const char *entry, const char *name)
{
	size_t length = strlen(name);

	return !strncmp(entry, name, length) && entry[length] == '=';
}

static bool is_same_variable(const char *entry, const char *other)
{
	size_t length = other ? strcspn(other, "=") + 1 : 0;

	return length && !strncmp(entry, other, length);
}

/* A copy of the environment with the variables as the request wants them. */
static char **build_environment(const struct child_request *request)
{
	const char *options = getenv("USERMM_OPTIONS");
	size_t nr = 0, used = 0;
	char **copy;

	while (environ[nr])
		nr++;
	copy = calloc(nr + 4, sizeof(*copy));
	if (!copy)
		return NULL;
	if (request->preload && asprintf(&copy[used++], "LD_PRELOAD=%s", request->preload) < 0)
		goto fail;
	if (asprintf(&copy[used++], "USERMM_OPTIONS=%s%s%s", options ? options : "",
		     options && *options && request->options ? ":" : "",
		     request->options ? request->options : "") < 0)
		goto fail;
	if (request->variable)
		copy[used++] = (char *)request->variable;
	for (size_t i = 0; i < nr; i++)
		if (!is_variable(environ[i], "LD_PRELOAD") &&
		    !is_variable(environ[i], "USERMM_OPTIONS") &&
		    !is_same_variable(environ[i], request->variable))
			copy[used++] = environ[i];
	return copy;
fail:
	free(copy);
	return NULL;
}

static void free_environment(char **copy)
{
	for (size_t i = 0; copy[i]; i++)
		if (is_variable(copy[i], "LD_PRELOAD") || is_variable(copy[i], "USERMM_OPTIONS"))
			free(copy[i]);
	free(copy);
}

/* Starts the child with its standard output in a pipe; 0 or an errno value. */
static int start(const struct child_request *request, pid_t *pid, FILE **from)
{
	char *const argv[] = { "usermm", "bench-child", (char *)request->suite,
			       (char *)(request->arg ? request->arg : ""), NULL };
	posix_spawn_file_actions_t actions;
	char **environment = build_environment(request);
	char program[OS_PROGRAM_PATH_BYTES];
	int ends[2], error;

	*from = NULL;
	if (!environment)
		return ENOMEM;
	if (pipe2(ends, O_CLOEXEC)) {
		error = errno;
		free_environment(environment);
		return error;
	}
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
	os_program_file(program);
	timing_unpin();		/* the child inherits the CPUs */
	error = posix_spawn(pid, program, &actions, NULL, argv, environment);
	timing_pin(timing_cpu(0));
	posix_spawn_file_actions_destroy(&actions);
	free_environment(environment);
	close(ends[1]);
	if (!error)
		*from = fdopen(ends[0], "r");
	if (!*from)
		close(ends[0]);
	return error;
}

/* What the status of the ended child means; NULL if all is well. */
static const char *judge(int status)
{
	static char text[64];

	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return NULL;
	if (WIFSIGNALED(status))
		snprintf(text, sizeof(text), "the process ended by signal %d (%s)",
			 WTERMSIG(status), strsignal(WTERMSIG(status)));
	else
		snprintf(text, sizeof(text), "the process ended with code %d",
			 WEXITSTATUS(status));
	return text;
}

const char *child_run(const struct child_request *request, child_row row, void *context)
{
	static char failure[256];
	char line[256], name[NAME_BYTES];
	int status = 0, error;
	double cycles;
	FILE *from;
	pid_t pid;
	long step;

	error = start(request, &pid, &from);
	if (error)
		return strerror(error);
	failure[0] = '\0';
	while (from && fgets(line, sizeof(line), from)) {
		if (line[0] == '!')
			snprintf(failure, sizeof(failure), "%.*s", (int)strcspn(line + 1, "\n"),
				 line + 1);
		else if (sscanf(line, "%63s %ld %lf", name, &step, &cycles) == 3)
			row(context, name, step, cycles);
	}
	if (from)
		fclose(from);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		continue;
	return failure[0] ? failure : judge(status);
}

void child_report(const char *name, long step, double cycles)
{
	if (!isnan(cycles))
		printf("%s %ld %.6f\n", name, step, cycles);
}

int child_fail(const char *why)
{
	printf("!%s\n", why);
	return EXIT_FAILURE;
}
