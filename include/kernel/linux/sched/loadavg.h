/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_SCHED_LOADAVG_H
#define KERNEL_LINUX_SCHED_LOADAVG_H

#include <linux/sched.h>

#endif
