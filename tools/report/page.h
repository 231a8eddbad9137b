/* SPDX-License-Identifier: MIT */
/*
 * The frame of a page: head, title, the button for dark and light, styles and scripts. All of them
 * are inside of the page, so it needs nothing beside it.
 */
#ifndef REPORT_PAGE_H
#define REPORT_PAGE_H

#include <stdio.h>

#define PAGE_PARTS_MAX 5

/* Names of files in tools/report/page, up to the first NULL. */
struct page_parts {
	const char *styles[PAGE_PARTS_MAX], *licences[PAGE_PARTS_MAX], *scripts[PAGE_PARTS_MAX];
};

struct page {
	FILE *out;
	const char *folder;		/* report_parts() */
	const struct page_parts *parts;
	char *failed;			/* gets the path of a part that cannot be read */
	size_t failed_bytes;
};

/* Between the two the caller writes the page's body. 0; -1: a part cannot be read. */
int page_begin(const struct page *page, const char *title);
int page_end(const struct page *page);

/* Writes a text so that it is no markup. */
void html_put(FILE *out, const char *text);

/* The folder with the parts, beside the program or in ../share/usermm; NULL: not installed. */
const char *report_parts(void);

#endif
