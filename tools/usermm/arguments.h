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

/*
 * Checks that each option that take_arguments() read goes with this form of the command, and with
 * the other options. A form is a word of command->word(), or a name that the command's rules have
 * in `with`. Returns 0; or EXIT_USAGE after one line. So no option is read and then ignored.
 */
int check_given(const struct command *command, const char *form);
/* Was the option given? Its key is that of the command's table. */
bool is_given(const struct command *command, int key);

/* Prints one line: what is wrong, with which argument, and all options. Returns EXIT_USAGE. */
int complain(const struct command *command, const char *what, const char *argument);

/*
 * A whole number from 1 to most, into *number. If the text is another one, prints one line with the
 * option's name, and returns false.
 */
bool take_number(const struct command *command, const char *option, const char *text,
		 unsigned long most, unsigned long *number);

/* The option's rule, or NULL. */
const struct command_rule *option_rule(const struct command *command, int key);
/* The option's help, with its rule, as the forms that it goes with. Valid until the next call. */
const char *option_help(const struct command *command, const struct command_option *option);
/* How to write an option: "--json FILE", or "-o OPTIONS" if it has no name. */
const char *option_short_form(const struct command_option *option);
/* All ways to write it: "-o, --options=OPTIONS". Both texts are valid until the next call. */
const char *option_long_form(const struct command_option *option);

#endif
