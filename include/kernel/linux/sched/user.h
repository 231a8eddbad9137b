/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_SCHED_USER_H
#define KERNEL_LINUX_SCHED_USER_H

#include <linux/percpu.h>
#include <linux/percpu_counter.h>
#include <linux/ratelimit.h>
#include <linux/sched.h>
#include <linux/uidgid.h>

#endif
