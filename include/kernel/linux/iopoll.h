/* SPDX-License-Identifier: MIT */
/* Waiting for a device that has no interrupt: its value is read until a condition holds. */
#ifndef _LINUX_IOPOLL_H
#define _LINUX_IOPOLL_H

#include <linux/delay.h>
#include <linux/errno.h>
#include <linux/io.h>
#include <linux/kernel.h>
#include <linux/ktime.h>

/*
 * Repeats val = op(args) until the condition holds: 0. -ETIMEDOUT after timeout_us (0: no limit).
 * Sleeps sleep_us in between.
 */
#define read_poll_timeout(op, val, condition, sleep_us, timeout_us, sleep_first, args...) \
	({									\
		u64 iopoll_us_ = (timeout_us);					\
		unsigned long iopoll_sleep_ = (sleep_us);			\
		ktime_t iopoll_end_ = ktime_add_us(ktime_get(), iopoll_us_);	\
										\
		if ((sleep_first) && iopoll_sleep_)				\
			usleep_range((iopoll_sleep_ >> 2) + 1, iopoll_sleep_);	\
		for (;;) {							\
			(val) = op(args);					\
			if (condition)						\
				break;						\
			if (iopoll_us_ && ktime_compare(ktime_get(), iopoll_end_) > 0) { \
				(val) = op(args);				\
				break;						\
			}							\
			if (iopoll_sleep_)					\
				usleep_range((iopoll_sleep_ >> 2) + 1, iopoll_sleep_); \
			cpu_relax();						\
		}								\
		(condition) ? 0 : -ETIMEDOUT;					\
	})

/* The same, without sleeping. */
#define read_poll_timeout_atomic(op, val, condition, delay_us, timeout_us, delay_first, args...) \
	({									\
		u64 iopoll_us_ = (timeout_us);					\
		ktime_t iopoll_end_ = ktime_add_us(ktime_get(), iopoll_us_);	\
										\
		if (delay_first)						\
			udelay(delay_us);					\
		for (;;) {							\
			(val) = op(args);					\
			if ((condition) ||					\
			    (iopoll_us_ && ktime_compare(ktime_get(), iopoll_end_) > 0)) \
				break;						\
			udelay(delay_us);					\
			cpu_relax();						\
		}								\
		(condition) ? 0 : -ETIMEDOUT;					\
	})

#define readx_poll_timeout(op, addr, val, condition, sleep_us, timeout_us) \
	read_poll_timeout(op, val, condition, sleep_us, timeout_us, false, addr)
#define readx_poll_timeout_atomic(op, addr, val, condition, delay_us, timeout_us) \
	read_poll_timeout_atomic(op, val, condition, delay_us, timeout_us, false, addr)
#define readb_poll_timeout(addr, val, condition, sleep_us, timeout_us) \
	readx_poll_timeout(readb, addr, val, condition, sleep_us, timeout_us)
#define readw_poll_timeout(addr, val, condition, sleep_us, timeout_us) \
	readx_poll_timeout(readw, addr, val, condition, sleep_us, timeout_us)
#define readl_poll_timeout(addr, val, condition, sleep_us, timeout_us) \
	readx_poll_timeout(readl, addr, val, condition, sleep_us, timeout_us)
#define readl_poll_timeout_atomic(addr, val, condition, delay_us, timeout_us) \
	readx_poll_timeout_atomic(readl, addr, val, condition, delay_us, timeout_us)
#define readl_relaxed_poll_timeout(addr, val, condition, sleep_us, timeout_us) \
	readx_poll_timeout(readl_relaxed, addr, val, condition, sleep_us, timeout_us)

#endif
