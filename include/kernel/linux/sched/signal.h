/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_SCHED_SIGNAL_H
#define KERNEL_LINUX_SCHED_SIGNAL_H

#include <linux/sched.h>

#endif
