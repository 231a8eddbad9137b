/* SPDX-License-Identifier: MIT */
/* struct sched_attr, and nothing else, since libc's <sched.h> includes this file, too. */
#ifndef KERNEL_LINUX_SCHED_TYPES_H
#define KERNEL_LINUX_SCHED_TYPES_H

#include <linux/types.h>
/* Older headers of the system also define struct sched_param, which libc has. */
#pragma push_macro("sched_param")
#undef sched_param
#define sched_param usermm_system_sched_param
#include_next <linux/sched/types.h>
#pragma pop_macro("sched_param")

#endif
