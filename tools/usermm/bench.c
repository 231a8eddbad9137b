// SPDX-License-Identifier: MIT
/* usermm bench: chooses the suites and hands over to bench/. */
#define _GNU_SOURCE
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "../../bench/bench.h"
#include "command.h"

#define MAX_SUITES 32

static const struct option long_options[] = {
	{ "json", required_argument, NULL, 'j' },
	{ "options", required_argument, NULL, 'o' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

/* One line: what is wrong, and what there is instead. */
static int complain(const char *what, const char *text)
{
	fprintf(stderr, "usermm bench: %s '%s'; options: --json FILE, -o OPTIONS, --help; "
			"suites:", what, text);
	for (unsigned int i = 0; bench_suite(i); i++)
		fprintf(stderr, " %s", bench_suite(i)->name);
	fprintf(stderr, "\n");
	return EXIT_USAGE;
}

/* The suites named, each once, or all of them; false if a name is unknown. */
static bool choose(int argc, char **argv, const struct bench_suite **suites, unsigned int *nr)
{
	*nr = 0;
	for (int i = optind; i < argc; i++) {
		const struct bench_suite *suite = bench_find_suite(argv[i]);
		bool known = false;

		if (!suite) {
			complain("unknown suite", argv[i]);
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
	int option;

	opterr = 0;
	optind = 1;
	while ((option = getopt_long(argc, argv, ":o:h", long_options, NULL)) != -1) {
		switch (option) {
		case 'j':
			request.json_path = optarg;
			break;
		case 'o':
			if (!take_options("bench", optarg))
				return EXIT_USAGE;
			break;
		case 'h':
			return command_help("bench");
		case ':':
			return complain("no value for option", argv[optind - 1]);
		default:
			return complain("unknown option", unknown_option(argv));
		}
	}
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
