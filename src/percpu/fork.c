/* SPDX-License-Identifier: MIT */
/*
 * fork() in a process with threads. Before it, the forking thread takes every
 * lock in rank order and every locked slot, so that what the child inherits is
 * consistent. Per-CPU state under rseq needs nothing: a sequence that another
 * thread was in has not committed, and in the child it never will.
 *
 * A process with one thread takes nothing. No lock is held then, unless fork()
 * is called in a signal handler that interrupted an allocation; and in that case
 * parent and child each go on with the one they were in. Neither does a signal
 * handler above a holder in a process with threads: in the child it goes on with the
 * locks that it holds, and those of threads that are not there any more stay locked.
 *
 * libc's fork() takes the lock of the list of streams after the handlers have run. Its owner
 * may be in fflush(NULL), which waits for a stream, whose owner waits in malloc() for a lock
 * that fork() holds here. So that lock is taken first; it may be taken twice by a thread. musl has
 * no name for its own.
 */
#include "percpu/fork.h"

#include <pthread.h>

#include "base/atomic.h"
#include "base/upward_hooks.h"
#include "os/background.h"
#include "os/lock.h"
#include "os/once.h"
#include "os/os.h"
#include "percpu/locked.h"
#include "percpu/vfork.h"

/* glibc's word for it; where libc has none, all locks are always taken. */
extern char __libc_single_threaded __attribute__((__weak__));

/* glibc's lock of the list of streams: to take it, to let go, and to make it anew in a child. */
extern void _IO_list_lock(void) __attribute__((__weak__));
extern void _IO_list_unlock(void) __attribute__((__weak__));
extern void _IO_list_resetlock(void) __attribute__((__weak__));

/*
 * How many fork()s of this thread are between their handlers: more than one if a
 * signal handler forks there, and then only the outermost counts.
 */
static __thread uint16_t forks __attribute__((__tls_model__("initial-exec")));
/* Did it take the locks? */
static __thread bool holding __attribute__((__tls_model__("initial-exec")));

/* Between percpu_fork_change_begin() and _end(): this thread, and handlers above it. */
static __thread uint8_t changes __attribute__((__tls_model__("initial-exec")));

/*
 * Sync: atomic, relaxed. It is set while a layer comes up, before anything is there to mend, and
 * whoever forks with something to mend has set it, or has synchronised with the thread that did.
 */
static void (*mend_child)(void);

/* Under rseq slots need none, but where the sequences are C. */
static bool slots_have_locks(void)
{
	return RSEQ_IN_C || !percpu_has_sequences();
}

static bool has_threads(void)
{
	return !&__libc_single_threaded || !__libc_single_threaded;
}

/* A signal handler above a holder would wait for itself: it takes none. */
static void prepare(void)
{
	if (forks++)
		return;
	holding = has_threads() && lock_none_held();
	if (!holding)
		return;
	if (_IO_list_lock)
		_IO_list_lock();
	once_fork_prepare();
	lock_fork_prepare();
	if (slots_have_locks())
		locked_all_acquire();
}

/* Is this the end of the fork that holds the locks? */
static bool ends_holding(void)
{
	bool ends = forks == 1 && holding;

	if (ends) {
		holding = false;
		if (slots_have_locks())
			locked_all_release(percpu_nr_slots());	/* none has come: see prepare() */
	}
	return ends;
}

static void parent(void)
{
	if (ends_holding()) {
		lock_fork_parent();
		once_fork_parent();
		if (_IO_list_unlock)
			_IO_list_unlock();
	}
	forks--;
}

void percpu_fork_child_begin(void)
{
	os_fork_generation++;
	os_process_set_own();
	background_fork_child();
	percpu_share_fork_child();
}

static void child(void)
{
	void (*mend)(void) = atomic_load_relaxed(&mend_child);

	percpu_fork_child_begin();
	if (ends_holding()) {
		/* First: a handler brings nothing up while locks are held. */
		once_fork_child();
		lock_fork_child();
		if (_IO_list_resetlock)
			_IO_list_resetlock();
		if (mend && !changes)
			mend();
	}
	forks--;
}

void percpu_set_fork_child(void (*mend)(void))
{
	atomic_store_relaxed(&mend_child, mend);
}

void percpu_set_fork_child_if_none(void (*mend)(void))
{
	void (*none)(void) = NULL;

	if (!atomic_load_relaxed(&mend_child))
		atomic_cas_relaxed(&mend_child, &none, mend);
}

void percpu_fork_change_begin(void)
{
	changes++;
	atomic_signal_barrier();
}

void percpu_fork_change_end(void)
{
	atomic_signal_barrier();
	changes--;
}

void percpu_register_fork_handlers(void)
{
	os_process_set_own();
	pthread_atfork(prepare, parent, child);
}
