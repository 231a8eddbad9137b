/* SPDX-License-Identifier: MIT */
/* There are no ticks; for time see jiffies.h and ktime.h. */
#ifndef KERNEL_LINUX_TICK_H
#define KERNEL_LINUX_TICK_H

#include <linux/jiffies.h>
#include <linux/ktime.h>

#define tick_nohz_full_enabled() false
#define tick_nohz_full_cpu(cpu) ((void)(cpu), false)

#endif
