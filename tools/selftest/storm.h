/* SPDX-License-Identifier: MIT */
/*
 * Proof 2: more worker threads than CPUs use the same stacks, while every event that can abort a
 * sequence happens as often as possible.
 *
 * The workers' sequences have delays inside, so that most interruptions come within one. The
 * workers count the aborts. Each source of interruptions first has a part of the time for itself;
 * then all sources run at once. The oracle checks every object that is popped or pushed. At the end
 * each object must be on exactly one stack or in exactly one hand.
 */
#ifndef SELFTEST_STORM_H
#define SELFTEST_STORM_H

#include "selftest/primitives.h"

#define STORM_SOURCES_MAX 8

struct storm_source_result {
	const char *name;
	char did[100];			/* what it did and how often, or "skipped: why" */
	unsigned long aborts;		/* while it ran alone */
	unsigned long fewest;		/* the aborts of the primitive that had the fewest */
	double seconds;
	unsigned long nr;		/* how often it acted */
};

struct storm_result {
	unsigned long operations[NR_PRIMITIVES];
	unsigned long aborts[NR_PRIMITIVES];
	struct storm_source_result sources[STORM_SOURCES_MAX + 1];
	unsigned int nr_sources;	/* the last entry is all sources at once */
	unsigned int nr_workers;
	int nr_cpus;
	double seconds;
	unsigned long objects, lost, duplicated;
	char failure[120];		/* "" if the oracle found no error */
};

/* If it is not NULL, the thread in storm_run() calls it about four times a second. */
extern void (*storm_tick)(void);

/* What the user wants of a storm. */
struct storm_plan {
	unsigned int seconds;		/* its length, of wall-clock time */
	unsigned int patience;		/* how much longer it may take for the aborts */
	unsigned long aborts;		/* a primitive with fewer counts as not exercised */
	bool hotplug;			/* also take a CPU offline and back online */
};

/*
 * If there were too few aborts at the end of the storm (on a busy or slow machine), the most
 * effective source goes on until there are enough, but no longer than the plan's patience.
 */
void storm_run(const struct storm_plan *plan, struct storm_result *result);

#endif
