/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_KERNEL_STAT_H
#define KERNEL_LINUX_KERNEL_STAT_H

#include <linux/cpumask.h>
#include <linux/interrupt.h>
#include <linux/percpu.h>
#include <linux/sched.h>

#endif
