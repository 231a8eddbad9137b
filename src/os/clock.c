/* SPDX-License-Identifier: MIT */
#include "os/clock.h"

#include <time.h>

#include "base/atomic.h"
#include "base/system_call.h"
#include "os/start/vdso.h"

static __always_inline struct timespec read_clock(clockid_t clock)
{
	vdso_clock_gettime *clock_gettime = atomic_load_relaxed(&vdso_functions()->clock_gettime);
	struct timespec now = { 0 };

	if (!clock_gettime || clock_gettime(clock, &now))
		system_call(SYS_clock_gettime, clock, &now);
	return now;
}

/* How often os_time_ms() notes the time that it returns. */
#define NOTED_MS 1000
/*
 * If the kernel's clock is further behind the noted time, it went back. If it is less far behind,
 * another thread has noted a later time.
 */
#define APART_MS 60000

static uint64_t noted_ms;	/* the time that was noted last. Sync: atomic relaxed */
static uint64_t ahead_ms;	/* how far this clock is ahead. Sync: atomic relaxed */

static slow_path uint64_t note_time(uint64_t now, uint64_t noted, uint64_t ahead)
{
	if (now > noted)
		atomic_cas_relaxed(&noted_ms, &noted, now);
	if (now >= noted || noted - now < APART_MS)
		return now;
	/* Fails if another thread did the same. */
	atomic_cas_relaxed(&ahead_ms, &ahead, ahead + noted - now);
	return noted;
}

uint64_t os_time_ms(void)
{
	uint64_t ahead = atomic_load_relaxed(&ahead_ms), noted = atomic_load_relaxed(&noted_ms);
	struct timespec time = read_clock(CLOCK_MONOTONIC_COARSE);
	uint64_t now = (uint64_t)time.tv_sec * 1000 + (uint64_t)time.tv_nsec / 1000000 + ahead;

	return likely(now - noted < NOTED_MS) ? now : note_time(now, noted, ahead);
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
