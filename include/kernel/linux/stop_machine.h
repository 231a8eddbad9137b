/* SPDX-License-Identifier: MIT */
#ifndef _LINUX_STOP_MACHINE
#define _LINUX_STOP_MACHINE

#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/smp.h>

typedef int (*cpu_stop_fn_t)(void *data);

/* The function runs on this CPU and is not preempted. The others go on: nothing stops them. */
static inline int stop_machine(cpu_stop_fn_t function, void *data, const struct cpumask *cpus)
{
	int result;

	(void)cpus;
	preempt_disable();
	result = function(data);
	preempt_enable();
	return result;
}

#define stop_machine_cpuslocked(function, data, cpus) stop_machine(function, data, cpus)

static inline int stop_one_cpu(unsigned int cpu, cpu_stop_fn_t function, void *data)
{
	(void)cpu;
	return stop_machine(function, data, NULL);
}

#endif
