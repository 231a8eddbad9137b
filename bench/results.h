/* SPDX-License-Identifier: MIT */
/*
 * Rows: what a suite found, as JSON, and helpers to show it to people.
 *
 * A row is {"name", "step", "cycles", "ns", ...}; cycles and ns are per object
 * or page. step says for what size, order or number the row holds, 1 where it
 * has no such parameter.
 */
#ifndef BENCH_RESULTS_H
#define BENCH_RESULTS_H

#include "bench.h"

/*
 * Adds a row; the caller may set further members of it. With cycles NaN there
 * is no row and the result is NULL, to which json.h adds nothing.
 */
struct json *results_add(struct bench *bench, const char *name, long step, double cycles);
/* The same, with the instructions if they were counted. */
struct json *results_add_counted(struct bench *bench, const char *name, long step,
				 double cycles, double instructions);

/* {"machine", "calibration"}, and the lines that say the same. */
struct json *results_machine(void);
struct json *results_calibration(const struct calibration *calibration);
void results_print_head(struct bench *bench, const struct json *machine);
void results_print_calibration(struct bench *bench);

void bench_print(struct bench *bench, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Text for one figure; "-" for NaN. Each lies in a buffer of its own, 16 of them. */
const char *show_cycles(double cycles);
const char *show_ns(double cycles);
/* As a multiple of R: "2.4R". */
const char *show_ratio(const struct bench *bench, double cycles);
/* Whole cycles, as the seeds print them. */
const char *show_whole(double cycles);

#endif
