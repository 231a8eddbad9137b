/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_KCOV_H
#define KERNEL_LINUX_KCOV_H

#include <asm/irqflags.h>
#include <asm/smp.h>
#include <linux/bottom_half.h>
#include <linux/nodemask_types.h>
#include <linux/rbtree_types.h>
#include <linux/sched/types.h>
#include <linux/thread_info.h>
#include <linux/timer_types.h>

#define kcov_remote_start(handle) ((void)(handle))
#define kcov_remote_stop() ((void)0)

#endif
