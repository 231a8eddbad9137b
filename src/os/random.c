/* SPDX-License-Identifier: MIT */
#include "os/random.h"

#include <sys/random.h>

#include "base/system_call.h"
#include "os/start/auxiliary.h"
#include "os/clock.h"

uint64_t os_random(void)
{
	const uint64_t *given;
	uint64_t value;

	if (system_call(SYS_getrandom, &value, sizeof(value), GRND_NONBLOCK) == sizeof(value))
		return value;
	/*
	 * No entropy yet: the bytes that the kernel gave this process at its start, and the time.
	 */
	given = (const uint64_t *)os_auxiliary(AT_RANDOM);
	value = os_time_ns() * 0x9e3779b97f4a7c15UL;
	return given ? value ^ given[0] : value;
}
