// SPDX-License-Identifier: MIT
#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "base/compiler.h"
#include "pages/pages.h"
#include "pages/roff.h"
#include "usermm/arguments.h"

#define TITLE "usermm's commands"

static const struct {
	const char *name, *text;
} variables[] = {
	{ "USERMM_OPTIONS",
	  "The library's options, `name=value` separated by `:`. usermm-options(7) explains "
	  "them." },
	{ "LD_PRELOAD",
	  "With libusermm_malloc.so in it, a program runs on usermm without this command." },
};

const char *pages_command_name(const struct command *command)
{
	static char name[64];

	snprintf(name, sizeof(name), "usermm-%s", command->name);
	for (char *c = name; *c; c++)
		if (*c == ' ')
			*c = '-';
	return name;
}

/* All commands for people but one, as references. */
static void put_see_also(FILE *out, const struct command *but)
{
	const struct command *command;

	roff_section(out, "SEE ALSO");
	if (but)
		roff_reference(out, "usermm", "1", false);
	for (unsigned int i = 0; (command = command_at(i)); i++)
		if (command->summary && command != but)
			roff_reference(out, pages_command_name(command), "1", false);
	roff_reference(out, "usermm", "3", false);
	roff_reference(out, "usermm-options", "7", true);
}

static void put_environment(FILE *out)
{
	roff_section(out, "ENVIRONMENT");
	for (unsigned int i = 0; i < ARRAY_SIZE(variables); i++)
		roff_term(out, variables[i].name, variables[i].text);
}

void pages_write_overview(FILE *out)
{
	const struct command *command;

	roff_begin(out, "USERMM", "1", TITLE);
	roff_name(out, "usermm", "Linux's memory allocators for programs");
	roff_section(out, "SYNOPSIS");
	fprintf(out, ".B usermm\n.I COMMAND\n[\\fIOPTION\\fR...] [\\fIARGUMENT\\fR...]\n.br\n"
		     ".B usermm help\n[\\fICOMMAND\\fR]\n.br\n.B usermm \\-\\-version\n");
	roff_section(out, "DESCRIPTION");
	roff_text(out, "usermm is Linux's memory allocators as a library, and a malloc on top. "
		       "This command runs programs on it, measures it and looks into it. Each "
		       "command has a page of its own, and `usermm COMMAND --help` shows a "
		       "shorter one.");
	roff_section(out, "COMMANDS");
	for (unsigned int i = 0; (command = command_at(i)); i++)
		if (command->summary)
			roff_term(out, command->name, command->summary);
	roff_section(out, "EXIT STATUS");
	roff_text(out, "0 is success, and 1 a bad finding, such as a leak. Each other status has "
		       "one meaning in all commands, and one line on standard error says more:");
	for (int status = 2; status < 128; status++)
		if (status_meaning(status)) {
			const struct command_exit row = { .status = status };

			roff_term(out, exit_name(&row), exit_meaning(&row));
		}
	roff_text(out, "A program that a command runs has statuses of its own.");
	put_environment(out);
	put_see_also(out, NULL);
}

static void put_options(FILE *out, const struct command *command)
{
	roff_section(out, "OPTIONS");
	for (unsigned int i = 0; command->options && command->options[i].key; i++)
		roff_term(out, option_long_form(&command->options[i]),
			  option_help(command, &command->options[i]));
	roff_term(out, "-h, --help", "show a short form of this page");
}

static void put_words(FILE *out, const struct command *command)
{
	const char *word, *help;

	if (!command->word)
		return;
	roff_section(out, command->word_type);
	for (unsigned int i = 0; (word = command->word(i, &help)); i++)
		roff_term(out, word, help);
}

static void put_exits(FILE *out, const struct command *command)
{
	if (!command->exits)
		return;
	roff_section(out, "EXIT STATUS");
	for (const struct command_exit *row = command->exits; exit_meaning(row); row++)
		roff_term(out, exit_name(row), exit_meaning(row));
}

static void put_examples(FILE *out, const struct command *command)
{
	if (!command->examples)
		return;
	roff_section(out, "EXAMPLES");
	for (const struct command_example *row = command->examples; row->line; row++)
		roff_term(out, row->line, row->what);
}

void pages_write_command(FILE *out, const struct command *command)
{
	char title[64];

	snprintf(title, sizeof(title), "%s", pages_command_name(command));
	for (char *c = title; *c; c++)
		*c = (char)toupper((unsigned char)*c);
	roff_begin(out, title, "1", TITLE);
	roff_name(out, pages_command_name(command), command->summary);
	roff_section(out, "SYNOPSIS");
	fprintf(out, ".B usermm %s\n[\\fIOPTION\\fR...]", command->name);
	if (command->words) {
		putc(' ', out);
		roff_text(out, command->words);
	} else {
		putc('\n', out);
	}
	roff_section(out, "DESCRIPTION");
	roff_text(out, command->text);
	put_words(out, command);
	put_options(out, command);
	put_exits(out, command);
	put_examples(out, command);
	put_see_also(out, command);
}
