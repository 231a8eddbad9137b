/* SPDX-License-Identifier: MIT */
/* There is no CPU hotplug. */
#ifndef KERNEL_LINUX_CPU_H
#define KERNEL_LINUX_CPU_H

#include <linux/cpuhotplug.h>
#include <linux/cpumask.h>
#include <linux/device.h>
#include <linux/device/devres.h>
#include <linux/error-injection.h>
#include <linux/hrtimer.h>
#include <linux/kdev_t.h>
#include <linux/migrate_mode.h>
#include <linux/mmap_lock.h>
#include <linux/moduleparam.h>
#include <linux/rculist.h>
#include <linux/sched/mm.h>
#include <linux/sched/rt.h>
#include <linux/sched/task_stack.h>
#include <linux/sched/user.h>
#include <linux/semaphore.h>
#include <linux/shrinker.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/sysctl.h>
#include <linux/topology.h>
#include <linux/wait_bit.h>

#define cpus_read_lock() ((void)0)
#define cpus_read_unlock() ((void)0)
#define cpus_read_trylock() 1
#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 15, 0)
#define get_online_cpus() cpus_read_lock()
#define put_online_cpus() cpus_read_unlock()
#else
USERMM_REMOVED(get_online_cpus, "5.15", "cpus_read_lock()")
USERMM_REMOVED(put_online_cpus, "5.15", "cpus_read_unlock()")
#endif
#define cpu_hotplug_disable() ((void)0)
#define cpu_hotplug_enable() ((void)0)

#endif
