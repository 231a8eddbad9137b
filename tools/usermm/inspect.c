// SPDX-License-Identifier: MIT
/* usermm inspect, usermm top: run the program that has them (tools/inspect). */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "inspect_tables.h"
#include "say.h"

static bool wants_help(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h"))
			return true;
	return false;
}

/* main() calls this with argv + 1, so there is room for the program's name in front. */
int run_inspect(int argc, char **argv)
{
	const char *path = inspect_path();

	if (wants_help(argc, argv))
		return help_command(command_find(1, argv));
	if (!path) {
		say(stderr, "usermm %s: usermm-inspect is neither beside usermm nor in "
		    "../libexec/usermm: install Debian's usermm-tools, or build usermm with "
		    "elfutils and jansson (libdw-dev, libjansson-dev)\n", argv[0]);
		return EXIT_NO_LIBRARY;
	}
	argv[-1] = (char *)"usermm-inspect";
	execv(path, argv - 1);
	say(stderr, "usermm %s: %s: %s\n", argv[0], path, strerror(errno));
	return EXIT_NOT_EXECUTABLE;
}

static const struct command_exit inspect_exits[] = {
	{ .meaning = "all is well" },
	{ .status = 1, .meaning = "`leaks` found some" },
	{ .status = EXIT_USAGE },
	{ .status = EXIT_NO_PROCESS },
	{ .status = EXIT_NO_PERMISSION },
	{ .status = EXIT_NO_USERMM },
	{ .status = EXIT_OTHER_VERSION },
	{ .status = EXIT_CUT_CORE },
	{ .status = EXIT_DAMAGED },
	{ .status = EXIT_ENDED },
	{ .status = EXIT_NO_BLOCK },
	{ .status = EXIT_NO_OUTPUT },
	{ .status = EXIT_NO_INPUT },
	{ .status = EXIT_BAD_INPUT },
	{ .status = EXIT_NO_OWNERS },
	{ .status = EXIT_NO_MEMORY },
	{ .status = EXIT_TRACED },
	{ .status = EXIT_NO_LIBRARY },
	{ 0 },
};

static const struct command_example inspect_examples[] = {
	{ "usermm inspect 1234", "the totals of process 1234" },
	{ "usermm inspect 1234 caches --sort waste", "where memory is that is not in use" },
	{ "usermm inspect 1234 leaks --json", "exit status 1 if there are leaks, for CI" },
	{ "usermm inspect core.1234 whatis 0x7f0012345680", "which block that is in a core dump" },
	{ 0 },
};

const struct command command_inspect = {
	.name = "inspect",
	.words = "PID|CORE [COMMAND [ADDRESS]]",
	.summary = "look into a process or a core dump from outside",
	.text = "Reads the allocator's memory of a process, or of an ELF core, while the process "
		"goes on. It need not have been started in a special way.",
	.options = inspect_option_table,
	.rules = inspect_rules,
	.exits = inspect_exits,
	.examples = inspect_examples,
	.word_type = "COMMAND",
	.word = inspect_word,
	.run = run_inspect,
};

static const struct command_exit top_exits[] = {
	{ .meaning = "all pictures were shown, or the user or a signal (INT, TERM, HUP) ended it" },
	{ .status = EXIT_USAGE },
	{ .status = EXIT_NO_PROCESS },
	{ .status = EXIT_NO_PERMISSION },
	{ .status = EXIT_NO_USERMM },
	{ .status = EXIT_OTHER_VERSION },
	{ .status = EXIT_ENDED },
	{ .status = EXIT_NO_OUTPUT },
	{ .status = EXIT_NO_MEMORY },
	{ .status = EXIT_NO_LIBRARY },
	{ 0 },
};

static const struct command_example top_examples[] = {
	{ "usermm top", "all processes on usermm, again and again" },
	{ "usermm top 1234", "the caches of process 1234" },
	{ "usermm top 1234 -b -n 1 --sort waste", "one picture, for a script" },
	{ 0 },
};

const struct command command_top = {
	.name = "top",
	.words = "[PID]",
	.summary = "show the caches of a process, or all processes on usermm",
	.text = "Without PID: the processes that run on usermm, with their memory. With PID: its "
		"totals, zones and caches, as slabtop(1) shows the kernel's. A process that is "
		"stopped or hangs can be looked at as well.",
	.options = top_option_table,
	.rules = top_rules,
	.exits = top_exits,
	.examples = top_examples,
	.run = run_inspect,
};
