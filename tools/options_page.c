// SPDX-License-Identifier: MIT
/* Writes docs/options.md from the option table. */
#include <stdio.h>
#include <string.h>

#include "base/options.h"

static const char head[] =
	"# Options\n"
	"\n"
	"Write options as `name=value`, separated by `:`, in the environment variable\n"
	"`USERMM_OPTIONS`, or behind `-o` of the command `usermm`. They are read once, before\n"
	"the first allocation. The command answers a bad option with one line and exit status\n"
	"2. A preloaded library prints one warning, and the program runs on. A program with\n"
	"raised privileges (AT_SECURE) ignores the variable.\n"
	"\n"
	"`usermm doctor --options` shows all options with the values in force.\n"
	"[tuning.md](tuning.md) says which option suits which workload. This page is written by\n"
	"`cmake --build --preset release --target update_options` from `src/base/options.def`.\n"
	"\n"
	"A *stable* option keeps its name and meaning. A *testing* option is for tests of the\n"
	"library itself, and may change. The [glossary](glossary.md) explains slab, zone,\n"
	"per-CPU list and other words.\n"
	"\n"
	"| option | values | default | | meaning |\n"
	"|---|---|---|---|---|\n";

static const char tail[] =
	"\n"
	"*bytes* is a number, with `K`, `M`, `G` or `T` for powers of 1024. A part in brackets\n"
	"is optional, and `...` stands for more of the same.\n";

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
	const char *name, *new_name;

	fputs(head, stdout);
	for (unsigned int i = 0; (row = options_row(i)); i++)
		put_row(row);
	fputs(tail, stdout);
	fputs("\nOld names still work, with the values that they had:", stdout);
	for (unsigned int i = 0; options_old_name_row(i, &name, &new_name); i++)
		printf("%s `%s` is now `%s`", i ? "," : "", name, new_name);
	fputs(".\n", stdout);
	return ferror(stdout) || fclose(stdout);
}
