/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_SCHED_USER_H
#define KERNEL_LINUX_SCHED_USER_H

#include <linux/sched.h>

#endif
