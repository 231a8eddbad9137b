// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "arguments.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_OPTIONS 16

/* getopt_long()'s tables, made from the command's. All commands have --help. */
struct tables {
	struct option names[MAX_OPTIONS + 2];
	char letters[3 * (MAX_OPTIONS + 2)];
};

static void add_option(struct tables *tables, unsigned int *nr_names,
		       const struct command_option *option)
{
	size_t length = strlen(tables->letters);

	if (option->name)
		tables->names[(*nr_names)++] = (struct option){
			option->name, option->argument ? required_argument : no_argument, NULL,
			option->key };
	if (isalnum(option->key))
		snprintf(tables->letters + length, sizeof(tables->letters) - length, "%c%s",
			 option->key, option->argument ? ":" : "");
}

static void make_tables(const struct command *command, struct tables *tables)
{
	const struct command_option help = { 'h', "help", NULL, NULL };
	unsigned int nr_names = 0;

	*tables = (struct tables){ 0 };
	/* A colon in front: no value is told from no option. */
	strcpy(tables->letters, command->ends_at_word ? "+:" : ":");
	for (unsigned int i = 0; command->options && command->options[i].key; i++)
		add_option(tables, &nr_names, &command->options[i]);
	add_option(tables, &nr_names, &help);
}

static const struct command_option *find_option(const struct command *command, int key)
{
	for (unsigned int i = 0; command->options && command->options[i].key; i++)
		if (command->options[i].key == key)
			return &command->options[i];
	return NULL;
}

int complain(const struct command *command, const char *what, const char *argument)
{
	fprintf(stderr, "usermm %s: %s '%s'; options: ", command->name, what, argument);
	for (unsigned int i = 0; command->options && command->options[i].key; i++)
		fprintf(stderr, "%s, ", option_short_form(&command->options[i]));
	fprintf(stderr, "--help\n");
	return EXIT_USAGE;
}

const char *option_short_form(const struct command_option *option)
{
	static char text[80];
	const char *argument = option->argument ? option->argument : "";
	const char *space = option->argument ? " " : "";

	if (option->name)
		snprintf(text, sizeof(text), "--%s%s%s", option->name, space, argument);
	else
		snprintf(text, sizeof(text), "-%c%s%s", option->key, space, argument);
	return text;
}

const char *option_long_form(const struct command_option *option)
{
	static char text[80];
	const char *argument = option->argument ? option->argument : "";
	int used = 0;

	if (!option->name) {
		snprintf(text, sizeof(text), "-%c %s", option->key, argument);
		return text;
	}
	if (isalnum(option->key))
		used = snprintf(text, sizeof(text), "-%c, ", option->key);
	snprintf(text + used, sizeof(text) - (size_t)used, "--%s%s%s", option->name,
		 *argument ? "=" : "", argument);
	return text;
}

/* The text of the option that getopt_long() did not know just now. */
static const char *unknown_option(char **argv)
{
	static char text[3];

	/* A long option that may have no value has its key in optopt. */
	if (!optopt || !strncmp(argv[optind - 1], "--", 2))
		return argv[optind - 1];
	snprintf(text, sizeof(text), "-%c", optopt);
	return text;
}

/* One option that getopt_long() found. False after a message. */
static bool take_one(const struct command *command, int key, void *context)
{
	const struct command_option *option = find_option(command, key);

	if (option->argument && !strcmp(option->argument, "OPTIONS"))
		return take_options(command->name, optarg);
	return command->take(command, key, optarg, context);
}

int take_arguments(const struct command *command, int argc, char **argv, void *context)
{
	struct tables tables;
	int key;

	make_tables(command, &tables);
	opterr = 0;
	optind = 1;
	while ((key = getopt_long(argc, argv, tables.letters, tables.names, NULL)) != -1) {
		switch (key) {
		case 'h':
			return help_command(command);
		case ':':
			return complain(command, "no value for option", argv[optind - 1]);
		case '?':
			return complain(command, "unknown option", unknown_option(argv));
		default:
			if (!take_one(command, key, context))
				return EXIT_USAGE;
		}
	}
	return -1;
}

bool take_number(const struct command *command, const char *option, const char *text,
		 unsigned long most, unsigned long *number)
{
	char *end;

	errno = 0;
	*number = strtoul(text, &end, 10);
	if (!errno && *text >= '0' && *text <= '9' && !*end && *number && *number <= most)
		return true;
	fprintf(stderr, "usermm %s: --%s takes 1 to %lu, not '%s'\n", command->name, option, most,
		text);
	return false;
}
