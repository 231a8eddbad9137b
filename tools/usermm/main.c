// SPDX-License-Identifier: MIT
/* usermm: one command line for the allocators. */
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "usermm/usermm.h"

/* usermm help COMMAND; the words are the command's. */
static int help(int nr_words, char **words)
{
	const struct command *command = command_find(nr_words, words);

	if (!nr_words)
		return help_all();
	return command && command->summary ? help_command(command) : help_unknown(words[0]);
}

int main(int argc, char **argv)
{
	const struct command *command;
	int nr_words;

	if (argc < 2)
		return help_unknown(NULL);
	if (!strcmp(argv[1], "--version")) {
		printf("usermm %s\n", usermm_version());
		return end_output(argv[1], 0);
	}
	if (!strcmp(argv[1], "help") || !strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))
		return end_output("help", help(argc - 2, argv + 2));
	command = command_find(argc - 1, argv + 1);
	if (!command)
		return help_unknown(argv[1]);
	nr_words = command_nr_words(command);
	return end_output(command->name, command->run(argc - nr_words, argv + nr_words));
}
