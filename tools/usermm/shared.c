// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/compiler.h"
#include "command.h"
#include "usermm/usermm.h"

const char *preload_path(void)
{
	static const char *const folders[] = { ".", "../lib", "../lib64" };
	static char path[PATH_MAX];
	char program[PATH_MAX], candidate[PATH_MAX + 64];
	ssize_t length = readlink("/proc/self/exe", program, sizeof(program) - 1);
	char *slash;

	if (length <= 0)
		return NULL;
	program[length] = '\0';
	slash = strrchr(program, '/');
	if (!slash)
		return NULL;
	*slash = '\0';
	for (unsigned int i = 0; i < ARRAY_SIZE(folders); i++) {
		snprintf(candidate, sizeof(candidate), "%s/%s/" PRELOAD_LIBRARY, program,
			 folders[i]);
		if (realpath(candidate, path) && !access(path, R_OK))
			return path;
	}
	return NULL;
}

bool join_variable(const char *name, const char *value, char separator, bool first)
{
	const char *old = getenv(name);
	char *joined;
	int error;

	if (!old || !*old)
		return !setenv(name, value, 1);
	if (asprintf(&joined, "%s%c%s", first ? value : old, separator, first ? old : value) < 0)
		return false;
	error = setenv(name, joined, 1);
	free(joined);
	return !error;
}

bool take_options(const char *command, const char *text)
{
	const char *error = NULL;

	if (usermm_set_options(text, &error)) {
		fprintf(stderr, "usermm %s: %s\n", command, error ? error : "bad options");
		return false;
	}
	if (!join_variable("USERMM_OPTIONS", text, ':', false)) {
		fprintf(stderr, "usermm %s: out of memory\n", command);
		return false;
	}
	return true;
}

const char *unknown_option(char **argv)
{
	static char text[3];

	if (!optopt)
		return argv[optind - 1];
	snprintf(text, sizeof(text), "-%c", optopt);
	return text;
}
