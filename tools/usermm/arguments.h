/* SPDX-License-Identifier: MIT */
/* The options of the subcommands, and what is said of wrong ones. */
#ifndef TOOLS_ARGUMENTS_H
#define TOOLS_ARGUMENTS_H

#include <getopt.h>
#include <stdbool.h>

/* Every table has it; -o OPTIONS is every command's, and needs no entry. */
#define HELP_OPTION { "help", no_argument, NULL, 'h' }
#define TABLE_END { NULL, 0, NULL, 0 }

struct command_line {
	const char *command;		/* as messages name it */
	const char *help;		/* what command_help() knows it as */
	const char *options;		/* all of them, for messages */
	const struct option *table;
	bool ends_at_word;		/* what stands behind the first one is another program's */
	/* One of the table's; false after complain(). NULL if there are none. */
	bool (*take)(const struct command_line *line, int option, const char *value,
		     void *context);
};

/* -1 if the command goes on, with optind at the first word; else its exit code. */
int take_arguments(const struct command_line *line, int argc, char **argv, void *context);

/* One line: what is wrong, with which argument, and which options there are. EXIT_USAGE. */
int complain(const struct command_line *line, const char *what, const char *argument);

#endif
