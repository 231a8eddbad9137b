/* SPDX-License-Identifier: MIT */
/* There are no ticks; for time see jiffies.h and ktime.h. */
#ifndef KERNEL_LINUX_TICK_H
#define KERNEL_LINUX_TICK_H

#include <asm/io.h>
#include <linux/clocksource.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/of.h>
#include <linux/sched/mm.h>

#define tick_nohz_full_enabled() false
#define tick_nohz_full_cpu(cpu) ((void)(cpu), false)

#endif
