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
#include "privileges.h"
#include "program.h"
#include "say.h"

/* Puts the library in front of LD_PRELOAD. Returns 0 or an exit code. */
static int set_preload(void)
{
	const char *path = preload_path();
	struct preload preload;

	if (!path) {
		say(stderr, "usermm run: " PRELOAD_LIBRARY " is neither beside usermm nor in "
		    "../lib; build or install it there\n");
		return EXIT_NO_LIBRARY;
	}
	if (!preload_by_environment(&preload, path)) {
		say(stderr, "usermm run: %s cannot be preloaded: its path has a colon, or a "
		    "semicolon beside a space; install it elsewhere\n", path);
		return EXIT_NO_LIBRARY;
	}
	if (!join_variable("LD_PRELOAD", preload.name, ':', true) ||
	    (*preload.folder &&
	     !join_variable("LD_LIBRARY_PATH", preload.folder, ':', true))) {
		say(stderr, "usermm run: out of memory\n");
		return EXIT_NO_LIBRARY;
	}
	return 0;
}

/* Tells what makes the program slower than was asked for. It runs nevertheless. */
static void tell_mode(void)
{
	if (percpu_init())
		return;
	if (mode_kernel_fault())
		say(stderr, "usermm run: %s\n", mode_kernel_fault());
	if (refused_rseq())
		say(stderr, "usermm run: rseq=%s is refused: %s\n", refused_rseq(),
		    percpu_mode_reason());
}

/* Tells why the program keeps its own malloc. Returns whether the library would end it. */
static bool would_end(const char *name)
{
	const char *own = linker_of_this();
	struct program program;

	program_read(name, &program);
	if (program.linking == LINKING_DYNAMIC && own && linkers_differ(own, program.linker)) {
		say(stderr, "usermm run: %s needs %s, and this usermm %s, which is another libc's: "
		    "it runs with its own malloc; build usermm with that libc\n", program.path,
		    program.linker, own);
		return true;
	}
	if (privileges_are_raised(program.path))
		say(stderr, "usermm run: %s starts with raised privileges (set-user-ID, "
		    "set-group-ID, or file capabilities) and so ignores LD_PRELOAD: it runs with "
		    "its own malloc; link it with libusermm_malloc, or let it start usermm run, as "
		    "`sudo usermm run` does\n", program.path);
	else if (program.linking == LINKING_STATIC)
		say(stderr, "usermm run: %s is static: it runs with its own malloc, and programs "
		    "that it starts with usermm's; link it with libusermm_malloc.a\n",
		    program.path);
	return false;
}

static int run_program(int argc, char **argv)
{
	int code = take_arguments(&command_run, argc, argv, NULL);

	if (code >= 0)
		return code;
	if (optind >= argc) {
		say(stderr, "usermm run: no program given; usage: usermm run [-o OPTIONS] -- "
		    "PROGRAM [ARGUMENT...]\n");
		return EXIT_USAGE;
	}
	if (!would_end(argv[optind])) {
		code = set_preload();
		if (code)
			return code;
		tell_mode();
	}
	execvp(argv[optind], argv + optind);
	code = errno == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE;
	say(stderr, "usermm run: %s: %s\n", argv[optind], strerror(errno));
	return code;
}

static const struct command_option option_table[] = {
	{ 'o', "options", "OPTIONS", OPTIONS_HELP "; they are appended to USERMM_OPTIONS" },
	{ 0 },
};

static const struct command_exit exits[] = {
	{ .status = EXIT_USAGE },
	{ .status = EXIT_NO_OUTPUT },
	{ .status = EXIT_NO_LIBRARY },
	{ .status = EXIT_NOT_EXECUTABLE },
	{ .status = EXIT_NOT_FOUND },
	{ .name = "else", .meaning = "PROGRAM's own" },
	{ 0 },
};

static const struct command_example examples[] = {
	{ "usermm run -- python3 script.py", "the script runs with usermm's malloc" },
	{ "usermm run -o stats=1 -- sort /etc/passwd",
	  "shows slabinfo, buddyinfo and totals on stderr when sort ends" },
	{ "usermm run -o hardened=1:limit=2G -- ./server",
	  "checks every block, and gives the server 2 GiB at most" },
	{ 0 },
};

const struct command command_run = {
	.name = "run",
	.words = "[--] PROGRAM [ARGUMENT...]",
	.summary = "run a program with usermm as its malloc",
	.text = "Runs PROGRAM with " PRELOAD_LIBRARY " in front of LD_PRELOAD. "
		"`usermm doctor --options` lists the library's options. A program of another libc "
		"(musl), a static one, and one that starts with raised privileges (set-user-ID) "
		"run without it, and one line says so.",
	.options = option_table,
	.exits = exits,
	.examples = examples,
	.ends_at_word = true,
	.run = run_program,
};
