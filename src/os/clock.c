/* SPDX-License-Identifier: MIT */
#include "os/clock.h"

#include <errno.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

uint64_t os_time_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

uint64_t os_time_ns(void)
{
	struct timespec now = { 0 };

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

void os_sleep_us(unsigned int microseconds)
{
	struct timespec time = { microseconds / 1000000, microseconds % 1000000 * 1000 };
	int saved_errno = errno;

	/* Not nanosleep(), which is a cancellation point. */
	syscall(SYS_nanosleep, &time, NULL);
	errno = saved_errno;
}
