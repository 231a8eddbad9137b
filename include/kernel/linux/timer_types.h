/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_TIMER_TYPES_H
#define KERNEL_LINUX_TIMER_TYPES_H

#include <linux/types.h>
#include <linux/version.h>

struct timer_list;
#if LINUX_VERSION_CODE < KERNEL_VERSION(4, 15, 0)
typedef void (*usermm_timer_function_t)(unsigned long data);
#else
typedef void (*usermm_timer_function_t)(struct timer_list *timer);
#endif

/* Sync: the timers' lock. */
struct timer_list {
	struct list_head entry;		/* next is NULL: not pending */
	unsigned long expires;		/* jiffies */
	usermm_timer_function_t function;
	u32 flags;
	int cpu;			/* the CPU whose interrupt it will be */
	u64 when;			/* nanoseconds of the monotonic clock */
	unsigned long data;		/* the function's argument, up to Linux 4.14 */
};

#endif
