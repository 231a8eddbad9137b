/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_SCHED_CPUTIME_H
#define KERNEL_LINUX_SCHED_CPUTIME_H

#include <linux/hrtimer.h>
#include <linux/mm_types.h>
#include <linux/ratelimit.h>
#include <linux/rculist.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sysctl.h>
#include <usermm/compiler.h>

USERMM_BEGIN_DECLS

/*
 * The task's time in user and system mode, ns; together the time that it ran. Zeros for a task that
 * has ended or not begun. The shares are counted in ticks, so one may shrink. For a program of the
 * machine it is the time of all its threads.
 */
void task_cputime_adjusted(struct task_struct *task, u64 *user, u64 *system)
	USERMM_API(task_cputime_adjusted);
/* The same of its process: each task here is a process of one thread. */
void thread_group_cputime_adjusted(struct task_struct *task, u64 *user, u64 *system)
	USERMM_API(thread_group_cputime_adjusted);

USERMM_END_DECLS

#endif
