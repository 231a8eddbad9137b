// SPDX-License-Identifier: MIT
/* usermm bench: reads the options and runs the chosen suites of bench/. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "../../bench/bench.h"
#include "arguments.h"
#include "command.h"

#define MAX_SUITES 32
/* Defaults and limits for suite soak. The limits catch typing errors. */
#define SOAK_SECONDS 600
#define SOAK_LIVE_MIB 370
#define MAX_SECONDS 86400ul
#define MAX_LIVE_MIB 16384ul

static const struct option long_options[] = {
	{ "json", required_argument, NULL, 'j' },
	{ "options", required_argument, NULL, 'o' },
	{ "live-mib", required_argument, NULL, 'l' },
	{ "peers", required_argument, NULL, 'p' },
	{ "quick", no_argument, NULL, 'q' },
	{ "seconds", required_argument, NULL, 's' },
	HELP_OPTION,
	TABLE_END,
};

/* A whole number from 1 to most. */
static bool take_number(const char *name, const char *value, unsigned long most,
			unsigned long *number)
{
	char *end;

	errno = 0;
	*number = strtoul(value, &end, 10);
	if (!errno && *value >= '0' && *value <= '9' && !*end && *number && *number <= most)
		return true;
	fprintf(stderr, "usermm bench: --%s takes 1 to %lu, not '%s'\n", name, most, value);
	return false;
}

static bool take_option(const struct command_line *line, int option, const char *value,
			void *context)
{
	struct bench_request *request = context;

	(void)line;
	if (option == 'j')
		request->json_path = value;
	else if (option == 'p')
		request->peers = value;
	else if (option == 's')
		return take_number("seconds", value, MAX_SECONDS, &request->seconds);
	else if (option == 'l')
		return take_number("live-mib", value, MAX_LIVE_MIB, &request->live_mib);
	else
		request->quick = true;
	return true;
}

static const struct command_line line = {
	.command = "bench",
	.help = "bench",
	.options = "--json FILE, --live-mib N, --peers FOLDER, --quick, --seconds N, -o OPTIONS, "
		   "--help",
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

int command_bench(int argc, char **argv)
{
	const struct bench_suite *suites[MAX_SUITES];
	struct bench_request request = { .suites = suites, .seconds = SOAK_SECONDS,
					 .live_mib = SOAK_LIVE_MIB };
	int code = take_arguments(&line, argc, argv, &request);

	if (code >= 0)
		return code;
	if (!choose(argc, argv, suites, &request.nr_suites))
		return EXIT_USAGE;
	request.preload = preload_path();
	request.compile_trace = compile_trace_path();
	if (!request.peers)
		request.peers = peers_path();
	return bench_execute(&request);
}

/* Not for people: a suite starts this process for a part of its work. */
int command_bench_child(int argc, char **argv)
{
	if (argc != 3)
		return EXIT_USAGE;
	return bench_execute_child(argv[1], argv[2]);
}
