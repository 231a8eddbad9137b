/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_VFORK_H
#define PERCPU_VFORK_H

#include <sys/types.h>
#include <unistd.h>

#include "os/thread.h"
#include "percpu/percpu.h"

/*
 * vfork(2), but the child may allocate and free until it calls _exit() or an exec function. Returns
 * twice, as vfork() does.
 */
#if RSEQ_SUPPORTED
pid_t percpu_vfork(void) __attribute__((__returns_twice__));
#else
#define percpu_vfork() vfork()
#endif

/*
 * Bracket the life of a task that shares this memory but has no restartable sequences of its own.
 * Between the two nobody has a slot, so allocations take the locked slow paths. Brackets may nest
 * and overlap. Safe in signal handlers.
 */
void percpu_share_begin(void);
void percpu_share_end(void);

/* Is this process a child that shares its parent's memory, and so the library's variables? */
static inline bool percpu_in_vfork_child(void)
{
	return atomic_load_relaxed(&percpu.bound.children) && !os_process_is_own();
}

/* Opens newly made slots to all threads: now, or when the last such child is gone. */
void percpu_bound_renew(void);

/*
 * For a fork child: its parent's children are not its own, so it has slots again. It stays without
 * them if the kernel refuses its thread a registration.
 */
void percpu_share_fork_child(void);

#endif
