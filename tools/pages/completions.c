// SPDX-License-Identifier: MIT
/*
 * The three shells ask different questions, but each file answers with the same tables: which
 * options a command has, and which type an argument has (tools/usermm/command.h).
 */
#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "base/options.h"
#include "pages/pages.h"
#include "usermm/arguments.h"

#define HEAD "# Made by usermm_pages (tools/pages): do not edit.\n"

static const char help_text[] = "show this help";

/*
 * The type of the arguments behind the options: the first name in capitals that does not stand in
 * front of a '='. "" if there is none; TARGET for a process or a core.
 */
static const char *type_of_words(const struct command *command)
{
	static char type[32];
	const char *at = command->words ? command->words : "";
	size_t length = 0;

	if (!strncmp(at, "PID|CORE", strlen("PID|CORE")))
		return "TARGET";
	do {
		at += length;
		length = 0;
		while (*at && !isupper((unsigned char)*at))
			at++;
		while (isupper((unsigned char)at[length]))
			length++;
	} while (at[length] == '=');
	snprintf(type, sizeof(type), "%.*s", (int)length, at);
	return type;
}

/* Writes the words that an argument named word_type may be. */
static void put_words(FILE *out, const struct command *command, const char *separator)
{
	const char *word, *help;

	for (unsigned int i = 0; command->word && (word = command->word(i, &help)); i++)
		fprintf(out, "%s%s", i ? separator : "", word);
}

/* Writes the words that an option's argument may be. False: it may be others. */
static bool put_option_values(FILE *out, const struct command *command,
			      const struct command_option *option, const char *before,
			      const char *behind)
{
	const struct command_rule *rule = option_rule(command, option->key);

	if (!rule || !rule->values)
		return false;
	fputs(before, out);
	for (const char *c = rule->values; *c; c++)
		if (*c != ',')
			putc(*c, out);
	fputs(behind, out);
	return true;
}

/* Writes the values of an option of the library that has a list of them. */
static void put_values(FILE *out, const struct option_row *row)
{
	for (const char *c = row->range; *c; c++)
		putc(*c == '|' ? ' ' : *c, out);
}

static bool has_values(const struct option_row *row)
{
	return !strcmp(row->type, "ENUM");
}

/* Each command but those that are not for people, in turn. */
static const struct command *next_command(unsigned int *i)
{
	const struct command *command;

	while ((command = command_at(*i)) && !command->summary)
		++*i;
	++*i;
	return command;
}

/* Writes the second words of the commands that begin with this one. */
static void put_subcommands(FILE *out, const struct command *command)
{
	size_t length = strlen(command->name);
	const struct command *other;

	for (unsigned int i = 0; (other = next_command(&i));)
		if (!strncmp(other->name, command->name, length) && other->name[length] == ' ')
			fprintf(out, "%s ", other->name + length + 1);
}

/* --- bash ----------------------------------------------------------------------- */

static void put_bash_command(FILE *out, const struct command *command)
{
	fprintf(out, "\t'%s')\n\t\ttype=%s words='", command->name, type_of_words(command));
	put_subcommands(out, command);
	put_words(out, command, " ");
	fprintf(out, "'\n\t\toptions='");
	for (const struct command_option *o = command->options; o && o->key; o++) {
		if (isalpha(o->key))
			fprintf(out, "-%c ", o->key);
		if (o->name)
			fprintf(out, "--%s ", o->name);
	}
	fprintf(out, "-h --help'\n\t\tcase $option in\n");
	for (const struct command_option *o = command->options; o && o->key; o++) {
		if (!o->argument)
			continue;
		if (isalpha(o->key) && o->name)
			fprintf(out, "\t\t-%c | --%s) ", o->key, o->name);
		else if (o->name)
			fprintf(out, "\t\t--%s) ", o->name);
		else
			fprintf(out, "\t\t-%c) ", o->key);
		if (!put_option_values(out, command, o, "type=WORDS words='", "' ;;\n"))
			fprintf(out, "type=%s ;;\n", o->argument);
	}
	fprintf(out, "\t\t*) option= ;;\n\t\tesac\n\t\t;;\n");
}

static void put_bash_library_options(FILE *out)
{
	const struct option_row *row;

	fprintf(out, "\t\tcase $value in\n");
	for (unsigned int i = 0; (row = options_row(i)); i++) {
		if (!has_values(row))
			continue;
		fprintf(out, "\t\t%s=*) words='", row->name);
		put_values(out, row);
		fprintf(out, "' ;;\n");
	}
	fprintf(out, "\t\t*=*) words= ;;\n\t\t*) words='");
	for (unsigned int i = 0; (row = options_row(i)); i++)
		fprintf(out, "%s%s=", i ? " " : "", row->name);
	fprintf(out, "' ;;\n\t\tesac\n");
}

/* Sets `command`. If the first word is typed, completes that. */
static void put_bash_first_word(FILE *out)
{
	const struct command *command;

	/*
	 * The shell splits words also at '=' and ':', and replaces only the last part, `last`. So
	 * the words are taken from the line itself.
	 */
	fprintf(out, HEAD
		"_usermm()\n{\n"
		"\tlocal line=${COMP_LINE:0:COMP_POINT} last=${COMP_WORDS[COMP_CWORD]}\n"
		"\tlocal -a part\n"
		"\tlocal token option value command type words options nr i\n\n"
		"\tCOMPREPLY=()\n"
		"\tread -ra part <<< \"$line\"\n"
		"\ttoken=${line##*[[:space:]]}\n"
		"\tnr=${#part[@]}\n"
		"\t[[ -z $token ]] || nr=$((nr - 1))\n"
		"\t[[ $last != [=:] ]] || last=\n"
		"\tcommand=${part[1]-}\n"
		"\tif ((nr < 2)); then\n"
		"\t\tmapfile -t COMPREPLY < <(compgen -W 'help --help --version");
	for (unsigned int i = 0; (command = next_command(&i));)
		if (command_nr_words(command) == 1)
			fprintf(out, " %s", command->name);
	fprintf(out, "' -- \"$last\")\n\t\treturn\n\tfi\n");
	for (unsigned int i = 0; (command = next_command(&i));)
		if (command_nr_words(command) == 2)
			fprintf(out, "\tif ((nr > 2)) && [[ \"${part[1]} ${part[2]}\" == '%s' ]]; "
				     "then\n"
				     "\t\tcommand='%s'\n\tfi\n", command->name, command->name);
}

/* Sets `type`, `words` and `options`: what may stand at the end of the line. */
static void put_bash_commands(FILE *out)
{
	const struct command *command;

	fprintf(out,
		"\t# The option whose value is typed, and that value.\n"
		"\toption=${part[nr - 1]} value=$token\n"
		"\tif [[ $token == --*=* ]]; then\n"
		"\t\toption=${token%%%%=*} value=${token#*=}\n"
		"\tfi\n"
		"\tcase $command in\n");
	for (unsigned int i = 0; (command = next_command(&i));)
		put_bash_command(out, command);
	fprintf(out, "\thelp)\n\t\ttype=COMMAND option= options= words='");
	for (unsigned int i = 0; (command = next_command(&i));)
		fprintf(out, "%s ", command->name);
	fprintf(out, "'\n\t\t;;\n\t*) return ;;\n\tesac\n");
}

/* Writes the part of the completion that uses `type`, `words` and `options`. */
static void put_bash_types(FILE *out)
{
	fprintf(out,
		"\t# Behind a program's name stand words of its own.\n"
		"\tif [[ -z $option && $type == PROGRAM ]]; then\n"
		"\t\tfor ((i = 2; i < nr; i++)); do\n"
		"\t\t\tcase ${part[i]} in\n"
		"\t\t\t-o | --options) i=$((i + 1)) ;;\n"
		"\t\t\t-*) ;;\n"
		"\t\t\t*)\n\t\t\t\tcompopt -o default\n\t\t\t\treturn\n\t\t\t\t;;\n"
		"\t\t\tesac\n"
		"\t\tdone\n"
		"\tfi\n"
		"\tif [[ -z $option && $token == -* ]]; then\n"
		"\t\tmapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$last\")\n"
		"\t\treturn\n"
		"\tfi\n"
		"\tcase $type in\n"
		"\tFILE)\n\t\tcompopt -o filenames\n\t\tmapfile -t COMPREPLY < <(compgen -f -- "
		"\"$last\")\n\t\t;;\n"
		"\tFOLDER)\n\t\tcompopt -o filenames\n\t\tmapfile -t COMPREPLY < <(compgen -d -- "
		"\"$last\")\n\t\t;;\n"
		"\tPROGRAM) mapfile -t COMPREPLY < <(compgen -c -- \"$last\") ;;\n"
		"\tPID)\n\t\twords+=\" $(cd /proc && echo [0-9]*)\"\n"
		"\t\tmapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$last\")\n\t\t;;\n"
		"\tTARGET)\n\t\tcompopt -o filenames\n"
		"\t\twords+=\" $(cd /proc && echo [0-9]*)\"\n"
		"\t\tmapfile -t COMPREPLY < <(compgen -f -W \"$words\" -- \"$last\")\n\t\t;;\n"
		"\tWORDS) mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$last\") ;;\n"
		"\tOPTIONS)\n"
		"\t\tvalue=${value##*:}\n");
	put_bash_library_options(out);
	fprintf(out,
		"\t\tcompopt -o nospace\n"
		"\t\tmapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$last\")\n\t\t;;\n"
		"\t*) [[ -n $option ]] || mapfile -t COMPREPLY < <(compgen -W \"$words\" -- "
		"\"$last\") ;;\n"
		"\tesac\n}\n\ncomplete -F _usermm usermm\n");
}

void pages_write_bash(FILE *out)
{
	put_bash_first_word(out);
	put_bash_commands(out);
	put_bash_types(out);
}

/* --- zsh ------------------------------------------------------------------------ */

/* A description inside of '...[]', where brackets and colons have a meaning. */
static void put_zsh_text(FILE *out, const char *text)
{
	for (; *text; text++) {
		if (*text == '\'')
			fputs("'\\'", out);
		else if (strchr("[]:\\", *text))
			putc('\\', out);
		putc(*text, out);
	}
}

static const char *zsh_action(const char *type)
{
	if (!strcmp(type, "FILE"))
		return "_files";
	if (!strcmp(type, "FOLDER"))
		return "_files -/";
	if (!strcmp(type, "PID"))
		return "_pids";
	if (!strcmp(type, "TARGET"))
		return "_usermm_targets";
	if (!strcmp(type, "OPTIONS"))
		return "_usermm_options";
	return " ";
}

static void put_zsh_option(FILE *out, const struct command *command,
			   const struct command_option *option)
{
	bool is_short = isalpha(option->key);

	if (is_short && option->name)
		fprintf(out, "'(-%c --%s)'{-%c%s,--%s%s}'", option->key, option->name, option->key,
			option->argument ? "+" : "", option->name, option->argument ? "=" : "");
	else if (option->name)
		fprintf(out, "'--%s%s", option->name, option->argument ? "=" : "");
	else
		fprintf(out, "'-%c%s", option->key, option->argument ? "+" : "");
	putc('[', out);
	put_zsh_text(out, option_help(command, option));
	putc(']', out);
	if (option->argument)
		fprintf(out, ":%s:", option->argument);
	if (option->argument && !put_option_values(out, command, option, "(", ")"))
		fputs(zsh_action(option->argument), out);
	fputs("' ", out);
}

static void put_zsh_command(FILE *out, const struct command *command)
{
	const struct command_option help = { 'h', "help", NULL, help_text };
	const char *type = type_of_words(command);

	fprintf(out, "\t'%s')\n\t\t_arguments ", command->name);
	for (const struct command_option *o = command->options; o && o->key; o++)
		put_zsh_option(out, command, o);
	put_zsh_option(out, command, &help);
	if (!strcmp(type, "PROGRAM")) {
		fprintf(out, "'*::%s: _normal'", type);
	} else if (command->word && !strcmp(type, command->word_type)) {
		fprintf(out, "'*:%s:(", type);
		put_words(out, command, " ");
		fprintf(out, ")'");
	} else if (command->word) {
		/* The words come second, as the commands of `usermm inspect`. */
		fprintf(out, "'1:%s:%s' '2:%s:(", type, zsh_action(type), command->word_type);
		put_words(out, command, " ");
		fprintf(out, ")'");
	} else if (*type) {
		fprintf(out, "'*:%s:%s'", type, zsh_action(type));
	} else {
		fprintf(out, "'1:command:(");
		put_subcommands(out, command);
		fprintf(out, ")'");
	}
	fprintf(out, "\n\t\t;;\n");
}

void pages_write_zsh(FILE *out)
{
	const struct command *command;
	const struct option_row *row;

	fprintf(out, "#compdef usermm\n" HEAD "\n_usermm_targets()\n{\n"
		     "\t_alternative 'pids:process:_pids' 'files:core:_files'\n}\n"
		     "\n_usermm_options()\n{\n\t_values -s : option");
	for (unsigned int i = 0; (row = options_row(i)); i++) {
		fprintf(out, " \\\n\t\t'%s[", row->name);
		put_zsh_text(out, row->help);
		fprintf(out, "]:value:");
		if (has_values(row)) {
			putc('(', out);
			put_values(out, row);
			putc(')', out);
		} else {
			putc(' ', out);
		}
		putc('\'', out);
	}
	fprintf(out, "\n}\n\n_usermm()\n{\n\tlocal -a commands\n\tlocal command\n\n\tcommands=(\n");
	for (unsigned int i = 0; (command = next_command(&i));) {
		if (command_nr_words(command) == 2)
			continue;
		fprintf(out, "\t\t'%s:", command->name);
		put_zsh_text(out, command->summary);
		fprintf(out, "'\n");
	}
	fprintf(out, "\t\t'help:show the help of a command'\n\t)\n"
		"\tif ((CURRENT == 2)); then\n\t\t_describe command commands\n\t\treturn\n\tfi\n"
		"\tcommand=$words[2]\n\tshift words\n\t((CURRENT--))\n");
	for (unsigned int i = 0; (command = next_command(&i));)
		if (command_nr_words(command) == 2)
			fprintf(out, "\tif [[ \"$words[1] $words[2]\" == '%s' ]] && ((CURRENT > "
				     "2)); then\n"
				     "\t\tcommand='%s'\n\t\tshift words\n\t\t((CURRENT--))\n\tfi\n",
				command->name, command->name);
	fprintf(out, "\tcase $command in\n");
	for (unsigned int i = 0; (command = next_command(&i));)
		put_zsh_command(out, command);
	fprintf(out, "\t'help') _describe command commands ;;\n\tesac\n}\n\n_usermm \"$@\"\n");
}

/* --- fish ----------------------------------------------------------------------- */

static void put_fish_text(FILE *out, const char *text)
{
	putc('\'', out);
	for (; *text; text++) {
		if (*text == '\'' || *text == '\\')
			putc('\\', out);
		putc(*text, out);
	}
	putc('\'', out);
}

/* How fish completes an argument of that type. */
static const char *fish_action(const char *type)
{
	if (!strcmp(type, "FILE"))
		return " -r -F";
	if (!strcmp(type, "FOLDER"))
		return " -x -a '(__fish_complete_directories)'";
	if (!strcmp(type, "PID"))
		return " -x -a '(__fish_complete_pids)'";
	if (!strcmp(type, "TARGET"))
		return " -F -a '(__fish_complete_pids)'";
	if (!strcmp(type, "OPTIONS"))
		return " -x -a '(__usermm_options)'";
	if (!strcmp(type, "PROGRAM"))
		return " -x -a '(__fish_complete_subcommand)'";
	return " -x";
}

static void put_fish_head(FILE *out, const struct command *command)
{
	fprintf(out, "complete -c usermm -n '__usermm_is \"%s\"'", command->name);
}

static void put_fish_option(FILE *out, const struct command *command,
			    const struct command_option *option)
{
	put_fish_head(out, command);
	if (isalpha(option->key))
		fprintf(out, " -s %c", option->key);
	if (option->name)
		fprintf(out, " -l %s", option->name);
	if (option->argument && !put_option_values(out, command, option, " -x -a '", "'"))
		fputs(fish_action(option->argument), out);
	fputs(" -d ", out);
	put_fish_text(out, option_help(command, option));
	putc('\n', out);
}

static void put_fish_command(FILE *out, const struct command *command)
{
	const struct command_option help = { 'h', "help", NULL, help_text };
	const char *type = type_of_words(command), *word, *text;

	for (const struct command_option *o = command->options; o && o->key; o++)
		put_fish_option(out, command, o);
	put_fish_option(out, command, &help);
	for (unsigned int i = 0; command->word && (word = command->word(i, &text)); i++) {
		put_fish_head(out, command);
		fprintf(out, " -a %s -d ", word);
		put_fish_text(out, text);
		putc('\n', out);
	}
	if (*type && (!command->word || strcmp(type, command->word_type))) {
		put_fish_head(out, command);
		/* Unlike an option, words do not require an argument (-r, -x). */
		fputs(!strcmp(type, "FILE") ? " -F" : !strcmp(type, "TARGET") ? fish_action(type) :
		      fish_action(type) + strlen(" -x"), out);
		putc('\n', out);
	}
}

void pages_write_fish(FILE *out)
{
	const struct command *command;
	const struct option_row *row;

	fprintf(out, HEAD
		"function __usermm_options\n"
		"\tset -l before (string match -r '^.*:' -- (commandline -ct | string replace -r "
		"'^--options=' ''))\n"
		"\tfor name in");
	for (unsigned int i = 0; (row = options_row(i)); i++) {
		if (!has_values(row)) {
			fprintf(out, " %s=", row->name);
			continue;
		}
		for (const char *value = row->range; *value; value += *value == '|') {
			size_t length = strcspn(value, "|");

			fprintf(out, " %s=%.*s", row->name, (int)length, value);
			value += length;
		}
	}
	fprintf(out, "\n\t\techo \"$before$name\"\n\tend\nend\n\n"
		"# Is the command line that of this command?\n"
		"function __usermm_is\n"
		"\tset -l words (commandline -opc)\n"
		"\tset -l name $words[2]\n");
	for (unsigned int i = 0; (command = next_command(&i));)
		if (command_nr_words(command) == 2)
			fprintf(out, "\tif test \"$words[2..3]\" = '%s'\n\t\tset name '%s'\n"
				     "\tend\n",
				command->name, command->name);
	fprintf(out, "\ttest \"$name\" = \"$argv[1]\"\nend\n\ncomplete -c usermm -f\n");
	for (unsigned int i = 0; (command = next_command(&i));) {
		const char *space = strchr(command->name, ' ');

		if (space)
			fprintf(out, "complete -c usermm -n '__usermm_is \"%.*s\"' -a %s -d ",
				(int)(space - command->name), command->name, space + 1);
		else
			fprintf(out, "complete -c usermm -n __fish_use_subcommand -a %s -d ",
				command->name);
		put_fish_text(out, command->summary);
		putc('\n', out);
	}
	for (unsigned int i = 0; (command = next_command(&i));)
		put_fish_command(out, command);
}
