/* SPDX-License-Identifier: MIT */
/* How much memory the machine has, and how much of it this process may use. */
#ifndef OS_MACHINE_LIMITS_H
#define OS_MACHINE_LIMITS_H

#include "base/compiler.h"

/* RAM and swap, in bytes. */
uint64_t os_memory_bytes(void);

/* The smallest limit that the process lives under. */
struct os_limit {
	uint64_t bytes;		/* UINT64_MAX if there is none */
	const char *source;	/* constant text */
};
/*
 * The smallest of: RAM and swap, without the nodes that a cpuset forbids; RLIMIT_AS; RLIMIT_DATA;
 * the limits of the memory cgroup (v1 and v2) and of its parents.
 */
void os_memory_limit(struct os_limit *limit);
/* RLIMIT_AS alone; UINT64_MAX if there is none. */
uint64_t os_address_space_limit(void);
/* RLIMIT_DATA alone, which counts private writable memory; UINT64_MAX if there is none. */
uint64_t os_data_limit(void);
/* From now on these two answer what holds now: the system call may be forbidden soon. */
void os_remember_limits(void);
/* The process has changed its limits itself: what is remembered is read again. */
void os_renew_limits(void);

#endif
