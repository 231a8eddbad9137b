/* SPDX-License-Identifier: MIT */
/*
 * Time, CPUs and repetition for benchmarks.
 *
 * A loop is measured at BENCH_PLACEMENTS places, because where a tight loop
 * lies in the code, its frame on the stack and its object in a page can change
 * its time by a factor of two and more. Each place has its own code address and
 * stack depth; loops that work on one object hold some others back, as many as
 * the place's number, so that it is not the same object. The result of a case
 * is the median over the places of the medians over the rounds. All cases of
 * one call take turns, round by round, so a disturbance that lasts for a while
 * spoils one round of each and not all rounds of one.
 */
#ifndef BENCH_TIMING_H
#define BENCH_TIMING_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"

#define BENCH_PLACEMENTS 8
#define BENCH_PHASES 2

/* Reads the time stamp counter when everything before it has been executed. */
#if defined(__x86_64__)
static inline uint64_t ticks_begin(void)
{
	uint32_t low, high;

	__asm__ volatile("lfence\n\trdtsc\n\tlfence"
			 : "=a"(low), "=d"(high) : : "memory");
	return (uint64_t)high << 32 | low;
}

static inline uint64_t ticks_end(void)
{
	uint32_t low, high;

	__asm__ volatile("rdtscp\n\tlfence"
			 : "=a"(low), "=d"(high) : : "rcx", "memory");
	return (uint64_t)high << 32 | low;
}
#elif defined(__aarch64__)
static inline uint64_t ticks_begin(void)
{
	uint64_t ticks;

	__asm__ volatile("isb\n\tmrs %0, cntvct_el0\n\tisb" : "=r"(ticks) : : "memory");
	return ticks;
}

static inline uint64_t ticks_end(void)
{
	return ticks_begin();
}
#else
#error "no time stamp counter known for this architecture"
#endif

/* What one execution of a loop is told, and what it found. */
struct bench_run {
	unsigned long n;		/* in: iterations */
	unsigned int place;		/* in: which of the loops this is */
	long step;			/* in: the case's */
	void *arg;			/* in: the case's */
	uint64_t ticks[BENCH_PHASES];	/* out: one for each phase */
	unsigned long timed;		/* out: times each phase was timed; 0 = 1 */
	unsigned long objects;		/* out: objects handled; 0 = n * per */
	unsigned long failed;		/* out: operations that did not work */
};

typedef void (*bench_loop)(struct bench_run *run);

/*
 * BENCH_PLACED(name, statement) defines name[], the loop `statement` (which may
 * use `run`) at all places: each behind so many nops, and with so many cache
 * lines of stack between its caller and itself.
 */
#define BENCH_AT(name, place, shift, ...)				\
	static noinline __aligned(64)					\
	void name##_at_##place(struct bench_run *run)			\
	{								\
		char lines[(shift) * 64 + 1];				\
									\
		__asm__ volatile("" : : "r"(lines) : "memory");		\
		__asm__ volatile(".rept " #shift "\n\tnop\n\t.endr");	\
		__VA_ARGS__;						\
	}

#define BENCH_PLACED(name, ...)						\
	BENCH_AT(name, 0, 0, __VA_ARGS__)				\
	BENCH_AT(name, 1, 7, __VA_ARGS__)				\
	BENCH_AT(name, 2, 13, __VA_ARGS__)				\
	BENCH_AT(name, 3, 22, __VA_ARGS__)				\
	BENCH_AT(name, 4, 29, __VA_ARGS__)				\
	BENCH_AT(name, 5, 35, __VA_ARGS__)				\
	BENCH_AT(name, 6, 46, __VA_ARGS__)				\
	BENCH_AT(name, 7, 57, __VA_ARGS__)				\
	static const bench_loop name[BENCH_PLACEMENTS] = {		\
		name##_at_0, name##_at_1, name##_at_2, name##_at_3,	\
		name##_at_4, name##_at_5, name##_at_6, name##_at_7,	\
	}

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
