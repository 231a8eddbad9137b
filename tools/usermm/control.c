// SPDX-License-Identifier: MIT
/* usermm control: the program of `usermm inspect` has it (tools/control). */
#include "command.h"
#include "inspect_tables.h"

static const struct command_exit exits[] = {
	{ .meaning = "the process has answered, and has done all" },
	{ .status = EXIT_USAGE },
	{ .status = EXIT_NO_PROCESS },
	{ .status = EXIT_NO_PERMISSION },
	{ .status = EXIT_NO_USERMM },
	{ .status = EXIT_OTHER_VERSION },
	{ .status = EXIT_ENDED },
	{ .status = EXIT_NO_OUTPUT },
	{ .status = EXIT_NO_MEMORY },
	{ .status = EXIT_TRACED },
	{ .status = EXIT_NO_REQUESTS },
	{ .status = EXIT_REFUSED },
	{ .status = EXIT_TIME_UP },
	{ .status = EXIT_NO_LIBRARY },
	{ 0 },
};

static const struct command_example examples[] = {
	{ "usermm run -o control=on -- redis-server", "start a program that can be asked" },
	{ "usermm control 1234", "what can be read, and the values in force" },
	{ "usermm control 1234 purge=0", "give all free memory back to the system" },
	{ "usermm control 1234 profile=on", "sample the heap from now on; `usermm inspect 1234 "
	  "owners` shows who has it" },
	{ "usermm control 1234 limit=512M stats.allocated_bytes", "several at once, in turn" },
	{ 0 },
};

const struct command command_control = {
	.name = "control",
	.words = "PID [NAME[=VALUE]...]",
	.summary = "read and change the controls of a running process",
	.text = "Asks a process that was started with `control=on`. Its background thread carries "
		"out what usermm_control() does in the program itself, and answers. Without NAME: "
		"all controls that can be read. A NAME is read; NAME=VALUE is written. Bytes may "
		"have a K, M, G or T behind them. Counters are names as well, as "
		"stats.allocated_bytes; docs/statistics.md has them all.\n\n"
		"Who asks needs the right to debug the process (ptrace(2)): to be its user, or "
		"root. A child that a process forks answers for itself. Several requests at a time "
		"wait for each other.",
	.options = control_option_table,
	.exits = exits,
	.examples = examples,
	.word_type = "NAME",
	.word = control_word,
	.run = run_inspect,
};
