/* SPDX-License-Identifier: MIT */
/* The current CPU, and calls on other CPUs. */
#ifndef KERNEL_LINUX_SMP_H
#define KERNEL_LINUX_SMP_H

#include <asm/current.h>
#include <linux/cpumask.h>
#include <linux/errno.h>
#include <linux/list.h>
#include <linux/llist.h>
#include <linux/pfn.h>
#include <linux/preempt.h>
#include <linux/static_key.h>
#include <usermm/compiler.h>

typedef void (*smp_call_func_t)(void *info);
typedef bool (*smp_cond_func_t)(int cpu, void *info);

#define raw_smp_processor_id() ((int)usermm_cpu_id())
#define smp_processor_id() raw_smp_processor_id()
#define __smp_processor_id() raw_smp_processor_id()
#define get_cpu() ({ preempt_disable(); smp_processor_id(); })
#define put_cpu() preempt_enable()

USERMM_BEGIN_DECLS

/*
 * Run function(info) as an interrupt of the CPU: no other thread of this CPU has preemption off
 * meanwhile. The function has run when they return, even if wait is 0.
 */
int smp_call_function_single(int cpu, smp_call_func_t function, void *info, int wait)
	USERMM_API(smp_call_function_single);
void smp_call_function_many(const struct cpumask *mask, smp_call_func_t function, void *info,
			    bool wait) USERMM_API(smp_call_function_many);
void on_each_cpu_mask(const struct cpumask *mask, smp_call_func_t function, void *info,
		      bool wait) USERMM_API(on_each_cpu_mask);
void on_each_cpu_cond_mask(smp_cond_func_t condition, smp_call_func_t function, void *info,
			   bool wait, const struct cpumask *mask)
	USERMM_API(on_each_cpu_cond_mask);

/*
 * Sets the number of CPUs, 1 to 64; a runner may call it before its first module. The default is
 * the machine's number, or the environment variable USERMM_KERNEL_CPUS.
 */
void usermm_kernel_set_cpus(unsigned int nr) __attribute__((visibility("default")));

USERMM_END_DECLS

static inline void on_each_cpu(smp_call_func_t function, void *info, int wait)
{
	on_each_cpu_mask(cpu_online_mask, function, info, wait);
}

static inline void on_each_cpu_cond(smp_cond_func_t condition, smp_call_func_t function,
				    void *info, bool wait)
{
	on_each_cpu_cond_mask(condition, function, info, wait, cpu_online_mask);
}

static inline void smp_call_function(smp_call_func_t function, void *info, int wait)
{
	smp_call_function_many(cpu_online_mask, function, info, wait);
}

/* Calls the function on any one CPU of the mask. */
static inline int smp_call_function_any(const struct cpumask *mask, smp_call_func_t function,
					void *info, int wait)
{
	unsigned int cpu = cpumask_first(mask);

	return cpu < nr_cpu_ids ? smp_call_function_single((int)cpu, function, info, wait) : -ENXIO;
}

typedef struct {
	smp_call_func_t func;
	void *info;
} call_single_data_t;

#define __call_single_data call_single_data_t
#define CSD_INIT(function, data) { .func = (function), .info = (data) }
#define INIT_CSD(csd, function, data) \
	((void)(*(csd) = (call_single_data_t)CSD_INIT(function, data)))

static inline int smp_call_function_single_async(int cpu, call_single_data_t *csd)
{
	return smp_call_function_single(cpu, csd->func, csd->info, 0);
}

#define smp_send_reschedule(cpu) ((void)(cpu))
#define kick_all_cpus_sync() smp_call_function(usermm_smp_nothing, NULL, 1)

static inline void usermm_smp_nothing(void *info)
{
	(void)info;
}

#endif
