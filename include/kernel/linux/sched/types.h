/* SPDX-License-Identifier: MIT */
/* struct sched_attr. libc's <sched.h> reads this file, too, so there is no more in it. */
#ifndef KERNEL_LINUX_SCHED_TYPES_H
#define KERNEL_LINUX_SCHED_TYPES_H

#include <linux/types.h>
/* In older ones there is libc's struct sched_param as well. */
#pragma push_macro("sched_param")
#undef sched_param
#define sched_param usermm_system_sched_param
#include_next <linux/sched/types.h>
#pragma pop_macro("sched_param")

#endif
