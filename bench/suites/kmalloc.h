/* SPDX-License-Identifier: MIT */
/*
 * Suite kmalloc in two parts: measurements in a separate process for each path, and the suite that
 * shows them (kmalloc.c). The processes pass rows by name and step. The step is a size; in the
 * rows bulk and bulk_single it is a number of objects.
 */
#ifndef BENCH_KMALLOC_H
#define BENCH_KMALLOC_H

#include "loops/loop.h"

#define NR_KMALLOC_SIZES 12
extern const long kmalloc_bench_sizes[NR_KMALLOC_SIZES];

/* Threads on all CPUs use only this many of the sizes, from the first on. */
#define NR_TEAM_SIZES 10

/* Rows alloc, free, pair, pair16, remote_alloc, remote_free. */
void kmalloc_measure_single(void);
/* Rows bulk and bulk_single: objects of BULK_BYTES, `step` in a call, or one by one. */
#define BULK_BYTES 256
void kmalloc_measure_bulk(void);
/* Rows TEST_alloc.CPU, TEST_free.CPU, TEST_faults and TEST_waits for each of the tests. */
enum team_test { TEAM_STREAM, TEAM_PAIR, TEAM_REMOTE, TEAM_HANDED, NR_TEAM_TESTS };
extern const char *const kmalloc_team_names[NR_TEAM_TESTS];
void kmalloc_measure_team(void);
/*
 * Rows lines_OPERATION for pair, pair16, alloc and free; for pair also split by the kind of data.
 * alloc and free handle several objects. A single step takes microseconds, so only a few sizes are
 * traced, in a separate process: see lines.h. Returns NULL, or why there are no rows.
 */
#define KMALLOC_LINES_STREAM 128
#define NR_LINES_SIZES 5
extern const long kmalloc_lines_sizes[NR_LINES_SIZES];
const char *kmalloc_measure_lines(void);

/* The name of a team member's row. */
const char *kmalloc_team_row(enum team_test test, const char *phase, unsigned int cpu,
			     char name[static 32]);

#endif
