/* SPDX-License-Identifier: MIT */
/*
 * A team: one thread on each CPU, all running a part at the same time. Each run has new threads,
 * since memory that a thread leaves behind when it ends is part of the measurement.
 */
#ifndef BENCH_TEAM_H
#define BENCH_TEAM_H

#include <stdbool.h>

#define TEAM_MAX 16

/* One member, and the costs of its part of a run, which the part fills in. */
struct team_member {
	unsigned int number;
	void *context;
	double cycles[2];		/* costs of its two phases; 0: it had none */
	bool failed;
	/* team_run() fills these in, for the whole part. */
	unsigned long faults;		/* page faults */
	unsigned long waits;		/* how often it slept */
};

/* Number of CPUs that this process may use, at most TEAM_MAX. */
unsigned int team_size(void);

/*
 * Runs part(member) on nr CPUs at the same time; they wait for each other before they start. False
 * if a thread could not be created, or a part failed.
 */
bool team_run(struct team_member *members, unsigned int nr,
	      void (*part)(struct team_member *member), void *context);

#endif
