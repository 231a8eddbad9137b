/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_SCHED_CLOCK_H
#define KERNEL_LINUX_SCHED_CLOCK_H

#include <asm/smp.h>
#include <linux/ktime.h>
#include <linux/sched.h>
#include <linux/thread_info.h>

#define sched_clock() ktime_get_ns()
#define local_clock() ktime_get_ns()
#define cpu_clock(cpu) ((void)(cpu), ktime_get_ns())

#endif
