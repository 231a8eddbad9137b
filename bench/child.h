/* SPDX-License-Identifier: MIT */
/*
 * Measurements in a separate process, for another mode of the library or another malloc. The child
 * is this program again. It writes its rows to standard output, one a line: NAME STEP CYCLES, and
 * notes: =NAME TEXT. If there are none, a line that begins with "!" says why.
 */
#ifndef BENCH_CHILD_H
#define BENCH_CHILD_H

typedef void (*child_row)(void *context, const char *name, long step, double cycles);

struct child_request {
	const char *suite;
	const char *arg;
	const char *preload;	/* a library to preload in the child, or NULL */
	const char *options;	/* appended to USERMM_OPTIONS, or NULL */
	const char *variable;	/* "NAME=VALUE" for the child's environment, or NULL */
	/* Takes notes; or NULL. */
	void (*note)(void *context, const char *name, const char *text);
};

/*
 * Runs the child and passes on its rows and notes. Returns NULL, or what went wrong; what came
 * before was passed on.
 */
const char *child_run(const struct child_request *request, child_row row, void *context);

/* In the child: writes a row. With NaN writes none. */
void child_report(const char *name, long step, double cycles);
/* In the child: passes on a text, of one line. */
void child_note(const char *name, const char *text);
/* In the child: child_run() will return this one-line reason. Returns an exit code. */
int child_fail(const char *why);

#endif
