// SPDX-License-Identifier: MIT
/* usermm run: a program with usermm as its malloc. */
#define _GNU_SOURCE
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "command.h"

static const struct option long_options[] = {
	{ "options", required_argument, NULL, 'o' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

/* Puts the library in front of LD_PRELOAD; an exit code, 0 if that worked. */
static int set_preload(void)
{
	const char *path = preload_path();

	if (!path) {
		fprintf(stderr, "usermm run: " PRELOAD_LIBRARY " is neither beside usermm nor "
				"in ../lib\n");
		return EXIT_NO_LIBRARY;
	}
	/* The dynamic linker splits the variable at these. */
	if (strpbrk(path, " :")) {
		fprintf(stderr, "usermm run: %s cannot be preloaded: its path has a space or a "
				"colon in it\n", path);
		return EXIT_NO_LIBRARY;
	}
	if (!join_variable("LD_PRELOAD", path, ':', true)) {
		fprintf(stderr, "usermm run: out of memory\n");
		return EXIT_NO_LIBRARY;
	}
	return 0;
}

int command_run(int argc, char **argv)
{
	int option, code;

	opterr = 0;
	optind = 1;
	while ((option = getopt_long(argc, argv, "+:o:h", long_options, NULL)) != -1) {
		switch (option) {
		case 'o':
			if (!take_options("run", optarg))
				return EXIT_USAGE;
			break;
		case 'h':
			return command_help("run");
		case ':':
			fprintf(stderr, "usermm run: option '%s' needs a value\n",
				argv[optind - 1]);
			return EXIT_USAGE;
		default:
			fprintf(stderr, "usermm run: unknown option '%s'; there are -o OPTIONS "
					"and --help\n", unknown_option(argv));
			return EXIT_USAGE;
		}
	}
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
