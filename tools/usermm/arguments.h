/* SPDX-License-Identifier: MIT */
/* Reads the options of the subcommands and reports wrong ones. */
#ifndef TOOLS_ARGUMENTS_H
#define TOOLS_ARGUMENTS_H

#include <getopt.h>
#include <stdbool.h>

/*
 * Every table has HELP_OPTION. All commands but those with own_o take -o OPTIONS, which needs no
 * entry in the table.
 */
#define HELP_OPTION { "help", no_argument, NULL, 'h' }
#define TABLE_END { NULL, 0, NULL, 0 }

struct command_line {
	const char *command;		/* its name in messages */
	const char *help;		/* its name for command_help() */
	const char *options;		/* list of all options, for messages */
	const struct option *table;
	const char *letters;		/* short options, as getopt(3) has them; or NULL */
	bool ends_at_word;		/* arguments after the first word are another program's */
	bool own_o;			/* -o is an option of the table */
	/* Handles an option of the table; false after complain(). NULL if there are none. */
	bool (*take)(const struct command_line *line, int option, const char *value,
		     void *context);
};

/*
 * Reads the options. Returns -1 if the command shall go on, with optind at the first word; else the
 * exit code.
 */
int take_arguments(const struct command_line *line, int argc, char **argv, void *context);

/* Prints one line: what is wrong, with which argument, and all options. Returns EXIT_USAGE. */
int complain(const struct command_line *line, const char *what, const char *argument);

#endif
