// SPDX-License-Identifier: MIT
/* The clocks. */
#include <time.h>

#include <linux/compiler.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>

static ktime_t read_clock(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return ktime_set(now.tv_sec, now.tv_nsec);
}

ktime_t ktime_get(void)
{
	return read_clock(CLOCK_MONOTONIC);
}

ktime_t ktime_get_boottime(void)
{
	return read_clock(CLOCK_BOOTTIME);
}

ktime_t ktime_get_raw(void)
{
	return read_clock(CLOCK_MONOTONIC_RAW);
}

ktime_t ktime_get_real(void)
{
	return read_clock(CLOCK_REALTIME);
}

/* The count begins where the kernel lets it begin, five minutes before 32 bits wrap. */
unsigned long usermm_jiffies(void)
{
	static unsigned long start;	/* Sync: atomic */
	unsigned long ticks = (unsigned long)ktime_get() / TICK_NSEC, expected = 0;

	if (!READ_ONCE(start))
		__atomic_compare_exchange_n(&start, &expected, ticks, false, __ATOMIC_RELAXED,
					    __ATOMIC_RELAXED);
	return INITIAL_JIFFIES + (ticks - READ_ONCE(start));
}
