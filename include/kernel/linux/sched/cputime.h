/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_SCHED_CPUTIME_H
#define KERNEL_LINUX_SCHED_CPUTIME_H

#include <linux/hrtimer.h>
#include <linux/mm_types.h>
#include <linux/ratelimit.h>
#include <linux/rculist.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sysctl.h>

#endif
