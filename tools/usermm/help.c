// SPDX-License-Identifier: MIT
/* usermm help: the commands' tables as text for a terminal. */
#include <stdio.h>
#include <string.h>

#include "arguments.h"
#include "command.h"
#include "say.h"
#include "usermm/usermm.h"

#define COLUMNS 88
/* The width of the left column, and what is longer stands on a line of its own. */
#define LEFT 26

/* Prints one paragraph or sentence, wrapped, from column `at` on, with later lines indented. */
static const char *put_paragraph(const char *text, int at, int indent)
{
	while (*text && strncmp(text, "\n\n", 2)) {
		size_t length = strcspn(text, " \n");

		if (at > indent && at + 1 + (int)length > COLUMNS) {
			printf("\n%*s", indent, "");
			at = indent;
		} else if (at > indent) {
			putchar(' ');
			at++;
		}
		printf("%.*s", (int)length, text);
		at += (int)length;
		text += length;
		while (*text == ' ' || (*text == '\n' && text[1] != '\n'))
			text++;
	}
	putchar('\n');
	return *text ? text + 2 : text;
}

static void put_text(const char *text)
{
	while (*text) {
		text = put_paragraph(text, 0, 0);
		if (*text)
			putchar('\n');
	}
}

/* "  left        right", with the right side wrapped. */
static void put_row(const char *left, int width, const char *right)
{
	int length = printf("  %s", left);

	if (length + 2 > width)
		printf("\n%*s", width, "");
	else
		printf("%*s", width - length, "");
	put_paragraph(right, width, width);
}

static void put_options(const struct command *command)
{
	const struct command_option help = { 'h', "help", NULL, "show this help" };

	printf("\nOptions:\n");
	for (unsigned int i = 0; command->options && command->options[i].key; i++)
		put_row(option_long_form(&command->options[i]), LEFT,
			option_help(command, &command->options[i]));
	put_row(option_long_form(&help), LEFT, help.help);
}

static void put_words(const struct command *command)
{
	const char *word, *help;

	if (!command->word)
		return;
	printf("\n%s is one of:\n", command->word_type);
	for (unsigned int i = 0; (word = command->word(i, &help)); i++)
		put_row(word, LEFT, help);
}

static void put_exits(const struct command *command)
{
	if (!command->exits)
		return;
	printf("\nExit status:\n");
	for (const struct command_exit *row = command->exits; exit_meaning(row); row++)
		put_row(exit_name(row), 8, exit_meaning(row));
}

static void put_examples(const struct command *command)
{
	if (!command->examples)
		return;
	printf("\nExamples:\n");
	for (const struct command_example *row = command->examples; row->line; row++) {
		printf("  %s\n      ", row->line);
		put_paragraph(row->what, 6, 6);
	}
}

int help_command(const struct command *command)
{
	printf("usage: usermm %s [OPTION...]%s%s\n\n", command->name, command->words ? " " : "",
	       command->words ? command->words : "");
	put_text(command->text);
	put_words(command);
	put_options(command);
	put_exits(command);
	put_examples(command);
	return 0;
}

int help_all(void)
{
	const struct command *command;

	printf("usage: usermm COMMAND ...\n\n");
	for (unsigned int i = 0; (command = command_at(i)); i++)
		if (command->summary)
			put_row(command->name, 20, command->summary);
	printf("\n`usermm help COMMAND` tells more about one, `usermm --version` prints the "
	       "version.\n");
	return 0;
}

int help_unknown(const char *name)
{
	const struct command *command;

	if (name)
		say(stderr, "usermm: unknown command '%s'; there are:", name);
	else
		fprintf(stderr, "usermm: no command given; there are:");
	for (unsigned int i = 0; (command = command_at(i)); i++)
		if (command->summary && command_nr_words(command) == 1)
			fprintf(stderr, " %s", command->name);
	fprintf(stderr, "; `usermm help` tells more\n");
	return EXIT_USAGE;
}
