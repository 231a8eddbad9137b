/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_SCHED_DEBUG_H
#define KERNEL_LINUX_SCHED_DEBUG_H

#include <linux/sched.h>

#endif
