// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "arguments.h"

#include <stdio.h>

#include "command.h"

int complain(const struct command_line *line, const char *what, const char *argument)
{
	fprintf(stderr, "usermm %s: %s '%s'; options: %s\n", line->command, what, argument,
		line->options);
	return EXIT_USAGE;
}

/* The text of the option that getopt_long() did not know just now. */
static const char *unknown_option(char **argv)
{
	static char text[3];

	if (!optopt)
		return argv[optind - 1];
	snprintf(text, sizeof(text), "-%c", optopt);
	return text;
}

int take_arguments(const struct command_line *line, int argc, char **argv, void *context)
{
	char letters[64];
	int option;

	snprintf(letters, sizeof(letters), "%s:o:h%s", line->ends_at_word ? "+" : "",
		 line->letters ? line->letters : "");
	opterr = 0;
	optind = 1;
	while ((option = getopt_long(argc, argv, letters, line->table, NULL)) != -1) {
		switch (option == 'o' && line->own_o ? 0 : option) {
		case 0:
			if (!line->take(line, 'o', optarg, context))
				return EXIT_USAGE;
			break;
		case 'o':
			if (!take_options(line->command, optarg))
				return EXIT_USAGE;
			break;
		case 'h':
			return command_help(line->help);
		case ':':
			return complain(line, "no value for option", argv[optind - 1]);
		case '?':
			return complain(line, "unknown option", unknown_option(argv));
		default:
			if (!line->take(line, option, optarg, context))
				return EXIT_USAGE;
		}
	}
	return -1;
}
