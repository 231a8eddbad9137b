/* SPDX-License-Identifier: MIT */
/* `usermm top`: what is shown, and how it gets on the terminal. */
#ifndef INSPECT_TOP_H
#define INSPECT_TOP_H

#include "show.h"

#define TOP_LINE_BYTES 256

struct top {
	const char *target;		/* NULL: all processes */
	enum cache_order order;
	bool batch, json;
	long rounds;			/* 0: for ever */
	double delay_seconds;
};

/* The lines of one picture. */
struct top_lines {
	char (*lines)[TOP_LINE_BYTES];
	size_t nr, room;
	size_t head;			/* this line has the columns' names */
};
void top_line(struct top_lines *lines, const char *format, ...)
	__attribute__((__format__(__printf__, 2, 3)));

/* Fills in the lines anew, or *document. */
enum inspect_status top_draw(struct top *top, struct top_lines *lines, json_t **document,
			     char error[INSPECT_TEXT_BYTES]);
void top_end(void);

/*
 * top_screen.c: draws again and again on the terminal until the user quits. False if this tool was
 * built without ncursesw, or if there is no terminal.
 */
bool top_screen(struct top *top, enum inspect_status *status, char error[INSPECT_TEXT_BYTES]);

#endif
