/* SPDX-License-Identifier: MIT */
/*
 * Time, CPUs and repetition for benchmarks.
 *
 * A loop is measured at all its places (loops/loop.h). The result of a case
 * is the median over the places of the medians over the rounds. All cases of
 * one call take turns, round by round, so a disturbance that lasts for a while
 * spoils one round of each and not all rounds of one.
 */
#ifndef BENCH_TIMING_H
#define BENCH_TIMING_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "loops/loop.h"

/*
 * One row, or two if the loop has two phases. Rounds in which an operation
 * failed do not count; with too few good ones the result is NaN.
 */
struct bench_case {
	const bench_loop *loops;	/* BENCH_PLACEMENTS of them */
	long step;
	void *arg;
	unsigned long n;		/* iterations; 0 = as many as fill a slice */
	double per;			/* objects of one iteration; 0 = 1 */
	double bare;			/* loop iterations that are not its cost */
	/* Results, per object. */
	double cycles[BENCH_PHASES];
	double instructions;		/* NaN where they cannot be counted */
};

/* Once, before anything else: the counter's rate and the cost of reading it. */
void timing_init(void);
double timing_hz(void);
double timing_ns(double cycles);
/* Cycles that an empty begin/end takes on average. */
double timing_overhead(void);
/* Cycles between two readings of the counter that differ: it may tick rarely. */
double timing_resolution(void);
/* Cycles of one iteration of an empty loop. */
double timing_loop_overhead(void);

/* The CPUs for the benchmark's first and second thread; -1 if there is none. */
int timing_cpu(unsigned int thread);
bool timing_pin(int cpu);
/* Undoes timing_pin() for the calling thread: the CPUs the process came with. */
void timing_unpin(void);

/* Rounds >= 1; pins the calling thread to the first CPU. */
void bench_measure(struct bench_case *cases, unsigned int nr, unsigned int rounds);
/* The same with both CPUs at once; false if there is one only. */
bool bench_measure_2cpu(struct bench_case *cases, unsigned int nr, unsigned int rounds);

/* One run of the case's first phase at one place: cycles per object, or NaN. */
double bench_sample(const struct bench_case *c, unsigned int place);

/* Sorts values; the median of those that are not NaN, NaN if there are none. */
double bench_median(double *values, unsigned int nr);

#endif
