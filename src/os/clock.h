/* SPDX-License-Identifier: MIT */
/* Time that only goes forward (CLOCK_MONOTONIC), and sleep. */
#ifndef OS_CLOCK_H
#define OS_CLOCK_H

#include "base/compiler.h"

/*
 * Milliseconds; the clock advances with the scheduler's tick. The kernel's clock goes back for a
 * fork child in another time namespace (time_namespaces(7)). Then this one goes on from where it
 * was.
 */
uint64_t os_time_ms(void);
/* Nanoseconds of the kernel's clock, at its full resolution. */
uint64_t os_time_ns(void);
void os_sleep_us(unsigned int microseconds);

#endif
