/* SPDX-License-Identifier: MIT */
/*
 * Measurements in a process of their own: another mode of the library, or
 * another malloc, cannot be had in this one. The child is this program again;
 * it writes its rows to standard output, one a line: NAME STEP CYCLES; or, behind "!", why
 * there are none.
 */
#ifndef BENCH_CHILD_H
#define BENCH_CHILD_H

struct child_request {
	const char *suite;
	const char *arg;
	const char *preload;	/* a library for the child, or NULL for none */
	const char *options;	/* goes behind what USERMM_OPTIONS holds, or NULL */
	const char *variable;	/* "NAME=VALUE" for the child's environment, or NULL */
};

typedef void (*child_row)(void *context, const char *name, long step, double cycles);

/*
 * Runs the child and hands on its rows. NULL, or what went wrong; rows that
 * came before that have been handed on.
 */
const char *child_run(const struct child_request *request, child_row row, void *context);

/* In the child. NaN is no row. */
void child_report(const char *name, long step, double cycles);
/* In the child: what child_run() is to say went wrong, one line. Returns an exit code. */
int child_fail(const char *why);

#endif
