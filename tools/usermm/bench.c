// SPDX-License-Identifier: MIT
/* usermm bench: chooses the suites and hands over to bench/. */
#include <stdio.h>

#include "../../bench/bench.h"
#include "arguments.h"
#include "command.h"

#define MAX_SUITES 32

static const struct option long_options[] = {
	{ "json", required_argument, NULL, 'j' },
	{ "options", required_argument, NULL, 'o' },
	HELP_OPTION,
	TABLE_END,
};

static bool take_option(const struct command_line *line, int option, const char *value,
			void *context)
{
	struct bench_request *request = context;

	(void)line, (void)option;	/* there is one */
	request->json_path = value;
	return true;
}

static const struct command_line line = {
	.command = "bench",
	.help = "bench",
	.options = "--json FILE, -o OPTIONS, --help",
	.table = long_options,
	.take = take_option,
};

static void complain_of_suite(const char *name)
{
	fprintf(stderr, "usermm bench: unknown suite '%s'; suites:", name);
	for (unsigned int i = 0; bench_suite(i); i++)
		fprintf(stderr, " %s", bench_suite(i)->name);
	fprintf(stderr, "\n");
}

/* The suites named, each once, or all of them; false if a name is unknown. */
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
		while (*nr < MAX_SUITES && bench_suite(*nr)) {
			suites[*nr] = bench_suite(*nr);
			(*nr)++;
		}
	return true;
}

int command_bench(int argc, char **argv)
{
	const struct bench_suite *suites[MAX_SUITES];
	struct bench_request request = { .suites = suites };
	int code = take_arguments(&line, argc, argv, &request);

	if (code >= 0)
		return code;
	if (!choose(argc, argv, suites, &request.nr_suites))
		return EXIT_USAGE;
	request.preload = preload_path();
	request.compile_trace = compile_trace_path();
	return bench_execute(&request);
}

/* Not for people: the process that a suite starts for a part of itself. */
int command_bench_child(int argc, char **argv)
{
	if (argc != 3)
		return EXIT_USAGE;
	return bench_execute_child(argv[1], argv[2]);
}
