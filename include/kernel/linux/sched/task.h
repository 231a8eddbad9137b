/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_SCHED_TASK_H
#define KERNEL_LINUX_SCHED_TASK_H

#include <asm/uaccess.h>
#include <linux/cleanup.h>
#include <linux/mm_types.h>
#include <linux/rwlock.h>
#include <linux/sched.h>

extern rwlock_t tasklist_lock __asm__("usermm_tasklist_lock")
	__attribute__((visibility("default")));

/* The lock of what a task points to: its name, files and memory. */
static inline void task_lock(struct task_struct *task)
{
	spin_lock(&task->alloc_lock);
}

static inline void task_unlock(struct task_struct *task)
{
	spin_unlock(&task->alloc_lock);
}

DEFINE_FREE(put_task, struct task_struct *, if (_T) put_task_struct(_T))

#endif
