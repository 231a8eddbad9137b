// SPDX-License-Identifier: MIT
/* usermm inspect, usermm top: run the program that has them (tools/inspect). */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "command.h"

static bool wants_help(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h"))
			return true;
	return false;
}

/* main() calls this with argv + 1, so there is room for the program's name in front. */
static int run_inspect(int argc, char **argv)
{
	const char *path = inspect_path();

	if (wants_help(argc, argv))
		return command_help(argv[0]);
	if (!path) {
		fprintf(stderr, "usermm %s: this usermm was built without it: it needs elfutils "
				"and jansson (Debian: libdw-dev, libjansson-dev)\n", argv[0]);
		return EXIT_NO_LIBRARY;
	}
	argv[-1] = (char *)"usermm-inspect";
	execv(path, argv - 1);
	fprintf(stderr, "usermm %s: %s: %s\n", argv[0], path, strerror(errno));
	return EXIT_NOT_EXECUTABLE;
}

int command_inspect(int argc, char **argv)
{
	return run_inspect(argc, argv);
}

int command_top(int argc, char **argv)
{
	return run_inspect(argc, argv);
}
