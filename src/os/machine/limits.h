/* SPDX-License-Identifier: MIT */
/* How much memory the machine has, and how much of it this process may use. */
#ifndef OS_MACHINE_LIMITS_H
#define OS_MACHINE_LIMITS_H

#include "base/compiler.h"

/* RAM and swap, in bytes. */
uint64_t os_memory_bytes(void);

/* A limit that the process lives under. */
struct os_limit {
	uint64_t bytes;		/* UINT64_MAX if there is none */
	const char *source;	/* constant text */
};
/* Sets *limit to RAM and swap, without the nodes that a cpuset forbids. */
void os_constant_limit(struct os_limit *limit);
/*
 * Lowers *limit to the smallest of those limits that others may change while the process runs:
 * RLIMIT_AS, RLIMIT_DATA, and the limits of the memory cgroup (v1 and v2) and of its parents. high
 * and who may call: as os_cgroup_take_limit() (cgroup.h).
 */
void os_take_changing_limits(struct os_limit *limit, bool high);
/* RLIMIT_AS alone; UINT64_MAX if there is none. */
uint64_t os_address_space_limit(void);
/* RLIMIT_DATA alone, which counts private writable memory; UINT64_MAX if there is none. */
uint64_t os_data_limit(void);
/*
 * Reads both limits now. From then on the two functions above return what was read, since a sandbox
 * may soon forbid the system call.
 */
void os_remember_limits(void);
/* Reads the remembered limits again. Called when the process has changed its limits itself. */
void os_renew_limits(void);

#endif
