/* SPDX-License-Identifier: MIT */
/* The two calls of futex(2) that the runtime needs. */
#ifndef KERNEL_FUTEX_H
#define KERNEL_FUTEX_H

#include <linux/types.h>

#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Values of the system's linux/futex.h. */
#define FUTEX_WAIT_PRIVATE 128
#define FUTEX_WAKE_PRIVATE 129

/*
 * Waits until somebody wakes the word or the time is over (0: no limit). Returns at once if the
 * word is not value.
 */
static inline void futex_wait(unsigned int *word, unsigned int value, u64 nanoseconds)
{
	struct timespec limit = {
		(time_t)(nanoseconds / 1000000000), (long)(nanoseconds % 1000000000),
	};

	syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, nanoseconds ? &limit : NULL, NULL, 0);
}

static inline void futex_wake(unsigned int *word, int nr)
{
	syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, nr, NULL, NULL, 0);
}

#endif
