/* SPDX-License-Identifier: MIT */
/*
 * One line at the bottom of a terminal that says how far long work is. It is for people who wait:
 * if standard error or the output is no terminal, nothing is written.
 */
#ifndef BENCH_PROGRESS_H
#define BENCH_PROGRESS_H

#include <stdio.h>

/* Turns the line on, if `out`, where the results go, and standard error are terminals. */
void progress_begin(FILE *out);

/*
 * Says what is being done, as part `done` of `all` (all is 0: not known). The line also shows the
 * seconds since the text changed. It is written again after at least a quarter of a second.
 */
void progress_show(const char *what, unsigned int done, unsigned int all);

/* Counts a part of what progress_show() said, and shows it: call it between measurements. */
void progress_tick(void);

/* Removes the line. Call it before anything else is written to the terminal. */
void progress_clear(void);

#endif
