// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/compiler.h"
#include "os/os.h"
#include "preload.h"
#include "progress.h"
#include "measure/timing.h"

#define NAME_BYTES 64
/* LD_PRELOAD, LD_LIBRARY_PATH, the request's variable, USERMM_OPTIONS. */
#define MADE_VARIABLES 4

/* The child's environment: first the variables made for it, then this process's others. */
struct environment {
	char **all;
	unsigned int nr_made;
};

static void free_environment(struct environment *environment)
{
	for (unsigned int i = 0; i < environment->nr_made; i++)
		free(environment->all[i]);
	free(environment->all);
}

/* Adds NAME=FIRST SEPARATOR LAST. If a part is NULL or empty, it and the separator are left out. */
static bool make_variable(struct environment *environment, const char *name, const char *first,
			  const char *separator, const char *last)
{
	bool both = first && *first && last && *last;

	if (asprintf(&environment->all[environment->nr_made], "%s=%s%s%s", name,
		     first ? first : "", both ? separator : "", last ? last : "") < 0)
		return false;
	environment->nr_made++;
	return true;
}

static bool is_made(const struct environment *environment, const char *entry)
{
	size_t length = strcspn(entry, "=") + 1;

	for (unsigned int i = 0; i < environment->nr_made; i++)
		if (!strncmp(entry, environment->all[i], length))
			return true;
	return false;
}

static bool is_variable(const char *entry, const char *name)
{
	size_t length = strlen(name);

	return !strncmp(entry, name, length) && entry[length] == '=';
}

static bool make_variables(struct environment *environment, const struct child_request *request,
			   const struct preload *preload)
{
	if (request->preload && !make_variable(environment, "LD_PRELOAD", preload->name, "", ""))
		return false;
	if (*preload->folder && !make_variable(environment, "LD_LIBRARY_PATH", preload->folder,
					       ":", getenv("LD_LIBRARY_PATH")))
		return false;
	if (request->variable) {
		environment->all[environment->nr_made] = strdup(request->variable);
		if (!environment->all[environment->nr_made])
			return false;
		environment->nr_made++;
	}
	return make_variable(environment, "USERMM_OPTIONS", getenv("USERMM_OPTIONS"), ":",
			     request->options);
}

/* Builds the environment that the request asks for. 0 or an errno value. */
static int build_environment(struct environment *environment, const struct child_request *request)
{
	struct preload preload = { .folder = "" };
	size_t nr = 0, used;

	*environment = (struct environment){ 0 };
	if (request->preload && !preload_by_environment(&preload, request->preload))
		return EINVAL;
	while (environ[nr])
		nr++;
	environment->all = calloc(nr + MADE_VARIABLES + 1, sizeof(*environment->all));
	if (!environment->all)
		return ENOMEM;
	if (!make_variables(environment, request, &preload)) {
		free_environment(environment);
		return ENOMEM;
	}
	used = environment->nr_made;
	for (size_t i = 0; i < nr; i++)
		if (!is_variable(environ[i], "LD_PRELOAD") && !is_made(environment, environ[i]))
			environment->all[used++] = environ[i];
	return 0;
}

/* Starts the child with its standard output connected to a pipe. 0 or an errno value. */
static int start(const struct child_request *request, pid_t *pid, FILE **from)
{
	char *const argv[] = { "usermm", "bench-child", (char *)request->suite,
			       (char *)(request->arg ? request->arg : ""), NULL };
	posix_spawn_file_actions_t actions;
	struct environment environment;
	char program[OS_PROGRAM_PATH_BYTES];
	int ends[2], error = build_environment(&environment, request);

	*from = NULL;
	if (error)
		return error;
	if (pipe2(ends, O_CLOEXEC)) {
		error = errno;
		free_environment(&environment);
		return error;
	}
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
	os_program_file(program);
	timing_unpin();		/* the child inherits the CPUs */
	error = posix_spawn(pid, program, &actions, NULL, argv, environment.all);
	timing_pin(timing_cpu(0));
	posix_spawn_file_actions_destroy(&actions);
	free_environment(&environment);
	close(ends[1]);
	if (!error)
		*from = fdopen(ends[0], "r");
	if (!*from)
		close(ends[0]);
	return error;
}

/* What went wrong in the child, by its exit status; NULL if nothing did. */
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

/* The child's next line; false at the end. While there is none, the progress is shown. */
static bool read_line(FILE *from, char *line, int bytes)
{
	struct pollfd ready = { .fd = fileno(from), .events = POLLIN };

	while (poll(&ready, 1, 1000) == 0)
		progress_tick();
	return fgets(line, bytes, from) != NULL;
}

/* line is NAME TEXT. */
static void take_note(const struct child_request *request, char *line, void *context)
{
	char *text = strchr(line, ' ');

	if (!request->note || !text)
		return;
	*text++ = '\0';
	text[strcspn(text, "\n")] = '\0';
	request->note(context, line, text);
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
	while (from && read_line(from, line, sizeof(line))) {
		if (line[0] == '!')
			snprintf(failure, sizeof(failure), "%.*s", (int)strcspn(line + 1, "\n"),
				 line + 1);
		else if (line[0] == '=')
			take_note(request, line + 1, context);
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

void child_note(const char *name, const char *text)
{
	printf("=%s %s\n", name, text);
}

int child_fail(const char *why)
{
	printf("!%s\n", why);
	return EXIT_FAILURE;
}
