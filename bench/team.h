/* SPDX-License-Identifier: MIT */
/*
 * A thread on each of the CPUs, all of which do their part of something at once. Each run
 * has threads of its own: what a thread leaves behind when it ends is part of the picture.
 */
#ifndef BENCH_TEAM_H
#define BENCH_TEAM_H

#include <stdbool.h>

#define TEAM_MAX 16

/* What a member's part of a run took; the part fills it in. */
struct team_member {
	unsigned int number;
	void *context;
	double cycles[2];		/* of its two phases; 0 = it had none to do */
	bool failed;
	/* Filled in by team_run() for the whole part. */
	unsigned long faults;		/* pages that the kernel brought */
	unsigned long waits;		/* times that it slept */
};

/* CPUs that this process may use, TEAM_MAX at most. */
unsigned int team_size(void);

/*
 * Runs part(member) on nr CPUs at once: they wait for each other before they start. False
 * if a thread could not be had, or a part failed.
 */
bool team_run(struct team_member *members, unsigned int nr,
	      void (*part)(struct team_member *member), void *context);

#endif
