/* SPDX-License-Identifier: MIT */
/* Governors of frequencies. None is known, as on a machine without a driver for them. */
#ifndef _LINUX_CPUFREQ_H
#define _LINUX_CPUFREQ_H

#include <linux/clk.h>
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/init.h>
#include <linux/kobject.h>
#include <linux/notifier.h>
#include <linux/of.h>
#include <linux/rwsem.h>
#include <linux/version.h>
#include <usermm/compiler.h>

#define CPUFREQ_TRANSITION_NOTIFIER 0
#define CPUFREQ_POLICY_NOTIFIER 1
#define cpufreq_get(cpu) ((void)(cpu), 0U)
#define cpufreq_quick_get(cpu) ((void)(cpu), 0U)
#define cpufreq_quick_get_max(cpu) ((void)(cpu), 0U)
#define cpufreq_cpu_get(cpu) ((void)(cpu), (struct cpufreq_policy *)NULL)
#define cpufreq_cpu_put(policy) ((void)(policy))
#define cpufreq_register_notifier(block, list) ((void)(block), (void)(list), 0)
#define cpufreq_unregister_notifier(block, list) ((void)(block), (void)(list), 0)

/* The lowest frequency at or above, the highest at or below, the closest. */
#define CPUFREQ_RELATION_L 0
#define CPUFREQ_RELATION_H 1
#define CPUFREQ_RELATION_C 2
#define CPUFREQ_NAME_LEN 16
#define CPUFREQ_TABLE_END (~1U)
#define CPUFREQ_ENTRY_INVALID (~0U)
#define CPUFREQ_GOV_DYNAMIC_SWITCHING BIT(0)
#define CPUFREQ_GOV_STRICT_TARGET BIT(1)

struct cpufreq_governor;

struct cpufreq_frequency_table {
	unsigned int flags, driver_data, frequency;
};

struct cpufreq_cpuinfo {
	unsigned int max_freq, min_freq, transition_latency;
};

struct cpufreq_policy {
	cpumask_var_t cpus, related_cpus, real_cpus;
	unsigned int cpu, min, max, cur, suspend_freq, policy;
	struct cpufreq_cpuinfo cpuinfo;
	struct cpufreq_governor *governor;
	void *governor_data, *driver_data;
	struct cpufreq_frequency_table *freq_table;
	struct kobject kobj;
	struct rw_semaphore rwsem;
};

/* Its functions are called for a policy, and there is none. */
struct cpufreq_governor {
	char name[CPUFREQ_NAME_LEN];
	int (*init)(struct cpufreq_policy *policy);
	void (*exit)(struct cpufreq_policy *policy);
	int (*start)(struct cpufreq_policy *policy);
	void (*stop)(struct cpufreq_policy *policy);
	void (*limits)(struct cpufreq_policy *policy);
	ssize_t (*show_setspeed)(struct cpufreq_policy *policy, char *buffer);
	int (*store_setspeed)(struct cpufreq_policy *policy, unsigned int frequency);
	struct list_head governor_list;
	struct module *owner;
	u8 flags;
};

USERMM_BEGIN_DECLS

/* 0; -EINVAL for NULL; -EBUSY if the name is taken. */
int cpufreq_register_governor(struct cpufreq_governor *governor)
	USERMM_API(cpufreq_register_governor);
void cpufreq_unregister_governor(struct cpufreq_governor *governor)
	USERMM_API(cpufreq_unregister_governor);

USERMM_END_DECLS

#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 9, 0)
#define cpufreq_governor_init(governor)					\
	static int __init governor##_init(void)				\
	{								\
		return cpufreq_register_governor(&governor);		\
	}								\
	core_initcall(governor##_init)
#define cpufreq_governor_exit(governor)					\
	static void __exit governor##_exit(void)			\
	{								\
		cpufreq_unregister_governor(&governor);			\
	}								\
	module_exit(governor##_exit)
#endif

#define cpufreq_driver_target(policy, frequency, relation) \
	((void)(policy), (void)(frequency), (void)(relation), -ENODEV)
#define __cpufreq_driver_target(policy, frequency, relation) \
	cpufreq_driver_target(policy, frequency, relation)

#endif
