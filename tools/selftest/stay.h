/* SPDX-License-Identifier: MIT */
/* Keeps a thread on one CPU. */
#ifndef SELFTEST_STAY_H
#define SELFTEST_STAY_H

#include <sched.h>
#include <stdbool.h>

/*
 * Binds the calling thread to the CPU that it runs on; threads that it creates inherit that. False
 * if the kernel refuses. sched_setaffinity(2) with *before ends it, in both cases.
 */
static inline bool stay_on_one_cpu(cpu_set_t *before)
{
	cpu_set_t one;
	int cpu = sched_getcpu();

	if (sched_getaffinity(0, sizeof(*before), before)) {
		CPU_ZERO(before);	/* which sched_setaffinity() refuses */
		return false;
	}
	if (cpu < 0)
		return false;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	return !sched_setaffinity(0, sizeof(one), &one);
}

#endif
