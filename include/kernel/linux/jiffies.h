/* SPDX-License-Identifier: MIT */
/* The clock that ticks HZ times a second. */
#ifndef KERNEL_LINUX_JIFFIES_H
#define KERNEL_LINUX_JIFFIES_H

#include <asm/param.h>
#include <linux/limits.h>
#include <linux/math64.h>
#include <linux/time64.h>
#include <linux/timex.h>
#include <linux/types.h>
#include <usermm/compiler.h>

USERMM_BEGIN_DECLS

unsigned long usermm_jiffies(void) __attribute__((visibility("default")));

USERMM_END_DECLS

/* Computed from the clock at each use; nothing ticks. */
#define jiffies usermm_jiffies()
#define jiffies_64 ((u64)usermm_jiffies())
#define get_jiffies_64() jiffies_64

#define INITIAL_JIFFIES ((unsigned long)(unsigned int)(-300 * HZ))
#define MAX_JIFFY_OFFSET ((LONG_MAX >> 1) - 1)
#define TICK_NSEC (NSEC_PER_SEC / HZ)
#define TICK_USEC (USEC_PER_SEC / HZ)

#define time_after(a, b) ((long)((b) - (a)) < 0)
#define time_before(a, b) time_after(b, a)
#define time_after_eq(a, b) ((long)((a) - (b)) >= 0)
#define time_before_eq(a, b) time_after_eq(b, a)
#define time_in_range(a, low, high) (time_after_eq(a, low) && time_before_eq(a, high))
#define time_in_range_open(a, low, high) (time_after_eq(a, low) && time_before(a, high))
#define time_after64(a, b) ((s64)((b) - (a)) < 0)
#define time_before64(a, b) time_after64(b, a)
#define time_after_eq64(a, b) ((s64)((a) - (b)) >= 0)
#define time_is_before_jiffies(a) time_after(jiffies, a)
#define time_is_after_jiffies(a) time_before(jiffies, a)
#define time_is_before_eq_jiffies(a) time_after_eq(jiffies, a)
#define time_is_after_eq_jiffies(a) time_before_eq(jiffies, a)

static inline unsigned int jiffies_to_msecs(unsigned long j)
{
	return (unsigned int)(j * (MSEC_PER_SEC / HZ));
}

static inline unsigned int jiffies_to_usecs(unsigned long j)
{
	return (unsigned int)(j * (USEC_PER_SEC / HZ));
}

static inline u64 jiffies_to_nsecs(unsigned long j)
{
	return (u64)j * TICK_NSEC;
}

#define jiffies64_to_nsecs(j) jiffies_to_nsecs(j)
#define jiffies64_to_msecs(j) ((u64)(j) * (MSEC_PER_SEC / HZ))

/* Rounds up, so that no wait is too short. A negative time means for ever. */
static inline unsigned long msecs_to_jiffies(unsigned int ms)
{
	if ((int)ms < 0)
		return MAX_JIFFY_OFFSET;
	return ((u64)ms + MSEC_PER_SEC / HZ - 1) / (MSEC_PER_SEC / HZ);
}

static inline unsigned long usecs_to_jiffies(unsigned int us)
{
	return ((u64)us + TICK_USEC - 1) / TICK_USEC;
}

static inline unsigned long nsecs_to_jiffies(u64 ns)
{
	return ns / TICK_NSEC;
}

#define secs_to_jiffies(s) ((unsigned long)(s) * HZ)
#define nsecs_to_jiffies64(ns) ((u64)nsecs_to_jiffies(ns))

#endif
