// SPDX-License-Identifier: MIT
/* The clock, the CPUs, and the engine that repeats and summarises measurements. */
#define _GNU_SOURCE
#include "timing.h"

#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "counters.h"
#include "progress.h"
#include "second_thread.h"

/* The cycles that a scaled loop should take: long compared with reading the counter. */
#define SLICE_TICKS 400000.0
#define MAX_ROUNDS 64
#define MAX_CASES 64

static struct {
	double hz;
	double overhead, resolution;
	double loop_overhead;
	cpu_set_t cpus;		/* the process's CPUs at its start */
} timing;

static double nanoseconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_RAW, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* Reads both clocks at one instant: the try with the shortest interval counts. */
static void read_both(double *ns, double *ticks)
{
	double best = INFINITY;

	for (int i = 0; i < 32; i++) {
		uint64_t before = ticks_begin();
		double now = nanoseconds();
		uint64_t after = ticks_end();

		if ((double)(after - before) >= best)
			continue;
		best = (double)(after - before);
		*ns = now;
		*ticks = (double)before + best / 2;
	}
}

static double measure_hz(void)
{
	double ns_start = 0, ns_end = 0, ticks_start = 0, ticks_end_ = 0;

	read_both(&ns_start, &ticks_start);
	while (nanoseconds() - ns_start < 60e6)
		continue;
	read_both(&ns_end, &ticks_end_);
	return (ticks_end_ - ticks_start) * 1e9 / (ns_end - ns_start);
}

/* The mean, without readings that have an interrupt in between. */
static void measure_overhead(void)
{
	static double samples[4096];
	double sum = 0, next = INFINITY, median;
	unsigned int nr = 0;

	for (unsigned int i = 0; i < ARRAY_SIZE(samples); i++) {
		uint64_t start = ticks_begin();

		samples[i] = (double)(ticks_end() - start);
	}
	median = bench_median(samples, ARRAY_SIZE(samples));
	for (unsigned int i = 0; i < ARRAY_SIZE(samples); i++) {
		if (samples[i] > 4 * median)
			break;
		if (samples[i] > samples[0])
			next = min(next, samples[i]);
		sum += samples[i];
		nr++;
	}
	timing.overhead = sum / nr;
	timing.resolution = isinf(next) ? 1 : next - samples[0];
}

BENCH_PLACED(empty_loops, zero_size_body(run));

/* The minimum, so that no disturbance is subtracted from results. */
static double measure_loop_overhead(void)
{
	struct bench_case empty = { .loops = empty_loops, .n = 20000 };
	double least = INFINITY;

	for (unsigned int i = 0; i < 40 * BENCH_PLACEMENTS; i++)
		least = min(least, bench_sample(&empty, i % BENCH_PLACEMENTS));
	return least;
}

void timing_init(void)
{
	if (sched_getaffinity(0, sizeof(timing.cpus), &timing.cpus))
		CPU_SET(0, &timing.cpus);
	timing_pin(timing_cpu(0));
	timing.hz = measure_hz();
	measure_overhead();
	timing.loop_overhead = measure_loop_overhead();
}

double timing_hz(void)
{
	return timing.hz;
}

double timing_ns(double cycles)
{
	return cycles * 1e9 / timing.hz;
}

double timing_overhead(void)
{
	return timing.overhead;
}

double timing_resolution(void)
{
	return timing.resolution;
}

double timing_loop_overhead(void)
{
	return timing.loop_overhead;
}

/* The first thread takes the last CPU: the lower ones serve more interrupts. */
int timing_cpu(unsigned int thread)
{
	for (int cpu = CPU_SETSIZE - 1; cpu >= 0; cpu--)
		if (CPU_ISSET(cpu, &timing.cpus) && thread-- == 0)
			return cpu;
	return -1;
}

bool timing_pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	if (cpu < 0)
		return false;
	CPU_SET(cpu, &set);
	return sched_setaffinity(0, sizeof(set), &set) == 0;
}

void timing_unpin(void)
{
	sched_setaffinity(0, sizeof(timing.cpus), &timing.cpus);
}

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double bench_median(double *values, unsigned int nr)
{
	unsigned int good = 0;

	for (unsigned int i = 0; i < nr; i++)
		if (!isnan(values[i]))
			values[good++] = values[i];
	if (!good)
		return NAN;
	qsort(values, good, sizeof(*values), compare_doubles);
	return good % 2 ? values[good / 2] : (values[good / 2 - 1] + values[good / 2]) / 2;
}

/* Executes a case's loop at one place, on one or two CPUs. */
typedef void (*run_function)(const struct bench_case *c, unsigned int place,
			     struct bench_run *run);

static struct bench_run prepare_run(const struct bench_case *c)
{
	return (struct bench_run){ .n = c->n, .step = c->step, .arg = c->arg };
}

static void run_here(const struct bench_case *c, unsigned int place, struct bench_run *run)
{
	run->place = place;
	c->loops[place](run);
}

/* Cycles per object in one phase; NaN if an operation of the run failed. */
static double per_object(const struct bench_case *c, const struct bench_run *run,
			 unsigned int phase)
{
	double ticks = (double)run->ticks[phase] -
		       timing.overhead * (double)max(run->timed, 1UL);
	double objects = run->objects ? (double)run->objects :
					(double)run->n * (c->per > 0 ? c->per : 1);

	if (run->failed || !run->ticks[phase])
		return NAN;
	ticks -= c->bare * timing.loop_overhead * (double)run->n;
	return max(ticks, 0.0) / objects;
}

double bench_sample(const struct bench_case *c, unsigned int place)
{
	struct bench_run run = prepare_run(c);

	run_here(c, place, &run);
	return per_object(c, &run, 0);
}

/* Warms up every place, and finds n for a case that has none. */
static void scale(struct bench_case *c, run_function function)
{
	bool scaled = c->n != 0;
	double ticks;

	if (!scaled)
		c->n = 64;
	for (unsigned int place = 0; place < BENCH_PLACEMENTS; place++) {
		struct bench_run run = prepare_run(c);

		function(c, place, &run);
		if (scaled)
			continue;
		ticks = max((double)(run.ticks[0] + run.ticks[1]), 1.0);
		c->n = (unsigned long)clamp((double)c->n * SLICE_TICKS / ticks, 16.0, 1e6);
	}
}

/* Summarises samples[place][round] of one phase, and reorders them. */
static double summarise(double samples[BENCH_PLACEMENTS][MAX_ROUNDS], unsigned int rounds)
{
	double places[BENCH_PLACEMENTS];
	unsigned int good = 0;

	for (unsigned int place = 0; place < BENCH_PLACEMENTS; place++) {
		for (unsigned int round = 0; round < rounds; round++)
			good += !isnan(samples[place][round]);
		places[place] = bench_median(samples[place], rounds);
	}
	if (good < BENCH_PLACEMENTS * rounds / 2)
		return NAN;
	return bench_median(places, BENCH_PLACEMENTS);
}

static double samples[MAX_CASES][BENCH_PHASES][BENCH_PLACEMENTS][MAX_ROUNDS];

static void measure(struct bench_case *cases, unsigned int nr, unsigned int rounds,
		    run_function function)
{
	for (unsigned int i = 0; i < nr; i++)
		scale(&cases[i], function);
	for (unsigned int round = 0; round < rounds; round++, progress_tick())
		for (unsigned int i = 0; i < nr; i++)
			for (unsigned int place = 0; place < BENCH_PLACEMENTS; place++) {
				struct bench_run run = prepare_run(&cases[i]);

				function(&cases[i], place, &run);
				for (unsigned int p = 0; p < BENCH_PHASES; p++)
					samples[i][p][place][round] =
						per_object(&cases[i], &run, p);
			}
	for (unsigned int i = 0; i < nr; i++)
		for (unsigned int p = 0; p < BENCH_PHASES; p++)
			cases[i].cycles[p] = summarise(samples[i][p], rounds);
}

struct counted {
	const struct bench_case *c;
	unsigned long n;
	bool two_phases;
};

static void counted_run(void *arg)
{
	struct counted *counted = arg;
	struct bench_run run = prepare_run(counted->c);

	run.n = counted->n;
	run_here(counted->c, 0, &run);
	counted->two_phases = run.ticks[1] != 0;
}

/* A run of n minus a run of n / 2, so that code outside of the loop cancels out. */
static double count_case(const struct bench_case *c)
{
	struct counted whole = { .c = c, .n = c->n };
	struct counted half = { .c = c, .n = c->n / 2 };
	double difference = bench_count_instructions(counted_run, &whole) -
			    bench_count_instructions(counted_run, &half);
	double per = c->per > 0 ? c->per : 1;

	if (whole.two_phases || whole.n == half.n)
		return NAN;
	return difference / (double)(whole.n - half.n) / per;
}

void bench_measure(struct bench_case *cases, unsigned int nr, unsigned int rounds)
{
	unsigned int batch;

	timing_pin(timing_cpu(0));
	rounds = min(rounds, (unsigned int)MAX_ROUNDS);
	for (unsigned int first = 0; first < nr; first += batch) {
		batch = min(nr - first, (unsigned int)MAX_CASES);
		measure(cases + first, batch, rounds, run_here);
	}
	for (unsigned int i = 0; i < nr; i++)
		cases[i].instructions = counters_available() ? count_case(&cases[i]) : NAN;
}

/*
 * Runs the loop on both CPUs at the same time. First each CPU runs the loop once, to warm up as the
 * first CPU does in the other cases; then they wait for each other and start.
 */
struct both {
	const struct bench_case *c;
	unsigned int place;
	unsigned int arrived;	/* Sync: atomic */
	struct bench_run peers;
};

static void meet(struct both *both, unsigned int time)
{
	__atomic_add_fetch(&both->arrived, 1, __ATOMIC_ACQ_REL);
	while (__atomic_load_n(&both->arrived, __ATOMIC_ACQUIRE) < 2 * time)
		continue;
}

static void run_together(struct both *both, struct bench_run *run)
{
	struct bench_run first = prepare_run(both->c);

	meet(both, 1);
	run_here(both->c, both->place, &first);
	meet(both, 2);
	run_here(both->c, both->place, run);
}

static void second_part(void *arg)
{
	struct both *both = arg;

	run_together(both, &both->peers);
}

static void run_on_both(const struct bench_case *c, unsigned int place,
			struct bench_run *run)
{
	struct both both = { .c = c, .place = place, .peers = prepare_run(c) };

	second_thread_start(second_part, &both);
	run_together(&both, run);
	second_thread_wait();
	run->ticks[0] = (run->ticks[0] + both.peers.ticks[0]) / 2;
	run->ticks[1] = (run->ticks[1] + both.peers.ticks[1]) / 2;
	run->failed += both.peers.failed;
}

bool bench_measure_2cpu(struct bench_case *cases, unsigned int nr, unsigned int rounds)
{
	if (!second_thread_available())
		return false;
	timing_pin(timing_cpu(0));
	measure(cases, min(nr, (unsigned int)MAX_CASES),
		min(rounds, (unsigned int)MAX_ROUNDS), run_on_both);
	for (unsigned int i = 0; i < nr; i++)
		cases[i].instructions = NAN;
	return true;
}
