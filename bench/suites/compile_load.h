/* SPDX-License-Identifier: MIT */
/*
 * Seed 3's own load: a compile. A recorded one (loads/) is replayed on page tables of pgtable, and
 * every allocation and free of a table is timed.
 */
#ifndef BENCH_COMPILE_LOAD_H
#define BENCH_COMPILE_LOAD_H

#include <stdbool.h>

#include "loads/trace.h"
#include "loops/table_timings.h"

/* NULL, or what went wrong. */
const char *compile_load_time(struct trace *trace, bool by_quicklist,
			      struct timings timings[LEVELS]);

/* Averages for one call, for tables of one level; NaN if not counted. */
struct table_counts {
	double instructions, cache_misses;
};

/* compile_load_time(), but with the CPU's counters around every call instead of the clock. */
const char *compile_load_count(struct trace *trace, bool by_quicklist,
			       struct table_counts counts[LEVELS]);

#endif
