/* SPDX-License-Identifier: MIT */
/* There is no CPU hotplug. */
#ifndef KERNEL_LINUX_CPU_H
#define KERNEL_LINUX_CPU_H

#include <linux/cpuhotplug.h>
#include <linux/cpumask.h>
#include <linux/smp.h>
#include <linux/topology.h>

#define cpus_read_lock() ((void)0)
#define cpus_read_unlock() ((void)0)
#define cpus_read_trylock() 1
#define get_online_cpus() cpus_read_lock()
#define put_online_cpus() cpus_read_unlock()
#define cpu_hotplug_disable() ((void)0)
#define cpu_hotplug_enable() ((void)0)

#endif
