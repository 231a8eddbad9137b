/* SPDX-License-Identifier: MIT */
#ifndef _LINUX_SCHED_STAT_H
#define _LINUX_SCHED_STAT_H

#include <linux/kernel_stat.h>
#include <linux/percpu.h>
#include <linux/sched.h>

#endif
