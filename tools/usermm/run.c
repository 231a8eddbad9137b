// SPDX-License-Identifier: MIT
/* usermm run: runs a program with usermm as its malloc. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../../bench/preload.h"
#include "arguments.h"
#include "command.h"
#include "percpu/rseq/mode.h"

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

/* Puts the library in front of LD_PRELOAD. Returns 0 or an exit code. */
static int set_preload(void)
{
	const char *path = preload_path();
	struct preload preload;

	if (!path) {
		fprintf(stderr, "usermm run: " PRELOAD_LIBRARY " is neither beside usermm nor "
				"in ../lib; build or install it there\n");
		return EXIT_NO_LIBRARY;
	}
	if (!preload_by_environment(&preload, path)) {
		fprintf(stderr, "usermm run: %s cannot be preloaded: its path has a colon, or a "
				"semicolon beside a space; install it elsewhere\n", path);
		return EXIT_NO_LIBRARY;
	}
	if (!join_variable("LD_PRELOAD", preload.name, ':', true) ||
	    (*preload.folder &&
	     !join_variable("LD_LIBRARY_PATH", preload.folder, ':', true))) {
		fprintf(stderr, "usermm run: out of memory\n");
		return EXIT_NO_LIBRARY;
	}
	return 0;
}

/* Tells about a kernel bug that makes the program slower. The program runs nevertheless. */
static void tell_kernel_fault(void)
{
	const char *fault = percpu_init() ? NULL : mode_kernel_fault();

	if (fault)
		fprintf(stderr, "usermm run: %s\n", fault);
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
	tell_kernel_fault();
	execvp(argv[optind], argv + optind);
	code = errno == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE;
	fprintf(stderr, "usermm run: %s: %s\n", argv[optind], strerror(errno));
	return code;
}
