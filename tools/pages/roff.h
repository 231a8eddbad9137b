/* SPDX-License-Identifier: MIT */
/*
 * Writes man pages in the macros of man(7), which groff and mandoc read.
 *
 * Texts are plain: `code` in backticks becomes bold, *name* becomes italic, [text](link) becomes
 * the text. An empty line begins a paragraph.
 */
#ifndef PAGES_ROFF_H
#define PAGES_ROFF_H

#include <stddef.h>
#include <stdio.h>

/* The date and the version in the foot of each page. */
extern const char *roff_date, *roff_version;

void roff_begin(FILE *out, const char *name, const char *section, const char *title);
/* "NAME, NAME \- what": names are separated by ", ". */
void roff_name(FILE *out, const char *names, const char *what);
void roff_section(FILE *out, const char *title);
void roff_text(FILE *out, const char *text);
/* A row of a list: a term, which is written as it is in bold, and its text. */
void roff_term(FILE *out, const char *term, const char *text);
/*
 * length bytes of lines that keep their breaks and spaces; tabs become spaces. font: "R" or "B".
 */
void roff_lines(FILE *out, const char *lines, size_t length, const char *font);
/* A comment of a source: paragraphs, in which lines that begin with a tab keep their breaks. */
void roff_comment(FILE *out, const char *comment);
/* "usermm(3), usermm\-bench(1)": one reference of a list; the last one has no comma. */
void roff_reference(FILE *out, const char *name, const char *section, int is_last);

#endif
