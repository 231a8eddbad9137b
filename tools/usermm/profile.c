// SPDX-License-Identifier: MIT
/* usermm profile: the program of `usermm inspect` has it (tools/profile). */
#include "command.h"
#include "inspect_tables.h"

static const struct command_exit exits[] = {
	{ .meaning = "the profile was shown, or the file is written" },
	EXITS_OF_PAGES,
	{ 0 },
};

static const struct command_example examples[] = {
	{ "usermm profile heap.1234", "the functions that have most of the heap" },
	{ "usermm profile heap.1234.2 heap.1234.1 -o growth.html",
	  "what grew between the two, as a flame graph and a table" },
	{ "usermm profile heap.1234 -o heap.pb.gz && go tool pprof heap.pb.gz",
	  "the same for pprof, and for services that take its profiles" },
	{ 0 },
};

const struct command command_profile = {
	.name = "profile",
	.words = "FILE [OLD_FILE]",
	.summary = "show who has the heap, or what grew, from profiles",
	.text = "Reads a file that the option `profile=` or usermm_heap_profile() has written, and "
		"shows which functions asked for how much memory. Figures are estimates from "
		"samples. With OLD_FILE, an older profile of the same program, it shows how much "
		"more each function has now.\n\n"
		"Without -o it prints the functions that have most: `self` is what a function "
		"asked for, `total` includes the functions that it called. With -o it writes one "
		"page of HTML with a flame graph and a table, which needs no network and no other "
		"file; or, by the ending of the name, pprof's protocol buffers.\n\n"
		"Names of functions come from the files that the process had mapped, and from "
		"debugging files that are installed. Call it where these files are. The flame "
		"graph is drawn by d3 (ISC licence) and d3-flame-graph (Apache 2.0), which are "
		"inside of the page.",
	.options = profile_option_table,
	.rules = profile_rules,
	.exits = exits,
	.examples = examples,
	.run = run_inspect,
};
