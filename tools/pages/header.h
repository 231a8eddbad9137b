/* SPDX-License-Identifier: MIT */
/*
 * Reads a public header as documentation.
 *
 * A header begins with a comment about all of it. Then each comment at the start of a line is about
 * the declarations that follow it, up to an empty line or the next comment. Together they are an
 * entry. Declarations without a comment are an entry, too.
 */
#ifndef PAGES_HEADER_H
#define PAGES_HEADER_H

#include <stddef.h>

#define HEADER_NAMES_MAX 128

struct header_entry {
	char *comment;		/* without the stars; "" if there is none */
	char *declarations;	/* without attributes and bodies of functions */
};

struct header {
	const char *file;	/* "slab.h" */
	char *comment;		/* about the whole header */
	struct header_entry *entries;
	unsigned int nr_entries;
	/* The functions and function-like macros, in order. */
	char *names[HEADER_NAMES_MAX];
	unsigned int nr_names;
};

/* Reads the file; 0, or -1 after a message. Nothing is freed: the program ends soon. */
int header_read(struct header *header, const char *path);

#endif
