/* SPDX-License-Identifier: MIT */
/* Reads the options of the commands and reports wrong ones. */
#ifndef TOOLS_ARGUMENTS_H
#define TOOLS_ARGUMENTS_H

#include <getopt.h>
#include <stdbool.h>

#include "command.h"

/*
 * Reads the options by the command's table. Returns -1 if the command shall go on, with optind at
 * the first word; else the exit code. context is for command->take().
 */
int take_arguments(const struct command *command, int argc, char **argv, void *context);

/* Prints one line: what is wrong, with which argument, and all options. Returns EXIT_USAGE. */
int complain(const struct command *command, const char *what, const char *argument);

/*
 * A whole number from 1 to most, into *number. If the text is another one, prints one line with the
 * option's name, and returns false.
 */
bool take_number(const struct command *command, const char *option, const char *text,
		 unsigned long most, unsigned long *number);

/* How to write an option: "--json FILE", or "-o OPTIONS" if it has no name. */
const char *option_short_form(const struct command_option *option);
/* All ways to write it: "-o, --options=OPTIONS". Both texts are valid until the next call. */
const char *option_long_form(const struct command_option *option);

#endif
