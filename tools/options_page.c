// SPDX-License-Identifier: MIT
/* Writes docs/options.md from the option table. */
#include <stdio.h>
#include <string.h>

#include "base/options.h"

static const char head[] =
	"# Options\n"
	"\n"
	"`name=value`, separated by `:`, in the environment variable "
	"`USERMM_OPTIONS`, or behind `-o` for\n"
	"the command. They are read once, before the first "
	"allocation. A bad option on the command line is\n"
	"one line and exit status 2; in a preloaded library it is "
	"one warning, and the program runs on. A\n"
	"program with raised privileges (AT_SECURE) does not look at the variable.\n"
	"\n"
	"`usermm doctor --options` shows them with the values that "
	"are in force. This page is made from the\n"
	"same table, `src/base/options.def`, by `cmake --build "
	"--preset release --target update_options`.\n"
	"[tuning.md](tuning.md) says which option suits which workload.\n"
	"\n"
	"stable: will keep its name and meaning. testing: for tests "
	"of the library itself, and may change.\n"
	"\n"
	"| option | values | default | | meaning |\n"
	"|---|---|---|---|---|\n";

static const char tail[] =
	"\n"
	"bytes: a number, with `K`, `M`, `G` or `T` for powers of "
	"1024. What stands in brackets may be left\n"
	"out; `...` is more of the same.\n";

/* A | would end the cell of a Markdown table, even inside code. */
static void put_code(const char *text)
{
	putchar('`');
	for (; *text; text++)
		fputs(*text == '|' ? "` `" : (char[]){ *text, '\0' }, stdout);
	putchar('`');
}

static void put_range(const struct option_row *row)
{
	put_code(row->range);
	if (!strcmp(row->type, "SIZE"))
		fputs(" bytes", stdout);
}

static void put_row(const struct option_row *row)
{
	char value[64];

	options_format_value(row, row->default_value, value, sizeof(value));
	printf("| `%s` | ", row->name);
	put_range(row);
	printf(" | `%s` | %s | %s |\n", value,
	       !strcmp(row->stability, "STABLE") ? "stable" : "testing", row->help);
}

int main(void)
{
	const struct option_row *row;

	fputs(head, stdout);
	for (unsigned int i = 0; (row = options_row(i)); i++)
		put_row(row);
	fputs(tail, stdout);
	return ferror(stdout) || fclose(stdout);
}
