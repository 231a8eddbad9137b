/* SPDX-License-Identifier: MIT */
/*
 * Rows: a suite's results as JSON, and functions to show them to people.
 *
 * A row is {"name", "step", "cycles", "ns", ...}. cycles and ns are per object or page. step is the
 * row's size, order or number; 1 if the row has no such parameter.
 */
#ifndef BENCH_RESULTS_H
#define BENCH_RESULTS_H

#include "bench.h"

/*
 * Adds a row and returns it; the caller may add further members. If cycles is NaN, adds none and
 * returns NULL, to which json.h adds nothing.
 */
struct json *results_add(struct bench *bench, const char *name, long step, double cycles);
/* results_add(), with the number of instructions, if they were counted. */
struct json *results_add_counted(struct bench *bench, const char *name, long step,
				 double cycles, double instructions);

/* The JSON values "machine" and "calibration", and functions that print them. */
struct json *results_machine(void);
struct json *results_calibration(const struct calibration *calibration);
void results_print_head(struct bench *bench, const struct json *machine);
void results_print_calibration(struct bench *bench);

void bench_print(struct bench *bench, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Text for one figure; "-" for NaN. Valid during the next 15 calls. */
const char *show_cycles(double cycles);
const char *show_ns(double cycles);
/* Shows cycles as a multiple of R: "2.4R". */
const char *show_ratio(const struct bench *bench, double cycles);
/* Shows whole cycles, as the seeds do. */
const char *show_whole(double cycles);

#endif
