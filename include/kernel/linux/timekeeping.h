/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_TIMEKEEPING_H
#define KERNEL_LINUX_TIMEKEEPING_H

#include <linux/ktime.h>
#include <linux/time.h>
#include <linux/time32.h>

enum tk_offsets { TK_OFFS_REAL, TK_OFFS_BOOT, TK_OFFS_TAI, TK_OFFS_MAX };

/* International atomic time is the time of day, as on a machine whose clock nobody has told it. */
static inline ktime_t ktime_get_with_offset(enum tk_offsets offset)
{
	return offset == TK_OFFS_BOOT ? ktime_get_boottime() : ktime_get_real();
}

/* What another clock shows when the monotonic clock shows this time. */
static inline ktime_t ktime_mono_to_any(ktime_t time, enum tk_offsets offset)
{
	return ktime_add(time, ktime_sub(ktime_get_with_offset(offset), ktime_get()));
}

static inline ktime_t ktime_mono_to_real(ktime_t time)
{
	return ktime_mono_to_any(time, TK_OFFS_REAL);
}

#endif
