/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_CPUHOTPLUG_H
#define KERNEL_LINUX_CPUHOTPLUG_H

#include <linux/cpumask.h>

enum cpuhp_state { CPUHP_OFFLINE, CPUHP_AP_ONLINE_DYN = 200, CPUHP_ONLINE = 240 };

/* Every CPU is online, so its start function is called at once; the number of a state. */
static inline int cpuhp_setup_state(enum cpuhp_state state, const char *name,
				    int (*start)(unsigned int cpu), int (*stop)(unsigned int cpu))
{
	unsigned int cpu;

	(void)name;
	(void)stop;
	for_each_online_cpu(cpu) {
		int error = start ? start(cpu) : 0;

		if (error)
			return error;
	}
	return (int)state;
}

#define cpuhp_setup_state_nocalls(state, name, start, stop) ((int)(state))
#define cpuhp_remove_state(state) ((void)(state))
#define cpuhp_remove_state_nocalls(state) ((void)(state))

#endif
