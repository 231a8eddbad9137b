/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_SCHED_CPUTIME_H
#define KERNEL_LINUX_SCHED_CPUTIME_H

#include <linux/sched.h>

#endif
