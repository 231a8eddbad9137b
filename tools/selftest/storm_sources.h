/* SPDX-License-Identifier: MIT */
/* The sources of interruptions in a storm. Each runs in a thread of its own. */
#ifndef SELFTEST_STORM_SOURCES_H
#define SELFTEST_STORM_SOURCES_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <pthread.h>
#include <sched.h>
#include <time.h>

#include "base/compiler.h"

#define STORM_WORKERS_MAX 64
#define STORM_HAND_MAX 48

/* The objects that somebody holds. A worker and its signal handler have one hand each. */
struct storm_hand {
	unsigned int nr;
	void *objects[STORM_HAND_MAX];
};

/* What the sources know of a worker. Sync: constant while sources run, except nr_signals. */
struct storm_target {
	pid_t tid;
	timer_t timer;			/* sends the signal whose handler uses the stacks */
	bool has_timer;
	unsigned long nr_signals;	/* Sync: the worker writes, relaxed */
};

struct storm_targets {
	struct storm_target *workers;
	unsigned int nr;
	cpu_set_t cpus;			/* the CPUs that the process may use */
	/* One pop and one push of each kind, with objects from the hand. */
	void (*visit)(struct storm_hand *hand);
	struct storm_hand intruder;	/* hand of the source "SCHED_FIFO intruder" */
};

struct storm_source {
	const char *name;
	const char *unit;		/* what `step` counts */
	unsigned int share;		/* share of the time, relative to the other sources */
	/* All three run in the source's thread. begin: NULL, or why the source cannot run. */
	const char *(*begin)(struct storm_targets *targets);
	unsigned int (*step)(struct storm_targets *targets);	/* returns a number of units */
	void (*end)(struct storm_targets *targets);		/* or NULL */
};

extern const struct storm_source storm_sources[];
extern const unsigned int storm_nr_sources;
/* Runs only if asked for. */
extern const struct storm_source storm_hotplug;

#endif
