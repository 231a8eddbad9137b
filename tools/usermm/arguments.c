// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "arguments.h"
#include "say.h"

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
	/* With a colon in front getopt() returns ':' for a missing value. */
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

const struct command_rule *option_rule(const struct command *command, int key)
{
	for (const struct command_rule *rule = command->rules; rule && rule->key; rule++)
		if (rule->key == key)
			return rule;
	return NULL;
}

/* Is the word one of the list, whose words are separated by ", "? */
static bool is_in_list(const char *list, const char *word)
{
	size_t length = strlen(word);

	for (; list; list = strstr(list, ", ") ? strstr(list, ", ") + 2 : NULL)
		if (!strncmp(list, word, length) && (!list[length] || list[length] == ','))
			return true;
	return false;
}

/* A bit for each option that was given, by its place in the command's table. */
static unsigned int given;

static unsigned int bit_of(const struct command *command, const struct command_option *option)
{
	return 1u << (option - command->options);
}

bool is_given(const struct command *command, int key)
{
	return given & bit_of(command, find_option(command, key));
}

int check_given(const struct command *command, const char *form)
{
	for (const struct command_rule *rule = command->rules; rule && rule->key; rule++) {
		const char *name = find_option(command, rule->key)->name;

		if (!is_given(command, rule->key))
			continue;
		if (rule->with && !is_in_list(rule->with, form)) {
			say(stderr, "usermm %s: --%s goes with %s, not with %s\n", command->name,
			    name, rule->with, form);
			return EXIT_USAGE;
		}
		if (rule->without && is_given(command, rule->without)) {
			say(stderr, "usermm %s: --%s does not go with --%s\n", command->name, name,
			    find_option(command, rule->without)->name);
			return EXIT_USAGE;
		}
	}
	return 0;
}

int complain(const struct command *command, const char *what, const char *argument)
{
	say(stderr, "usermm %s: %s '%s'; options: ", command->name, what, argument);
	for (unsigned int i = 0; command->options && command->options[i].key; i++)
		say(stderr, "%s, ", option_short_form(&command->options[i]));
	say(stderr, "--help\n");
	return EXIT_USAGE;
}

const char *option_help(const struct command *command, const struct command_option *option)
{
	const struct command_rule *rule = option_rule(command, option->key);
	const char *name = rule && rule->without ? find_option(command, rule->without)->name : NULL;
	static char text[400];

	if (!rule)
		return option->help;
	snprintf(text, sizeof(text), "%s%s%s%s%s%s%s", option->help, rule->values ? ": " : "",
		 rule->values ? rule->values : "", rule->with ? "; goes with " : "",
		 rule->with ? rule->with : "", name ? "; does not go with --" : "",
		 name ? name : "");
	return text;
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
	const struct command_rule *rule = option_rule(command, key);

	given |= bit_of(command, option);
	if (rule && rule->values && !is_in_list(rule->values, optarg)) {
		say(stderr, "usermm %s: --%s takes %s; not '%s'\n", command->name, option->name,
		    rule->values, optarg);
		return false;
	}
	if (option->argument && !strcmp(option->argument, "OPTIONS"))
		return take_options(command->name, optarg);
	return command->take(command, key, optarg, context);
}

int take_arguments(const struct command *command, int argc, char **argv, void *context)
{
	struct tables tables;
	int key;

	make_tables(command, &tables);
	given = 0;
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
	say(stderr, "usermm %s: --%s takes 1 to %lu, not '%s'\n", command->name, option, most,
	    text);
	return false;
}
