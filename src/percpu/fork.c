/* SPDX-License-Identifier: MIT */
/*
 * fork() in a process with threads. Before it, the forking thread takes every
 * lock in rank order and every locked slot, so that what the child inherits is
 * consistent. Per-CPU state under rseq needs nothing: a sequence that another
 * thread was in has not committed, and in the child it never will.
 *
 * A process with one thread takes nothing. No lock is held then, unless fork()
 * is called in a signal handler that interrupted an allocation; and in that case
 * parent and child each go on with the one they were in.
 */
#include "percpu/fork.h"

#include <pthread.h>

#include "os/lock.h"
#include "os/once.h"
#include "percpu/locked.h"
#include "percpu/vfork.h"

/* glibc's word for it; where libc has none, all locks are always taken. */
extern char __libc_single_threaded __attribute__((__weak__));

/* Sync: the forking thread, between its handlers; fork() runs them one at a time. */
static bool holding;

/* Under rseq slots need none, but where the sequences are C. */
static bool slots_have_locks(void)
{
	return RSEQ_IN_C || !percpu_has_sequences();
}

static void prepare(void)
{
	holding = !&__libc_single_threaded || !__libc_single_threaded;
	if (!holding)
		return;
	once_fork_prepare();
	lock_fork_prepare();
	if (slots_have_locks())
		locked_all_acquire();
}

static void release_slots(void)
{
	if (slots_have_locks())
		locked_all_release();
}

static void parent(void)
{
	if (!holding)
		return;
	release_slots();
	lock_fork_parent();
	once_fork_parent();
}

static void child(void)
{
	percpu_share_fork_child();
	if (!holding)
		return;
	release_slots();
	lock_fork_child();
	once_fork_child();
}

void percpu_register_fork_handlers(void)
{
	pthread_atfork(prepare, parent, child);
}
