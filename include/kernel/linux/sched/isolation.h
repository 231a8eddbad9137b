/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_SCHED_ISOLATION_H
#define KERNEL_LINUX_SCHED_ISOLATION_H

#include <asm/io.h>
#include <linux/cpuhotplug.h>
#include <linux/cpumask.h>
#include <linux/cpuset.h>
#include <linux/device/devres.h>
#include <linux/error-injection.h>
#include <linux/kdev_t.h>
#include <linux/migrate_mode.h>
#include <linux/moduleparam.h>
#include <linux/page_ref.h>
#include <linux/percpu-rwsem.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/sched/rt.h>
#include <linux/sched/task_stack.h>
#include <linux/semaphore.h>
#include <linux/shrinker.h>
#include <linux/slab.h>
#include <linux/stacktrace.h>
#include <linux/tick.h>
#include <linux/tracepoint.h>
#include <linux/vmstat.h>
#include <linux/wait_bit.h>
#include <trace/define_trace.h>

#endif
