// SPDX-License-Identifier: MIT
#include <string.h>

#include "base/options.h"
#include "pages/pages.h"
#include "pages/roff.h"

static const char intro[] =
	"Write options as `name=value`, separated by `:`, in the environment variable\n"
	"`USERMM_OPTIONS`, or behind `-o` of the command `usermm`. They are read once, before\n"
	"the first allocation. The command answers a bad option with one line and exit status\n"
	"2. A preloaded library prints one warning, and the program runs on. A program with\n"
	"raised privileges (AT_SECURE) ignores the variable.\n"
	"\n"
	"`usermm doctor --options` shows all options with the values in force.\n";

/* Only for docs/options.md. */
static const char origin[] =
	"[tuning.md](tuning.md) says which option suits which workload. This page is written by\n"
	"`cmake --build --preset release --target update_options` from `src/base/options.def`.\n";

static const char stability[] =
	"A *stable* option keeps its name and meaning. A *testing* option is for tests of the\n"
	"library itself, and may change.";

static const char glossary[] =
	" The [glossary](glossary.md) explains slab, zone,\n"
	"per-CPU list and other words.\n";

static const char values[] =
	"*bytes* is a number, with `K`, `M`, `G` or `T` for powers of 1024. A part in brackets\n"
	"is optional, and `...` stands for more of the same.\n";

static const char old_names[] = "Old names still work, with the values that they had:";

static int is_size(const struct option_row *row)
{
	return !strcmp(row->type, "SIZE");
}

static const char *stability_of(const struct option_row *row)
{
	return !strcmp(row->stability, "STABLE") ? "stable" : "testing";
}

/* --- docs/options.md ------------------------------------------------------------ */

/* A | would end the cell of a Markdown table, even inside code. */
static void put_code(FILE *out, const char *text)
{
	putc('`', out);
	for (; *text; text++)
		fputs(*text == '|' ? "` `" : (char[]){ *text, '\0' }, out);
	putc('`', out);
}

static void put_row(FILE *out, const struct option_row *row)
{
	char value[64];

	options_format_value(row, row->default_value, value, sizeof(value));
	fprintf(out, "| `%s` | ", row->name);
	put_code(out, row->range);
	fprintf(out, "%s | `%s` | %s | %s |\n", is_size(row) ? " bytes" : "", value,
		stability_of(row), row->help);
}

void pages_write_options_markdown(FILE *out)
{
	const struct option_row *row;
	const char *name, *new_name;

	fprintf(out, "# Options\n\n%s%s\n%s%s\n", intro, origin, stability, glossary);
	fputs("| option | values | default | | meaning |\n|---|---|---|---|---|\n", out);
	for (unsigned int i = 0; (row = options_row(i)); i++)
		put_row(out, row);
	fprintf(out, "\n%s\n%s", values, old_names);
	for (unsigned int i = 0; options_old_name_row(i, &name, &new_name); i++)
		fprintf(out, "%s `%s` is now `%s`", i ? "," : "", name, new_name);
	fputs(".\n", out);
}

/* --- usermm-options(7) ---------------------------------------------------------- */

static void put_option(FILE *out, const struct option_row *row)
{
	char term[160], text[1200], value[64];

	options_format_value(row, row->default_value, value, sizeof(value));
	snprintf(term, sizeof(term), "%s=%s%s", row->name, row->range,
		 is_size(row) ? " (bytes)" : "");
	snprintf(text, sizeof(text), "%s. Default: %s; %s.", row->help, value, stability_of(row));
	roff_term(out, term, text);
}

void pages_write_options(FILE *out)
{
	const struct option_row *row;
	const char *name, *new_name;
	char term[80];

	roff_begin(out, "USERMM-OPTIONS", "7", "usermm");
	roff_name(out, "usermm-options", "options of the library usermm");
	roff_section(out, "DESCRIPTION");
	roff_text(out, intro);
	roff_text(out, "\n\n");
	roff_text(out, stability);
	roff_section(out, "OPTIONS");
	for (unsigned int i = 0; (row = options_row(i)); i++)
		put_option(out, row);
	roff_section(out, "VALUES");
	roff_text(out, values);
	roff_section(out, "OLD NAMES");
	roff_text(out, old_names);
	for (unsigned int i = 0; options_old_name_row(i, &name, &new_name); i++) {
		snprintf(term, sizeof(term), "is now `%s`", new_name);
		roff_term(out, name, term);
	}
	roff_section(out, "SEE ALSO");
	roff_reference(out, "usermm", "1", 0);
	roff_reference(out, "usermm-doctor", "1", 0);
	roff_reference(out, "usermm", "3", 1);
}
