/* SPDX-License-Identifier: MIT */
/* Time that only goes forward (CLOCK_MONOTONIC), and sleep. */
#ifndef OS_CLOCK_H
#define OS_CLOCK_H

#include "base/compiler.h"

/* Milliseconds; the clock advances with the scheduler's tick. */
uint64_t os_time_ms(void);
/* Nanoseconds of the same clock, at its full resolution. */
uint64_t os_time_ns(void);
void os_sleep_us(unsigned int microseconds);

/*
 * Have period_ms passed since then_ms? Another thread may have read the clock after this one, so
 * then_ms may be a little later than now_ms: then they have not. If it is much later, the clock
 * went back, as in a fork child in another time namespace (time_namespaces(7)): then they have.
 */
#define OS_CLOCK_APART_MS 60000
static inline bool os_is_over(uint64_t then_ms, uint64_t now_ms, unsigned int period_ms)
{
	return now_ms - then_ms + OS_CLOCK_APART_MS >= (uint64_t)period_ms + OS_CLOCK_APART_MS;
}

/* Has the time come that was at most OS_CLOCK_APART_MS ahead when it was set? */
static inline bool os_has_come(uint64_t due_ms, uint64_t now_ms)
{
	return os_is_over(due_ms, now_ms, 0);
}

#endif
