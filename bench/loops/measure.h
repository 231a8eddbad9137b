/* SPDX-License-Identifier: MIT */
/*
 * Measures loops in a module, without floating point; bench/measure/timing.c does so in user space.
 * A plain program may include this file too, to be compared with a module that runs the same code.
 *
 * Costs are hundredths of a TSC cycle for one object or page. The cost of reading the counter and
 * of the loop itself is subtracted.
 */
#ifndef BENCH_LOOPS_MEASURE_H
#define BENCH_LOOPS_MEASURE_H

#include "loop.h"

#ifdef __KERNEL__
#include <linux/ktime.h>
#include <linux/printk.h>
#define measure_say(...) pr_info(__VA_ARGS__)
#define measure_now_ns() ktime_get_ns()
#else
#include <stdio.h>
#include <time.h>
#define measure_say(...) printf(__VA_ARGS__)

static inline uint64_t measure_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}
#endif

#define MEASURE_MAX_ROUNDS 15
#define MEASURE_CLOCK_NS 20000000
/* A case that had no good run. */
#define MEASURE_FAILED (~(uint64_t)0)

/* One row, or two if the loop has two phases. */
struct measure_case {
	const bench_loop *loops;	/* BENCH_PLACEMENTS of them */
	long step;
	unsigned long n;		/* iterations */
	unsigned int per;		/* objects in one iteration; 0 means 1 */
	bool whole;			/* do not subtract the loop's own cost */
	uint64_t cost[BENCH_PHASES];	/* result */
	/* Costs by phase, place and round. */
	uint64_t rounds[BENCH_PHASES][BENCH_PLACEMENTS][MEASURE_MAX_ROUNDS];
};

static struct {
	uint64_t khz;
	uint64_t overhead;		/* cost of reading the counter twice */
	uint64_t loop;			/* cost of an empty iteration */
	bool rows;			/* also print lines for scripts */
} measure;

BENCH_PLACED(measure_empty, zero_size_body(run));

static void measure_sort(uint64_t *values, unsigned int nr)
{
	for (unsigned int i = 1; i < nr; i++) {
		uint64_t value = values[i];
		unsigned int j = i;

		for (; j > 0 && values[j - 1] > value; j--)
			values[j] = values[j - 1];
		values[j] = value;
	}
}

/* The median without failed runs, which have the largest value. */
static inline uint64_t measure_median(uint64_t *values, unsigned int nr)
{
	measure_sort(values, nr);
	while (nr && values[nr - 1] == MEASURE_FAILED)
		nr--;
	if (!nr)
		return MEASURE_FAILED;
	return (values[(nr - 1) / 2] + values[nr / 2]) / 2;
}

/* The mean of the middle half, which leaves out readings with an interrupt in between. */
static uint64_t measure_overhead(void)
{
	static uint64_t samples[256];
	uint64_t sum = 0;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(samples); i++) {
		uint64_t start = ticks_begin();

		samples[i] = ticks_end() - start;
	}
	measure_sort(samples, ARRAY_SIZE(samples));
	for (i = ARRAY_SIZE(samples) / 4; i < ARRAY_SIZE(samples) * 3 / 4; i++)
		sum += samples[i];
	return sum * 100 / (ARRAY_SIZE(samples) / 2);
}

/* The minimum, so that no disturbance is subtracted from results. */
static uint64_t measure_loop(void)
{
	uint64_t least = MEASURE_FAILED;

	for (unsigned int i = 0; i < 40 * BENCH_PLACEMENTS; i++) {
		struct bench_run run = { .n = 20000 };

		measure_empty[i % BENCH_PLACEMENTS](&run);
		least = min(least, (run.ticks[0] * 100 - measure.overhead) / run.n);
	}
	return least;
}

/* Call it once, before anything else. */
static void measure_init(bool rows)
{
	uint64_t ticks = ticks_begin(), start = measure_now_ns(), now = start;

	while (now - start < MEASURE_CLOCK_NS)
		now = measure_now_ns();
	measure.khz = (ticks_end() - ticks) * 1000000 / (now - start);
	measure.overhead = measure_overhead();
	measure.loop = measure_loop();
	measure.rows = rows;
}

/* Converts hundredths of a cycle to hundredths of a nanosecond. */
static inline uint64_t measure_ns(uint64_t cost)
{
	return cost * 1000000 / measure.khz;
}

static inline uint64_t measure_less(uint64_t cost, uint64_t off)
{
	return cost > off ? cost - off : 0;
}

static inline uint64_t measure_per_object(const struct measure_case *c, const struct bench_run *run,
				   unsigned int phase)
{
	uint64_t objects = run->objects ? run->objects : run->n * max(c->per, 1u);
	uint64_t cost = measure_less(run->ticks[phase] * 100, measure.overhead);

	if (run->failed)
		return MEASURE_FAILED;
	if (!c->whole)
		cost = measure_less(cost, measure.loop * run->n);
	return cost / objects;
}

static inline void measure_run(struct measure_case *c, unsigned int place, unsigned int round)
{
	struct bench_run run = { .n = c->n, .step = c->step, .place = place };

	c->loops[place](&run);
	for (unsigned int phase = 0; phase < BENCH_PHASES; phase++)
		c->rounds[phase][place][round] = measure_per_object(c, &run, phase);
}

static inline uint64_t measure_result(struct measure_case *c, unsigned int phase,
				      unsigned int rounds)
{
	uint64_t places[BENCH_PLACEMENTS];

	for (unsigned int place = 0; place < BENCH_PLACEMENTS; place++)
		places[place] = measure_median(c->rounds[phase][place], rounds);
	return measure_median(places, BENCH_PLACEMENTS);
}

/*
 * Measures the cases in turns, so that a disturbance spoils one round of each case, not all rounds
 * of one. The first round warms up and is dropped, unless it is the only one.
 */
static inline void measure_cases(struct measure_case *cases, unsigned int nr, unsigned int rounds)
{
	rounds = clamp(rounds, 1u, (unsigned int)MEASURE_MAX_ROUNDS);
	for (unsigned int round = 0; round < rounds + (rounds > 1); round++)
		for (unsigned int i = 0; i < nr; i++)
			for (unsigned int place = 0; place < BENCH_PLACEMENTS; place++)
				measure_run(&cases[i], place, round % rounds);
	for (unsigned int i = 0; i < nr; i++)
		for (unsigned int phase = 0; phase < BENCH_PHASES; phase++)
			cases[i].cost[phase] = measure_result(&cases[i], phase, rounds);
}

/* Rounds to whole cycles, as the seeds print them. */
static inline unsigned long long measure_whole(uint64_t cost)
{
	return (cost + 50) / 100;
}

/* Prints a line like "row pair 64 9.87" for scripts, with more digits than people need. */
static inline void measure_row(const char *name, long step, uint64_t cost)
{
	if (measure.rows && cost != MEASURE_FAILED)
		measure_say("row %s %ld %llu.%02llu\n", name, step,
			    (unsigned long long)cost / 100, (unsigned long long)cost % 100);
}

#endif
