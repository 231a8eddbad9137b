/* SPDX-License-Identifier: MIT */
/* Waiting: delays keep the processor, sleeps give it up. */
#ifndef KERNEL_LINUX_DELAY_H
#define KERNEL_LINUX_DELAY_H

#include <asm/smp.h>
#include <linux/sched.h>
#include <linux/thread_info.h>

USERMM_BEGIN_DECLS

void usermm_ndelay(unsigned long nanoseconds) __attribute__((visibility("default")));
void usermm_nsleep(u64 nanoseconds) __attribute__((visibility("default")));

/* The milliseconds that were left when a signal came; else 0. */
unsigned long msleep_interruptible(unsigned int n) USERMM_API(msleep_interruptible);

USERMM_END_DECLS

#define ndelay(n) usermm_ndelay(n)
#define udelay(n) usermm_ndelay((n) * 1000UL)
#define mdelay(n) usermm_ndelay((n) * 1000000UL)
static inline void msleep(unsigned int n)
{
	usermm_nsleep(n * 1000000ULL);
}

static inline void ssleep(unsigned int n)
{
	usermm_nsleep(n * 1000000000ULL);
}

static inline void usleep_range(unsigned long low, unsigned long high)
{
	(void)high;
	usermm_nsleep(low * 1000ULL);
}

#define usleep_range_state(low, high, state) usleep_range(low, high)
#define usleep_range_idle(low, high) usleep_range(low, high)
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
#define usleep_idle_range(low, high) usleep_range(low, high)
#else
USERMM_REMOVED(usleep_idle_range, "6.13", "usleep_range_idle()")
#endif

static inline void fsleep(unsigned long n)
{
	usermm_nsleep(n * 1000ULL);
}

#endif
