/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_KERNEL_STAT_H
#define KERNEL_LINUX_KERNEL_STAT_H

#include <asm/irq.h>
#include <linux/cpumask.h>
#include <linux/interrupt.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <usermm/compiler.h>

/* What a CPU's time was spent on. User time includes that of guests. */
enum cpu_usage_stat {
	CPUTIME_USER,
	CPUTIME_NICE,
	CPUTIME_SYSTEM,
	CPUTIME_SOFTIRQ,
	CPUTIME_IRQ,
	CPUTIME_IDLE,
	CPUTIME_IOWAIT,
	CPUTIME_STEAL,
	CPUTIME_GUEST,
	CPUTIME_GUEST_NICE,
	NR_STATS,
};

struct kernel_cpustat {
	u64 cpustat[NR_STATS];		/* ns. Sync: atomic */
};

USERMM_BEGIN_DECLS

/*
 * Brought up to date from /proc/stat at each call. A CPU that the machine lacks has zeros. The
 * caller may hold spinlocks.
 */
struct kernel_cpustat *usermm_cpustat(int cpu) __attribute__((visibility("default")));

USERMM_END_DECLS

#define kcpustat_cpu(cpu) (*usermm_cpustat((int)(cpu)))
#define kcpustat_this_cpu usermm_cpustat((int)raw_smp_processor_id())

static inline void kcpustat_cpu_fetch(struct kernel_cpustat *to, int cpu)
{
	*to = kcpustat_cpu(cpu);
}

#endif
