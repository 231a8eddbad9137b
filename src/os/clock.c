/* SPDX-License-Identifier: MIT */
#include "os/clock.h"

#include <time.h>

#include "base/atomic.h"
#include "base/system_call.h"
#include "os/start/vdso.h"

static struct timespec read_clock(clockid_t clock)
{
	vdso_clock_gettime *clock_gettime = atomic_load_relaxed(&vdso_functions()->clock_gettime);
	struct timespec now = { 0 };

	if (!clock_gettime || clock_gettime(clock, &now))
		system_call(SYS_clock_gettime, clock, &now);
	return now;
}

uint64_t os_time_ms(void)
{
	struct timespec now = read_clock(CLOCK_MONOTONIC_COARSE);

	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

uint64_t os_time_ns(void)
{
	struct timespec now = read_clock(CLOCK_MONOTONIC);

	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

void os_sleep_us(unsigned int microseconds)
{
	struct timespec time = { microseconds / 1000000, microseconds % 1000000 * 1000 };

	system_call(SYS_nanosleep, &time, NULL);
}
