/* SPDX-License-Identifier: MIT */
/*
 * Counts instructions and cache misses with the CPU's counters, if the machine permits it.
 * Otherwise the instructions of short pieces of code can be counted by single steps. This is exact
 * but very slow, and aborts every restartable sequence, so it serves only for plain computations.
 */
#ifndef BENCH_COUNTERS_H
#define BENCH_COUNTERS_H

#include <stdbool.h>

/* Both count user space only. Misses are loads that miss the first-level data cache. */
enum counter { COUNT_INSTRUCTIONS, COUNT_CACHE_MISSES, NR_COUNTERS };

/* Is there such a hardware counter for this process? */
bool counters_have(enum counter counter);
bool counters_available(void);		/* is there one for instructions? */

/* stop returns the count since start; NaN if not counted. One counter at a time. */
void counters_start(enum counter counter);
double counters_stop(enum counter counter);

/* Instructions of function(arg) in user space; NaN if not counted. */
double bench_count_instructions(void (*function)(void *arg), void *arg);
/* bench_count_instructions() by single steps; NaN if a program cannot step itself here. */
double bench_step_instructions(void (*function)(void *arg), void *arg);

#endif
