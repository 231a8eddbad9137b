/* SPDX-License-Identifier: MIT */
/*
 * Time, CPUs and repetition for benchmarks.
 *
 * A loop is measured at all its places (loops/loop.h). A case's result is the median over the
 * places of the medians over the rounds. All cases of a call take turns, round by round, so a
 * disturbance that lasts for a while spoils one round of each case, not all rounds of one.
 */
#ifndef BENCH_TIMING_H
#define BENCH_TIMING_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "loops/loop.h"

/*
 * A case: one row, or two if the loop has two phases. Rounds in which an operation failed do not
 * count. With too few good rounds the result is NaN.
 */
struct bench_case {
	const bench_loop *loops;	/* BENCH_PLACEMENTS of them */
	long step;
	void *arg;
	unsigned long n;		/* iterations; 0: as many as fill a time slice */
	double per;			/* objects in one iteration; 0 means 1 */
	double bare;			/* empty iterations to subtract for each iteration */
	/* Results, per object. */
	double cycles[BENCH_PHASES];
	double instructions;		/* NaN if they cannot be counted */
};

/* Measures the counter's rate and the cost of reading it. Call it once, before anything else. */
void timing_init(void);
double timing_hz(void);
double timing_ns(double cycles);
/* Cycles between begin and end with nothing in between, on average. */
double timing_overhead(void);
/* Cycles between two different readings of the counter, which may tick rarely. */
double timing_resolution(void);
/* Cycles of one iteration of an empty loop. */
double timing_loop_overhead(void);

/* The CPUs for the benchmark's first and second thread; -1 if there is none. */
int timing_cpu(unsigned int thread);
bool timing_pin(int cpu);
/* Undoes timing_pin() for the calling thread: it may use the process's initial CPUs again. */
void timing_unpin(void);

/* Measures the cases, with rounds >= 1. Pins the calling thread to the first CPU. */
void bench_measure(struct bench_case *cases, unsigned int nr, unsigned int rounds);
/* bench_measure() on both CPUs at the same time; false if there is only one. */
bool bench_measure_2cpu(struct bench_case *cases, unsigned int nr, unsigned int rounds);

/* Runs the case once at one place. Returns cycles per object of the first phase, or NaN. */
double bench_sample(const struct bench_case *c, unsigned int place);

/* Sorts values. Returns the median of those that are not NaN; NaN if there are none. */
double bench_median(double *values, unsigned int nr);

#endif
