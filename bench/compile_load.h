/* SPDX-License-Identifier: MIT */
/*
 * Seed 3's own load, a compile: a recorded one (loads/) is replayed through pgtable, and every
 * table that it takes or gives back is timed.
 */
#ifndef BENCH_COMPILE_LOAD_H
#define BENCH_COMPILE_LOAD_H

#include <stdbool.h>

#include "loads/trace.h"
#include "loops/table_timings.h"

/* NULL, or what went wrong. */
const char *compile_load_time(struct trace *trace, bool by_quicklist,
			      struct timings timings[LEVELS]);

/* What the calls for tables of one level took on average; NaN where it is not counted. */
struct table_counts {
	double instructions, cache_misses;
};

/* The same with the CPU's counters around every call instead of the clock. */
const char *compile_load_count(struct trace *trace, bool by_quicklist,
			       struct table_counts counts[LEVELS]);

#endif
