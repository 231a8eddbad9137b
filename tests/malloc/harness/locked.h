/* SPDX-License-Identifier: MIT */
/* This program again, with all its memory locked: mlockall(2) does not outlive execve(2). */
#ifndef MALLOC_LOCKED_H
#define MALLOC_LOCKED_H

#include <sys/mman.h>

#include "child.h"

#define LOCK_VARIABLE "TEST_LOCK_MEMORY"

/* The program that was run again calls this first. */
static inline void lock_memory_if_told(void)
{
	if (getenv(LOCK_VARIABLE))
		REQUIRE(!mlockall(MCL_CURRENT | MCL_FUTURE));
}

static inline void try_to_lock(void *unused)
{
	(void)unused;
	_exit(mlockall(MCL_CURRENT | MCL_FUTURE) != 0);
}

/* Makes the check, with children in locked memory. Skips the case if memory may not be locked. */
static inline void check_in_locked_memory(void (*check)(void))
{
	struct child_result result;

	child_run(&result, try_to_lock, NULL);
	if (!child_exited(result.status, 0)) {
		harness.skipped = "this process may not lock its memory";
		return;
	}
	REQUIRE(!setenv(LOCK_VARIABLE, "1", 1));
	check();
	REQUIRE(!unsetenv(LOCK_VARIABLE));
}

#endif
