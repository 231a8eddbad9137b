/* SPDX-License-Identifier: MIT */
/* What interrupts the workers of a storm, each in a thread of its own. */
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

/* Objects that somebody holds; a worker and its signal handler each have such a hand. */
struct storm_hand {
	unsigned int nr;
	void *objects[STORM_HAND_MAX];
};

/* What the sources know of the workers. Sync: constant while sources run, but nr_signals. */
struct storm_target {
	pid_t tid;
	timer_t timer;			/* its signal's handler visits the stacks */
	bool has_timer;
	unsigned long nr_signals;	/* Sync: the worker writes, relaxed */
};

struct storm_targets {
	struct storm_target *workers;
	unsigned int nr;
	cpu_set_t cpus;			/* the process may use these */
	/* One pop and push of each kind with objects from that hand. */
	void (*visit)(struct storm_hand *hand);
	struct storm_hand intruder;	/* the source of that name works with it */
};

struct storm_source {
	const char *name;
	const char *unit;		/* what is counted */
	unsigned int share;		/* of the time, where others are 1 */
	/* All run in the source's thread; begin answers why it cannot be, or NULL. */
	const char *(*begin)(struct storm_targets *targets);
	unsigned int (*step)(struct storm_targets *targets);	/* how many of its unit */
	void (*end)(struct storm_targets *targets);		/* or NULL */
};

extern const struct storm_source storm_sources[];
extern const unsigned int storm_nr_sources;
/* The one that is only run if asked for. */
extern const struct storm_source storm_hotplug;

#endif
