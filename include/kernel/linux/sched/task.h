/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_SCHED_TASK_H
#define KERNEL_LINUX_SCHED_TASK_H

#include <asm/uaccess.h>
#include <linux/mm_types.h>
#include <linux/sched.h>

#endif
