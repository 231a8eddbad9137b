/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_TIMER_TYPES_H
#define KERNEL_LINUX_TIMER_TYPES_H

#include <linux/types.h>

/* Sync: the timers' lock. */
struct timer_list {
	struct list_head entry;		/* next is NULL: not pending */
	unsigned long expires;		/* jiffies */
	void (*function)(struct timer_list *timer);
	u32 flags;
	int cpu;			/* whose interrupt it will be */
	u64 when;			/* nanoseconds */
};

#endif
