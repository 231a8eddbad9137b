// SPDX-License-Identifier: MIT
/* usermm inspect, usermm top: run the program that has them (tools/inspect), and profile. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "inspect_tables.h"

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
		fprintf(stderr, "usermm %s: usermm-inspect is neither beside usermm nor in "
				"../libexec/usermm: install Debian's usermm-tools, or build usermm "
				"with elfutils and jansson (libdw-dev, libjansson-dev)\n", argv[0]);
		return EXIT_NO_LIBRARY;
	}
	argv[-1] = (char *)"usermm-inspect";
	execv(path, argv - 1);
	fprintf(stderr, "usermm %s: %s: %s\n", argv[0], path, strerror(errno));
	return EXIT_NOT_EXECUTABLE;
}

static const struct command_exit inspect_exits[] = {
	{ "0", "all is well" },
	{ "1", "`leaks` found some" },
	EXIT_STATUS_USAGE,
	{ "3", "there is no such process or file" },
	{ "4", "no permission to read the process" },
	{ "5", "the process has no usermm in it" },
	{ "6", "it has another version of usermm" },
	{ "7", "the file is no core, or a damaged one, or lacks what is wanted" },
	{ "8", "the heap is damaged" },
	{ "9", "the process has ended meanwhile" },
	{ "10", "there is no block at the address" },
	{ "11", "there is no memory, or the output cannot be written" },
	{ "12", "`owners`: the process keeps none" },
	{ "125", "usermm-inspect is not installed" },
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
	.exits = inspect_exits,
	.examples = inspect_examples,
	.word_type = "COMMAND",
	.word = inspect_word,
	.run = run_inspect,
};

static const struct command_exit top_exits[] = {
	{ "0", "all pictures were shown, or the user ended it" },
	EXIT_STATUS_USAGE,
	{ "3", "there is no such process or file" },
	{ "4", "no permission to read the process" },
	{ "5", "the process has no usermm in it" },
	{ "6", "it has another version of usermm" },
	{ "7", "the file is no core, or a damaged one" },
	{ "9", "the process has ended meanwhile" },
	{ "11", "there is no memory, or the output cannot be written" },
	{ "125", "usermm-inspect is not installed" },
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
	.exits = top_exits,
	.examples = top_examples,
	.run = run_inspect,
};
