/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_SCHED_RT_H
#define KERNEL_LINUX_SCHED_RT_H

#include <asm/smp.h>
#include <linux/sched.h>
#include <linux/thread_info.h>

#endif
