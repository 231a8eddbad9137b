/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_VFORK_H
#define PERCPU_VFORK_H

#include <sys/types.h>
#include <unistd.h>

#include "percpu/percpu.h"

/*
 * vfork(2), after which the child may allocate and free until it calls _exit() or
 * an exec function. Like vfork() it returns twice.
 */
#if RSEQ_SUPPORTED
pid_t percpu_vfork(void) __attribute__((__returns_twice__));
#else
#define percpu_vfork() vfork()
#endif

/*
 * Around the making of a task that shares this memory but has no restartable
 * sequences of its own. Between the two nobody has a slot: allocations go to the
 * locked slow paths. May nest and overlap; safe in signal handlers.
 */
void percpu_share_begin(void);
void percpu_share_end(void);

/* There are more slots: they are open to all, or will be when there is no such child. */
void percpu_bound_renew(void);

/*
 * In a fork child: the children of the parent are not this process's. It has its
 * slots again, unless the kernel keeps no sequences for its thread.
 */
void percpu_share_fork_child(void);

#endif
