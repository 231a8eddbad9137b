// SPDX-License-Identifier: MIT
/* The clocks. */
#include <time.h>

#include <linux/compiler.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/timex.h>

static ktime_t read_clock(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return ktime_set(now.tv_sec, now.tv_nsec);
}

#if defined(__x86_64__)
/* Measured once, for 10 ms, against the monotonic clock. */
unsigned int usermm_tsc_khz(void)
{
	static unsigned int khz;	/* Sync: atomic */
	ktime_t start = ktime_get(), now;
	cycles_t cycles = get_cycles();

	if (READ_ONCE(khz))
		return khz;
	do
		now = ktime_get();
	while (now - start < 10 * NSEC_PER_MSEC);
	WRITE_ONCE(khz, (unsigned int)((get_cycles() - cycles) * NSEC_PER_MSEC /
				       (u64)(now - start)));
	return khz;
}
#endif

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

/* As in the kernel, jiffies begin five minutes before their 32 lower bits wrap. */
unsigned long usermm_jiffies(void)
{
	static unsigned long start;	/* Sync: atomic */
	unsigned long ticks = (unsigned long)ktime_get() / TICK_NSEC, expected = 0;

	if (!READ_ONCE(start))
		__atomic_compare_exchange_n(&start, &expected, ticks, false, __ATOMIC_RELAXED,
					    __ATOMIC_RELAXED);
	return INITIAL_JIFFIES + (ticks - READ_ONCE(start));
}
