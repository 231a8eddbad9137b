// SPDX-License-Identifier: MIT
/* usermm run: a program with usermm as its malloc. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "arguments.h"
#include "command.h"

static const struct option long_options[] = {
	{ "options", required_argument, NULL, 'o' },
	HELP_OPTION,
	TABLE_END,
};

static const struct command_line line = {
	.command = "run",
	.help = "run",
	.options = "-o OPTIONS, --help",
	.table = long_options,
	.ends_at_word = true,
};

/*
 * LD_PRELOAD is split at spaces and colons, LD_LIBRARY_PATH at colons and semicolons: a library in
 * a folder with a space is preloaded by its name, and the folder is searched for it.
 */
static bool preload(const char *path)
{
	const char *name = strrchr(path, '/') + 1;
	char folder[PATH_MAX];

	if (!strchr(path, ' '))
		return join_variable("LD_PRELOAD", path, ':', true);
	if ((size_t)(name - path) > sizeof(folder))
		return false;
	snprintf(folder, sizeof(folder), "%.*s", (int)(name - path - 1), path);
	return join_variable("LD_LIBRARY_PATH", folder, ':', true) &&
	       join_variable("LD_PRELOAD", name, ':', true);
}

/* Puts the library in front of LD_PRELOAD; an exit code, 0 if that worked. */
static int set_preload(void)
{
	const char *path = preload_path();

	if (!path) {
		fprintf(stderr, "usermm run: " PRELOAD_LIBRARY " is neither beside usermm nor "
				"in ../lib\n");
		return EXIT_NO_LIBRARY;
	}
	if (strchr(path, ':') || (strchr(path, ' ') && strchr(path, ';'))) {
		fprintf(stderr, "usermm run: %s cannot be preloaded: its path has a colon in it, "
				"or a space and a semicolon; move it\n", path);
		return EXIT_NO_LIBRARY;
	}
	if (!preload(path)) {
		fprintf(stderr, "usermm run: out of memory\n");
		return EXIT_NO_LIBRARY;
	}
	return 0;
}

int command_run(int argc, char **argv)
{
	int code = take_arguments(&line, argc, argv, NULL);

	if (code >= 0)
		return code;
	if (optind >= argc) {
		fprintf(stderr, "usermm run: no program given; usage: usermm run [-o OPTIONS] "
				"-- PROGRAM [ARGUMENT...]\n");
		return EXIT_USAGE;
	}
	code = set_preload();
	if (code)
		return code;
	execvp(argv[optind], argv + optind);
	code = errno == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE;
	fprintf(stderr, "usermm run: %s: %s\n", argv[optind], strerror(errno));
	return code;
}
