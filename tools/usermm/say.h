/* SPDX-License-Identifier: MIT */
/*
 * Texts for people. Names of processes, files and caches come from others, and may hold anything:
 * control sequences that a terminal obeys, ends of lines, bytes that are no characters.
 */
#ifndef TOOLS_SAY_H
#define TOOLS_SAY_H

#include <stddef.h>
#include <stdio.h>

/*
 * As fprintf() to a terminal: control characters, bytes that are not UTF-8, and marks that change
 * the direction of the text become \xNN. Only the end of line at the very end of the format stays.
 */
void say(FILE *to, const char *format, ...) __attribute__((__format__(__printf__, 2, 3)));

/* Copies the text as say() writes it, cut between two characters to fit. */
void say_clean(char *to, size_t bytes, const char *text);

#endif
