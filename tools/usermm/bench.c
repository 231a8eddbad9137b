// SPDX-License-Identifier: MIT
/* usermm bench: reads the options and runs the chosen suites of bench/. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../../bench/bench.h"
#include "arguments.h"
#include "command.h"
#include "say.h"

#define MAX_SUITES 32
/* Defaults and limits for suite soak. The limits catch typing errors. */
#define SOAK_SECONDS 600
#define SOAK_LIVE_MIB 370
#define MAX_SECONDS 86400ul
#define MAX_LIVE_MIB 16384ul

enum { KEY_JSON = 256, KEY_LIVE_MIB, KEY_PEERS, KEY_QUICK, KEY_SECONDS };

static bool take_option(const struct command *command, int key, const char *value, void *context)
{
	struct bench_request *request = context;

	if (key == KEY_JSON)
		request->json_path = value;
	else if (key == KEY_PEERS)
		request->peers = value;
	else if (key == KEY_SECONDS)
		return take_number(command, "seconds", value, MAX_SECONDS, &request->seconds);
	else if (key == KEY_LIVE_MIB)
		return take_number(command, "live-mib", value, MAX_LIVE_MIB, &request->live_mib);
	else
		request->quick = true;
	return true;
}

static void complain_of_suite(const char *name)
{
	say(stderr, "usermm bench: unknown suite '%s'; suites:", name);
	for (unsigned int i = 0; bench_suite(i); i++)
		say(stderr, " %s", bench_suite(i)->name);
	say(stderr, "\n");
}

/* The suites named on the command line, each once, or all. False if a name is unknown. */
static bool choose(int argc, char **argv, const struct bench_suite **suites, unsigned int *nr)
{
	*nr = 0;
	for (int i = optind; i < argc; i++) {
		const struct bench_suite *suite = bench_find_suite(argv[i]);
		bool known = false;

		if (!suite) {
			complain_of_suite(argv[i]);
			return false;
		}
		for (unsigned int j = 0; j < *nr; j++)
			known |= suites[j] == suite;
		if (!known)
			suites[(*nr)++] = suite;
	}
	if (!*nr)
		for (unsigned int i = 0; *nr < MAX_SUITES && bench_suite(i); i++)
			if (!bench_suite(i)->only_by_name)
				suites[(*nr)++] = bench_suite(i);
	return true;
}

/* A folder that was named has to be one, or the peers would silently be missing. */
static bool is_folder(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0) {
		say(stderr, "usermm bench: --peers: %s: %s\n", path, strerror(errno));
		return false;
	}
	close(fd);
	return true;
}

static int run_bench(int argc, char **argv)
{
	const struct bench_suite *suites[MAX_SUITES];
	struct bench_request request = { .suites = suites, .seconds = SOAK_SECONDS,
					 .live_mib = SOAK_LIVE_MIB };
	int code = take_arguments(&command_bench, argc, argv, &request);

	if (code >= 0)
		return code;
	if (!choose(argc, argv, suites, &request.nr_suites) ||
	    (request.peers && !is_folder(request.peers)))
		return EXIT_USAGE;
	request.preload = preload_path();
	request.compile_trace = compile_trace_path();
	if (!request.peers)
		request.peers = peers_path();
	return bench_execute(&request);
}

static const char *nth_suite(unsigned int i, const char **help)
{
	const struct bench_suite *suite = bench_suite(i);

	if (!suite)
		return NULL;
	*help = suite->help;
	return suite->name;
}

static const struct command_option option_table[] = {
	{ KEY_JSON, "json", "FILE",
	  "also write the figures to FILE, as JSON; with `-` to standard output, and the tables to "
	  "standard error" },
	{ KEY_LIVE_MIB, "live-mib", "N",
	  "MiB that suite soak keeps allocated (370); with less than 250, usermm may need more "
	  "than 1.25 times as much" },
	{ KEY_PEERS, "peers", "FOLDER",
	  "suite malloc also compares with the allocators in FOLDER, which `make bench-peers` "
	  "builds (peers, beside this program)" },
	{ KEY_QUICK, "quick", NULL, "take every figure from one process instead of several" },
	{ KEY_SECONDS, "seconds", "N", "seconds for each allocator in suite soak (600)" },
	{ 'o', "options", "OPTIONS", OPTIONS_HELP },
	{ 0 },
};

static const struct command_exit exits[] = {
	{ .meaning = "all suites ran" },
	{ .status = 1,
	  .meaning = "in suite soak, usermm needs more than 1.25 times the live memory" },
	{ .status = EXIT_USAGE },
	{ .status = EXIT_NO_OUTPUT },
	{ 0 },
};

static const struct command_example examples[] = {
	{ "usermm bench", "runs all suites but soak: some minutes" },
	{ "usermm bench kmalloc page-bulk --quick", "runs two suites, fast" },
	{ "usermm bench --json new.json", "keeps the figures for `usermm report`" },
	{ "usermm bench soak --seconds 60", "one thread allocates and another frees, for a minute "
	  "under each allocator" },
	{ 0 },
};

const struct command command_bench = {
	.name = "bench",
	.words = "[SUITE...]",
	.summary = "measure the allocators, and show the figures to compare them with",
	.text = "Runs the suites named, or all of them, and prints a table for each. Suite soak "
		"runs only if it is named. On a terminal, a line shows which suite runs.",
	.options = option_table,
	.exits = exits,
	.examples = examples,
	.word_type = "SUITE",
	.word = nth_suite,
	.take = take_option,
	.run = run_bench,
};

/* Not for people: a suite starts this process for a part of its work. */
static int run_child(int argc, char **argv)
{
	if (argc != 3)
		return EXIT_USAGE;
	return bench_execute_child(argv[1], argv[2]);
}

const struct command command_bench_child = {
	.name = "bench-child",
	.run = run_child,
};
