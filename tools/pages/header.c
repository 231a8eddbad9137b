// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "pages/header.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Text that grows. */
struct text {
	char *all;
	size_t used, size;
};

static void add(struct text *text, const char *more, size_t length)
{
	if (text->used + length + 1 > text->size) {
		text->size = 2 * (text->size + length + 1);
		text->all = realloc(text->all, text->size);
		if (!text->all) {
			fprintf(stderr, "usermm_pages: out of memory\n");
			exit(1);
		}
	}
	memcpy(text->all + text->used, more, length);
	text->used += length;
	text->all[text->used] = '\0';
}

static void add_line(struct text *text, const char *line, size_t length)
{
	add(text, line, length);
	add(text, "\n", 1);
}

static char *taken(struct text *text)
{
	char *all;

	add(text, "", 0);
	all = text->all;
	*text = (struct text){ 0 };
	return all;
}

static bool starts(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

/* Appends a comment's text; returns what follows the comment. */
static const char *read_comment(const char *at, struct text *text)
{
	const char *end = strstr(at, "*/");

	if (!end)
		return at + strlen(at);
	for (at += 2; at < end;) {
		size_t length = strcspn(at, "\n");
		const char *line = at;

		if (line + length > end)
			length = (size_t)(end - line);
		at = line + length + 1;
		/* " * text", " *", or the first line behind the opening. */
		while (length && *line == ' ')
			line++, length--;
		if (length && *line == '*')
			line++, length--;
		if (length && *line == ' ')
			line++, length--;
		while (length && line[length - 1] == ' ')
			length--;
		if (length || text->used)
			add_line(text, line, length);
	}
	end += 2;
	return *end == '\n' ? end + 1 : end;
}

/* Does an attribute begin here? It stands behind a prototype, for the compiler alone. */
static bool is_attribute(const char *at)
{
	return starts(at, "USERMM_API(") || starts(at, "USERMM_MUST_CHECK") ||
	       starts(at, "USERMM_MALLOC") || starts(at, "USERMM_ALLOC_SIZE(") ||
	       starts(at, "USERMM_BINDING") ||
	       starts(at, "__attribute__(") || starts(at, "__asm__(") ||
	       starts(at, "__extension__");
}

/* What follows a word and its arguments in brackets, if it has any. */
static const char *behind_attribute(const char *at)
{
	int depth = 0;

	at += strspn(at, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789");
	if (*at != '(')
		return at;
	do {
		depth += *at == '(';
		depth -= *at == ')';
		at++;
	} while (*at && depth);
	return at;
}

static void remove_trailing_space(struct text *text)
{
	while (text->used && isspace((unsigned char)text->all[text->used - 1]))
		text->used--;
}

/* The end of a body in braces. */
static const char *behind_body(const char *at)
{
	int depth = 0;

	do {
		depth += *at == '{';
		depth -= *at == '}';
		at++;
	} while (*at && depth);
	return at;
}

/* Does the declaration so far end in a parameter list, so that a brace begins a function? */
static bool is_function(const struct text *text, size_t from)
{
	size_t last = text->used;

	while (last > from && isspace((unsigned char)text->all[last - 1]))
		last--;
	return last > from && text->all[last - 1] == ')';
}

/*
 * Skips conditions inside of a declaration, with the parts that are for C++ or for some processors.
 * Returns where the declaration goes on.
 */
static const char *behind_condition(const char *at)
{
	bool is_else = starts(at, "#ifdef __cplusplus"), skips = starts(at, "#if");

	do
		at += strcspn(at, "\n") + 1;
	while (skips && *at && !starts(at, "#endif") && !(is_else && starts(at, "#else")));
	if (skips && *at)
		at += strcspn(at, "\n") + 1;
	return at;
}

/* Begins a line that stands further to the left by so many columns; returns what follows. */
static const char *add_indent(struct text *text, const char *at, unsigned int removed)
{
	unsigned int column = 0;

	for (; *at == '\t' || *at == ' '; at++)
		column = *at == '\t' ? (column / 8 + 1) * 8 : column + 1;
	add(text, "\n", 1);
	for (; column > removed; column--)
		add(text, " ", 1);
	return at;
}

/* Appends one declaration, up to its semicolon; returns what follows. */
static const char *read_declaration(const char *at, struct text *text)
{
	size_t from = text->used;
	unsigned int removed = 0;
	bool in_word = false;
	int depth = 0;

	if (starts(at, "static inline ")) {
		removed = strlen("static inline ");
		at += removed;
	}
	for (; *at; in_word = isalnum((unsigned char)*at) || *at == '_', at++) {
		while (*at == '#' && at[-1] == '\n')
			at = behind_condition(at);
		if (!in_word && is_attribute(at)) {
			at = behind_attribute(at);
			at += strspn(at, " ");
			if (*at == '\n' || *at == ';')
				remove_trailing_space(text);
			at--;
			continue;
		}
		if (*at == '{' && !depth && is_function(text, from)) {
			at = behind_body(at);
			remove_trailing_space(text);
			add_line(text, ";", 1);
			return *at == '\n' ? at + 1 : at;
		}
		/* An attribute stood on a line of its own. */
		if (*at == '\n' && text->used > from && text->all[text->used - 1] == '\n')
			continue;
		if (*at == ';' && !depth)
			remove_trailing_space(text);
		if (*at == '\n' && removed) {
			at = add_indent(text, at + 1, removed) - 1;
			continue;
		}
		add(text, at, 1);
		depth += *at == '{';
		depth -= *at == '}';
		if (*at == ';' && !depth) {
			/* A comment behind it stays on its line. */
			size_t rest = strcspn(++at, "\n");

			add_line(text, at, rest);
			return at + rest + (at[rest] == '\n');
		}
	}
	return at;
}

/* Appends a macro with its lines; one that takes arguments without what it stands for. */
static const char *read_macro(const char *at, struct text *text)
{
	const char *end = at;

	do
		end += strcspn(end, "\n") + 1;
	while (end[-1] && end - at > 1 && end[-2] == '\\');
	add(text, at, (size_t)(end - at));
	return end;
}

/* Lines that are for the compiler: conditions, includes, and the frame of the header. */
static bool is_frame(const char *at)
{
	return (*at == '#' && !starts(at, "#define")) || starts(at, "USERMM_BEGIN_DECLS") ||
	       starts(at, "USERMM_END_DECLS") || starts(at, "#define USERMM_BINDING ") ||
	       (starts(at, "#define USERMM_") && strstr(at, "_H\n") == at + strcspn(at, "\n") - 2);
}

/* "struct page;" says nothing to a reader. */
static bool is_forward(const char *at)
{
	size_t length = strcspn(at, "\n");

	return starts(at, "struct ") && at[length - 1] == ';' &&
	       strcspn(at + 7, " ;") == length - 8;
}

static void finish_entry(struct header *header, struct text *comment, struct text *declarations)
{
	struct header_entry *entry;

	if (!comment->used && !declarations->used)
		return;
	if (!declarations->used) {
		/* A comment between two empty lines is about what follows it as a whole. */
		taken(declarations);
	}
	header->entries = realloc(header->entries,
				  (header->nr_entries + 1) * sizeof(*header->entries));
	if (!header->entries)
		exit(1);
	entry = &header->entries[header->nr_entries++];
	entry->comment = taken(comment);
	entry->declarations = taken(declarations);
}

static void add_name(struct header *header, const char *name, size_t length)
{
	for (unsigned int i = 0; i < header->nr_names; i++)
		if (strlen(header->names[i]) == length && !strncmp(header->names[i], name, length))
			return;
	if (header->nr_names < HEADER_NAMES_MAX)
		header->names[header->nr_names++] = strndup(name, length);
}

/* The name in front of the first bracket of each declaration that is a function or a macro. */
static void find_names(struct header *header, const char *declarations)
{
	for (const char *line = declarations; *line; line += strcspn(line, "\n") + 1) {
		const char *bracket = line + strcspn(line, "(\n;={/");
		const char *name = bracket;

		if (!isalpha((unsigned char)*line) && *line != '_' && *line != '#')
			continue;	/* inside of a structure, or a line that goes on */
		if (*bracket != '(' || starts(line, "typedef"))
			continue;
		while (name > line && (isalnum((unsigned char)name[-1]) || name[-1] == '_'))
			name--;
		if (name < bracket)
			add_name(header, name, (size_t)(bracket - name));
	}
}

static char *read_file(const char *path)
{
	struct text text = { 0 };
	char buffer[4096];
	FILE *from = fopen(path, "r");
	size_t length;

	if (!from) {
		fprintf(stderr, "usermm_pages: %s: %s\n", path, strerror(errno));
		return NULL;
	}
	while ((length = fread(buffer, 1, sizeof(buffer), from)))
		add(&text, buffer, length);
	fclose(from);
	return taken(&text);
}

static void read_entries(struct header *header, const char *at)
{
	struct text comment = { 0 }, declarations = { 0 };

	while (*at) {
		if (*at == '\n') {
			finish_entry(header, &comment, &declarations);
			at++;
		} else if (starts(at, "/*")) {
			finish_entry(header, &comment, &declarations);
			at = read_comment(at, &comment);
		} else if (starts(at, "#else")) {
			/* Another build's. */
			at = strstr(at, "#endif") ? strstr(at, "#endif") : at + strlen(at);
		} else if (is_frame(at) || is_forward(at)) {
			at += strcspn(at, "\n") + 1;
		} else if (*at == '#') {
			at = read_macro(at, &declarations);
		} else {
			at = read_declaration(at, &declarations);
		}
	}
	finish_entry(header, &comment, &declarations);
}

int header_read(struct header *header, const char *path)
{
	struct text comment = { 0 };
	const char *slash = strrchr(path, '/'), *at;
	char *text = read_file(path);

	if (!text)
		return -1;
	*header = (struct header){ .file = slash ? slash + 1 : path };
	at = strchr(text, '\n');	/* behind the licence */
	if (!at || !starts(at + 1, "/*")) {
		fprintf(stderr, "usermm_pages: %s: its second line begins no comment about "
				"it\n", path);
		return -1;
	}
	at = read_comment(at + 1, &comment);
	header->comment = taken(&comment);
	read_entries(header, at);
	for (unsigned int i = 0; i < header->nr_entries; i++)
		find_names(header, header->entries[i].declarations);
	return 0;
}
