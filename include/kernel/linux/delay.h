/* SPDX-License-Identifier: MIT */
/* Waiting: the delays keep the processor, the sleeps give it away. */
#ifndef KERNEL_LINUX_DELAY_H
#define KERNEL_LINUX_DELAY_H

#include <linux/sched.h>

USERMM_BEGIN_DECLS

void usermm_ndelay(unsigned long nanoseconds) __attribute__((visibility("default")));
void usermm_nsleep(u64 nanoseconds) __attribute__((visibility("default")));

USERMM_END_DECLS

#define ndelay(n) usermm_ndelay(n)
#define udelay(n) usermm_ndelay((n) * 1000UL)
#define mdelay(n) usermm_ndelay((n) * 1000000UL)
#define msleep(n) usermm_nsleep((n) * 1000000ULL)
#define msleep_interruptible(n) ({ msleep(n); 0UL; })
#define ssleep(n) usermm_nsleep((n) * 1000000000ULL)
#define usleep_range(low, high) ((void)(high), usermm_nsleep((low) * 1000ULL))
#define usleep_range_state(low, high, state) usleep_range(low, high)
#define usleep_idle_range(low, high) usleep_range(low, high)
#define fsleep(n) usermm_nsleep((n) * 1000ULL)

#endif
