/* SPDX-License-Identifier: MIT */
/*
 * Functions that a task calls on its way back to its program. Tasks here have no way back, so work
 * is refused, as that of a task that is ending.
 */
#ifndef _LINUX_TASK_WORK_H
#define _LINUX_TASK_WORK_H

#include <linux/errno.h>
#include <linux/list.h>
#include <linux/sched.h>

typedef void (*task_work_func_t)(struct callback_head *work);
enum task_work_notify_mode { TWA_NONE, TWA_RESUME, TWA_SIGNAL, TWA_SIGNAL_NO_IPI,
			     TWA_NMI_CURRENT };

static inline void init_task_work(struct callback_head *work, task_work_func_t function)
{
	work->func = function;
}

#define task_work_add(task, work, mode) ((void)(task), (void)(work), (void)(mode), -ESRCH)
#define task_work_cancel(task, work) ((void)(task), (void)(work), false)
#define task_work_cancel_func(task, function) \
	((void)(task), (void)(function), (struct callback_head *)NULL)
#define task_work_run() ((void)0)
#define task_work_pending(task) ((void)(task), false)

#endif
