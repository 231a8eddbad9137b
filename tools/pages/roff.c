// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "pages/roff.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define TAB 8
/* No word crosses this column of a line of text. With its escapes the line is a little longer. */
#define FILL 64

const char *roff_date = "", *roff_version = "";

/* One character: neither an escape of roff's nor a command at the start of a line. */
static void put_character(FILE *out, char c, bool begins_line)
{
	if (begins_line && (c == '.' || c == '\''))
		fputs("\\&", out);
	switch (c) {
	case '\\':
		fputs("\\e", out);
		break;
	case '-':
		fputs("\\-", out);
		break;
	case '\'':
		fputs("\\(aq", out);
		break;
	case '`':
		fputs("\\(ga", out);
		break;
	case '^':
		fputs("\\(ha", out);
		break;
	case '~':
		fputs("\\(ti", out);
		break;
	default:
		putc(c, out);
	}
}

static void put_plain(FILE *out, const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++)
		put_character(out, text[i], !i);
}

/* An argument of a macro, in quotes. */
static void put_argument(FILE *out, const char *text)
{
	fputs(" \"", out);
	for (; *text; text++)
		if (*text == '"')
			fputs("\\(dq", out);
		else
			put_character(out, *text, false);
	putc('"', out);
}

void roff_begin(FILE *out, const char *name, const char *section, const char *title)
{
	fprintf(out, ".\\\" Made by usermm_pages (tools/pages): do not edit.\n.TH");
	put_argument(out, name);
	put_argument(out, section);
	fprintf(out, " \"%s\" \"usermm %s\"", roff_date, roff_version);
	put_argument(out, title);
	/* Left-aligned, without hyphens: options and names are long words. */
	fprintf(out, "\n.nh\n.ad l\n");
}

void roff_name(FILE *out, const char *names, const char *what)
{
	fprintf(out, ".SH NAME\n");
	roff_text(out, names);
	/* A line of its own: both parts may be long. */
	fprintf(out, "\\- ");
	roff_text(out, what);
}

void roff_section(FILE *out, const char *title)
{
	fprintf(out, ".SH");
	put_argument(out, title);
	putc('\n', out);
}

/* Where the mark that begins at text ends: the same character again, with none of `not` between. */
static const char *closing(const char *text, char mark, const char *not)
{
	const char *end = strchr(text + 1, mark);

	if (!end || end == text + 1 || strcspn(text, not) < (size_t)(end - text))
		return NULL;
	return end;
}

/* [text](link): where the text ends, or NULL. */
static const char *link_end(const char *text)
{
	const char *end = strchr(text, ']');

	return end && end[1] == '(' && strchr(end, ')') ? end : NULL;
}

/* Writes marked text; returns what follows the mark, or NULL if there is none at `text`. */
static const char *put_mark(FILE *out, const char *text, bool begins_word)
{
	const char *end;

	if (*text == '`' && (end = closing(text, '`', "\n"))) {
		fputs("\\fB", out);
		put_plain(out, text + 1, (size_t)(end - text) - 1);
		fputs("\\fR", out);
		return end + 1;
	}
	if (*text == '*' && begins_word && isalpha((unsigned char)text[1]) &&
	    (end = closing(text, '*', " \n"))) {
		fputs("\\fI", out);
		put_plain(out, text + 1, (size_t)(end - text) - 1);
		fputs("\\fR", out);
		return end + 1;
	}
	if (*text == '[' && (end = link_end(text))) {
		put_plain(out, text + 1, (size_t)(end - text) - 1);
		return strchr(end, ')') + 1;
	}
	return NULL;
}

void roff_text(FILE *out, const char *text)
{
	const char *line = text;
	bool begins_line = true;
	char before = ' ';

	while (*text) {
		const char *behind;

		if (!strncmp(text, "\n\n", 2)) {
			fputs(begins_line ? ".PP\n" : "\n.PP\n", out);
			text += strspn(text, "\n");
			line = text;
			begins_line = true;
			before = ' ';
			continue;
		}
		if (isspace((unsigned char)*text)) {
			const char *word = text + strspn(text, " ");
			bool ends_line;

			word += *word == '\n' && word[1] != '\n';
			word += strspn(word, " ");
			ends_line = !begins_line && word + strcspn(word, " \n") - line > FILL;
			if (!begins_line && *word && *word != '\n')
				putc(ends_line ? '\n' : ' ', out);
			text = word;
			if (ends_line)
				line = text;
			begins_line |= ends_line;
			before = ' ';
			continue;
		}
		/* Long lists without spaces may be broken behind a comma. */
		if (before == ',')
			fputs("\\:", out);
		behind = put_mark(out, text, before == ' ' || before == '(');
		if (!behind) {
			put_character(out, *text, begins_line);
			behind = text + 1;
		}
		before = behind[-1];
		begins_line = false;
		text = behind;
	}
	if (!begins_line)
		putc('\n', out);
}

void roff_term(FILE *out, const char *term, const char *text)
{
	fprintf(out, ".TP\n.B");
	put_argument(out, term);
	putc('\n', out);
	roff_text(out, text);
}

void roff_lines(FILE *out, const char *lines, size_t length, const char *font)
{
	unsigned int column = 0;
	bool begins_line = true;

	fprintf(out, ".nf\n.ft %s\n", font);
	for (size_t i = 0; i < length; i++) {
		if (lines[i] == '\t') {
			do
				putc(' ', out);
			while (++column % TAB);
		} else if (lines[i] == '\n') {
			/* An empty line would be a warning. */
			fputs(begins_line ? ".sp\n" : "\n", out);
			column = 0;
			begins_line = true;
			continue;
		} else {
			put_character(out, lines[i], begins_line);
			column++;
		}
		begins_line = false;
	}
	fputs(begins_line ? ".ft R\n.fi\n" : "\n.ft R\n.fi\n", out);
}

/* Where a comment changes from text to lines that begin with a tab, or back. */
static const char *change(const char *text, bool is_table)
{
	const char *end = text;

	while (*end) {
		const char *next = end + strcspn(end, "\n");

		next += *next == '\n';
		/* An empty line belongs to what it follows. */
		if (*end != '\n' && (*end == '\t') != is_table)
			break;
		end = next;
	}
	return end;
}

void roff_comment(FILE *out, const char *comment)
{
	while (*comment) {
		bool is_table = *comment == '\t';
		const char *end = change(comment, is_table);
		char *part = strndup(comment, (size_t)(end - comment));
		size_t length = part ? strlen(part) : 0;

		if (!part)
			return;
		while (length && isspace((unsigned char)part[length - 1]))
			part[--length] = '\0';
		if (is_table)
			roff_lines(out, part, length, "R");
		else
			roff_text(out, part);
		if (*end)
			fprintf(out, ".PP\n");
		free(part);
		comment = end;
	}
}

void roff_reference(FILE *out, const char *name, const char *section, int is_last)
{
	fprintf(out, ".BR ");
	put_plain(out, name, strlen(name));
	fprintf(out, " (%s)%s\n", section, is_last ? "" : ",");
}
