/* SPDX-License-Identifier: MIT */
/*
 * How many instructions a piece of code executes: from the CPU's counter where
 * the machine lets us have it. Where it does not, short pieces can still be
 * counted one step at a time, which is exact and very slow, and restarts every
 * restartable sequence: it serves plain computations only.
 */
#ifndef BENCH_COUNTERS_H
#define BENCH_COUNTERS_H

#include <stdbool.h>

/* Is there a hardware counter for this process? */
bool counters_available(void);

/* Instructions in user space that function(arg) took; NaN if not counted. */
double bench_count_instructions(void (*function)(void *arg), void *arg);
/* The same by single steps; NaN where the machine cannot step itself. */
double bench_step_instructions(void (*function)(void *arg), void *arg);

#endif
