/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_CPUHOTPLUG_H
#define KERNEL_LINUX_CPUHOTPLUG_H

#include <linux/cpumask.h>

/* Linux's states for memory management and libraries, and the dynamic ones, in Linux's order. */
enum cpuhp_state {
	CPUHP_INVALID = -1,
	CPUHP_OFFLINE,
	CPUHP_SLUB_DEAD,
	CPUHP_MM_WRITEBACK_DEAD,
	CPUHP_MM_VMSTAT_DEAD,
	CPUHP_MM_MEMCQ_DEAD,
	CPUHP_PERCPU_CNT_DEAD,
	CPUHP_RADIX_DEAD,
	CPUHP_PAGE_ALLOC,
#if LINUX_VERSION_CODE < KERNEL_VERSION(7, 2, 0)
	CPUHP_MM_ZS_PREPARE,
#else
	USERMM_CPUHP_MM_ZS_PREPARE,
#endif
	CPUHP_MM_ZSWP_POOL_PREPARE,
	CPUHP_ZCOMP_PREPARE,
	CPUHP_BP_PREPARE_DYN,
	CPUHP_BP_PREPARE_DYN_END = CPUHP_BP_PREPARE_DYN + 20,
	CPUHP_AP_ONLINE_DYN = 200,
	CPUHP_AP_ONLINE_DYN_END = CPUHP_AP_ONLINE_DYN + 40,
	CPUHP_ONLINE
};

/* There is no hotplug, so the functions are never called. */
static inline int cpuhp_setup_state_nocalls(enum cpuhp_state state, const char *name,
					    int (*start)(unsigned int cpu),
					    int (*stop)(unsigned int cpu))
{
	(void)name;
	(void)start;
	(void)stop;
	return state == CPUHP_BP_PREPARE_DYN || state == CPUHP_AP_ONLINE_DYN ? (int)state : 0;
}

/* All CPUs are online, so the start function is called for each at once. */
static inline int cpuhp_setup_state(enum cpuhp_state state, const char *name,
				    int (*start)(unsigned int cpu), int (*stop)(unsigned int cpu))
{
	unsigned int cpu;

	for_each_online_cpu(cpu) {
		int error = start ? start(cpu) : 0;

		if (error)
			return error;
	}
	return cpuhp_setup_state_nocalls(state, name, start, stop);
}

#define cpuhp_remove_state(state) ((void)(state))
#define cpuhp_remove_state_nocalls(state) ((void)(state))

#endif
