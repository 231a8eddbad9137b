/* SPDX-License-Identifier: MIT */
/*
 * fork() in a process with threads. Before it, the forking thread takes every
 * lock in rank order and every locked slot, so that what the child inherits is
 * consistent. Per-CPU state under rseq needs nothing: a sequence that another
 * thread was in has not committed, and in the child it never will.
 *
 */
#include "percpu/fork.h"

#include <pthread.h>

#include "os/lock.h"
#include "os/once.h"
#include "percpu/locked.h"

static void prepare(void)
{
	once_fork_prepare();
	lock_fork_prepare();
	if (!percpu.rseq_area)
		locked_all_acquire();
}

static void release_slots(void)
{
	if (!percpu.rseq_area)
		locked_all_release();
}

static void parent(void)
{
	release_slots();
	lock_fork_parent();
	once_fork_parent();
}

static void child(void)
{
	release_slots();
	lock_fork_child();
	once_fork_child();
}

void percpu_register_fork_handlers(void)
{
	pthread_atfork(prepare, parent, child);
}
