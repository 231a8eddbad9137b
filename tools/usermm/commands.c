// SPDX-License-Identifier: MIT
/* The list of commands. Each command's file has its table. */
#include <stdio.h>
#include <string.h>

#include "base/compiler.h"
#include "command.h"

/* In the order in which the help shows them. */
static const struct command *const commands[] = {
	&command_run,
	&command_bench,
	&command_doctor,
	&command_selftest,
	&command_selftest_percpu,
	&command_module,
	&command_top,
	&command_inspect,
	&command_profile,
	&command_control,
	&command_record,
	&command_report,
	&command_export,
	&command_bench_child,
};

const struct command *command_at(unsigned int i)
{
	return i < ARRAY_SIZE(commands) ? commands[i] : NULL;
}

int command_nr_words(const struct command *command)
{
	return strchr(command->name, ' ') ? 2 : 1;
}

/* Is it the command's name? */
static bool names(const struct command *command, int nr_words, char *const *words)
{
	const char *space = strchr(command->name, ' ');

	if (!space)
		return !strcmp(command->name, words[0]);
	return nr_words > 1 && strlen(words[0]) == (size_t)(space - command->name) &&
	       !strncmp(command->name, words[0], strlen(words[0])) &&
	       !strcmp(space + 1, words[1]);
}

const struct command *command_find(int nr_words, char *const *words)
{
	const struct command *found = NULL;

	for (unsigned int i = 0; nr_words && i < ARRAY_SIZE(commands); i++)
		if (names(commands[i], nr_words, words) &&
		    (!found || command_nr_words(commands[i]) == 2))
			found = commands[i];
	return found;
}

const char *exit_name(const struct command_exit *row)
{
	static char number[12];

	snprintf(number, sizeof(number), "%d", row->status);
	return row->name ? row->name : number;
}

const char *exit_meaning(const struct command_exit *row)
{
	return row->meaning ? row->meaning : status_meaning(row->status);
}
