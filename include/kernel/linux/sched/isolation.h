/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_SCHED_ISOLATION_H
#define KERNEL_LINUX_SCHED_ISOLATION_H

#include <linux/cpumask.h>
#include <linux/sched.h>

#endif
