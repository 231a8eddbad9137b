/* SPDX-License-Identifier: MIT */
/*
 * Measurements in a separate process, for another mode of the library or another malloc. The child
 * is this program again. It writes its rows to standard output, one a line: NAME STEP CYCLES. If
 * there are none, a line that begins with "!" says why.
 */
#ifndef BENCH_CHILD_H
#define BENCH_CHILD_H

struct child_request {
	const char *suite;
	const char *arg;
	const char *preload;	/* a library to preload in the child, or NULL */
	const char *options;	/* appended to USERMM_OPTIONS, or NULL */
	const char *variable;	/* "NAME=VALUE" for the child's environment, or NULL */
};

typedef void (*child_row)(void *context, const char *name, long step, double cycles);

/*
 * Runs the child and passes on its rows. Returns NULL, or what went wrong; rows that came before
 * were passed on.
 */
const char *child_run(const struct child_request *request, child_row row, void *context);

/* In the child: writes a row. With NaN writes none. */
void child_report(const char *name, long step, double cycles);
/* In the child: child_run() will return this one-line reason. Returns an exit code. */
int child_fail(const char *why);

#endif
