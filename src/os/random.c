/* SPDX-License-Identifier: MIT */
#include "os/random.h"

#include <errno.h>
#include <sys/auxv.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

uint64_t os_random(void)
{
	int saved_errno = errno;
	struct timespec now;
	const uint64_t *given;
	uint64_t value;

	/* Not getrandom(): other preloaded libraries may define their own. */
	if (syscall(SYS_getrandom, &value, sizeof(value), GRND_NONBLOCK) == sizeof(value))
		return value;
	errno = saved_errno;
	/*
	 * No entropy yet: the bytes that the kernel gave this process at its start, and the time.
	 */
	given = (const uint64_t *)getauxval(AT_RANDOM);
	clock_gettime(CLOCK_MONOTONIC, &now);
	value = (uint64_t)now.tv_nsec * 0x9e3779b97f4a7c15UL;
	return given ? value ^ given[0] : value;
}
