/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_SCHED_RT_H
#define KERNEL_LINUX_SCHED_RT_H

#include <linux/sched.h>

#endif
