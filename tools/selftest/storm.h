/* SPDX-License-Identifier: MIT */
/*
 * Proof 2: more workers than CPUs use the same stacks while everything that can
 * abort a sequence does so as often as it can.
 *
 * The workers' sequences have delays inside, so that most interruptions come in
 * the midst of one; how often is what the workers count. Each source of
 * interruptions has a part of the time for itself, then all of them go at once.
 * Every object that is popped or pushed passes the oracle, and at the end each
 * must be on one stack or in one hand.
 */
#ifndef SELFTEST_STORM_H
#define SELFTEST_STORM_H

#include "selftest/primitives.h"

/* Fewer aborts than that in a primitive: it was not exercised. */
#define STORM_ABORTS_NEEDED 100000UL

#define STORM_SOURCES_MAX 8

struct storm_source_result {
	const char *name;
	char did[100];			/* what and how often, or "skipped: why" */
	unsigned long aborts;		/* while it had the time for itself */
	double seconds;
	unsigned long nr;		/* how often, as a number */
};

struct storm_result {
	unsigned long operations[NR_PRIMITIVES];
	unsigned long aborts[NR_PRIMITIVES];
	struct storm_source_result sources[STORM_SOURCES_MAX + 1];
	unsigned int nr_sources;	/* the last is all of them at once */
	unsigned int nr_workers;
	int nr_cpus;
	double seconds;
	unsigned long objects, lost, duplicated;
	char failure[120];		/* "" when the oracle is content */
};

/*
 * Blows for the given time. Where that was not enough (a busy machine, a slow one),
 * the source that was best at it goes on, for at most `patience` seconds more. These are
 * seconds of the clock on the wall, however busy the machine is.
 * hotplug: take a CPU offline and back again as well.
 */
void storm_run(unsigned int seconds, unsigned int patience, bool hotplug,
	       struct storm_result *result);

#endif
