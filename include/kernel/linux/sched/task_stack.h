/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_SCHED_TASK_STACK_H
#define KERNEL_LINUX_SCHED_TASK_STACK_H

#include <linux/sched.h>

#endif
