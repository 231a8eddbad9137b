/* SPDX-License-Identifier: MIT */
/* struct sched_attr. libc's <sched.h> reads this file, too, so there is no more in it. */
#ifndef KERNEL_LINUX_SCHED_TYPES_H
#define KERNEL_LINUX_SCHED_TYPES_H

#include <linux/types.h>
#include_next <linux/sched/types.h>

#endif
