/* SPDX-License-Identifier: MIT */
/*
 * Suite kmalloc, in parts: what is measured in a process of the path's own, and what the
 * suite makes of it (kmalloc.c). Between them are rows by name and step: a size, or for
 * bulk_... a number of objects.
 */
#ifndef BENCH_KMALLOC_H
#define BENCH_KMALLOC_H

#include "loops/loop.h"

#define NR_KMALLOC_SIZES 12
extern const long kmalloc_bench_sizes[NR_KMALLOC_SIZES];

/* The sizes that threads on all CPUs take: the first so many. */
#define NR_TEAM_SIZES 10

/* Rows alloc, free, pair, pair16, remote_alloc, remote_free. */
void kmalloc_measure_single(void);
/* Rows bulk and bulk_single: objects of BULK_BYTES, so many in a call, or one by one. */
#define BULK_BYTES 256
void kmalloc_measure_bulk(void);
/* Rows TEST_alloc.CPU, TEST_free.CPU, TEST_faults, TEST_waits of each of the tests. */
enum team_test { TEAM_STREAM, TEAM_PAIR, TEAM_REMOTE, TEAM_HANDED, NR_TEAM_TESTS };
extern const char *const kmalloc_team_names[NR_TEAM_TESTS];
void kmalloc_measure_team(void);
/*
 * Rows lines_OPERATION of pair, pair16, alloc and free, and for pair also of what lies there.
 * Alloc and free are of so many objects. A step takes microseconds, so there are a few sizes
 * only, in a process of their own: see lines.h. NULL, or why there are none.
 */
#define KMALLOC_LINES_STREAM 128
#define NR_LINES_SIZES 5
extern const long kmalloc_lines_sizes[NR_LINES_SIZES];
const char *kmalloc_measure_lines(void);

/* The name of a member's row. */
const char *kmalloc_team_row(enum team_test test, const char *phase, unsigned int cpu,
			     char name[static 32]);

#endif
