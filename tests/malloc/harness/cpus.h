/* SPDX-License-Identifier: MIT */
/* Threads on CPUs of their own. */
#ifndef MALLOC_CPUS_H
#define MALLOC_CPUS_H

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>

/* The first CPU that the process may run on, or the last. */
static inline void bind_to_cpu(bool last)
{
	cpu_set_t all, one;
	int found = -1;

	if (sched_getaffinity(0, sizeof(all), &all))
		return;
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &all) && (found < 0 || last))
			found = cpu;
	CPU_ZERO(&one);
	if (found >= 0)
		CPU_SET(found, &one);
	pthread_setaffinity_np(pthread_self(), sizeof(one), &one);
}

#endif
