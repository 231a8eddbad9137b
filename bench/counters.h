/* SPDX-License-Identifier: MIT */
/*
 * What a piece of code does to the processor: from the CPU's counters where
 * the machine lets us have them. Where it does not, the instructions of short pieces
 * can still be counted one step at a time, which is exact and very slow, and restarts
 * every restartable sequence: it serves plain computations only.
 */
#ifndef BENCH_COUNTERS_H
#define BENCH_COUNTERS_H

#include <stdbool.h>

/* In user space. Misses are those of loads in the first-level data cache. */
enum counter { COUNT_INSTRUCTIONS, COUNT_CACHE_MISSES, NR_COUNTERS };

/* Is there such a hardware counter for this process? */
bool counters_have(enum counter counter);
bool counters_available(void);		/* of instructions */

/* Between the two of them; NaN if not counted. One at a time. */
void counters_start(enum counter counter);
double counters_stop(enum counter counter);

/* Instructions in user space that function(arg) took; NaN if not counted. */
double bench_count_instructions(void (*function)(void *arg), void *arg);
/* The same by single steps; NaN where the machine cannot step itself. */
double bench_step_instructions(void (*function)(void *arg), void *arg);

#endif
