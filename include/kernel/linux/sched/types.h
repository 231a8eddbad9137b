/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_SCHED_TYPES_H
#define KERNEL_LINUX_SCHED_TYPES_H

#include <linux/sched.h>

#endif
