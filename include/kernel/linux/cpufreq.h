/* SPDX-License-Identifier: MIT */
/* As without CONFIG_CPU_FREQ: frequencies are not known. */
#ifndef _LINUX_CPUFREQ_H
#define _LINUX_CPUFREQ_H

#include <linux/clk.h>
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/kobject.h>
#include <linux/notifier.h>
#include <linux/of.h>

#define CPUFREQ_TRANSITION_NOTIFIER 0
#define CPUFREQ_POLICY_NOTIFIER 1
#define cpufreq_get(cpu) ((void)(cpu), 0U)
#define cpufreq_quick_get(cpu) ((void)(cpu), 0U)
#define cpufreq_quick_get_max(cpu) ((void)(cpu), 0U)
#define cpufreq_cpu_get(cpu) ((void)(cpu), (struct cpufreq_policy *)NULL)
#define cpufreq_cpu_put(policy) ((void)(policy))
#define cpufreq_register_notifier(block, list) ((void)(block), (void)(list), 0)
#define cpufreq_unregister_notifier(block, list) ((void)(block), (void)(list), 0)

struct cpufreq_policy {
	unsigned int cpu, min, max, cur;
};

#endif
