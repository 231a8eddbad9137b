/* SPDX-License-Identifier: MIT */
/*
 * fork(). In a process with threads the forking thread first takes every lock, in the order of
 * their ranks, and every locked slot, so that the child inherits a consistent state. Under rseq
 * slots need nothing: a sequence that another thread was in has not committed, and in the child it
 * never will.
 *
 * Two kinds of callers take no lock:
 *
 * - A process with one thread. Nobody holds a lock then, unless fork() is called in a signal
 *   handler that interrupted an allocation. In this case parent and child both continue that
 *   allocation.
 * - In a process with threads, a signal handler that interrupted a holder of a lock. It would wait
 *   for its own thread. In the child its thread goes on with the locks that it holds. Locks of
 *   threads that the child lacks stay locked.
 *
 * glibc's fork() takes its lock of the list of streams after these handlers have run. The owner of
 * that lock may be in fflush(NULL) and wait for a stream. The stream's owner may wait in malloc()
 * for a lock that fork() holds here. So the lock of the list is taken first, before usermm's; a
 * thread may take it twice. musl has such a lock, too, but gives it no name that others can use.
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

/* glibc's variable. If libc has none, all locks are always taken. */
extern char __libc_single_threaded __attribute__((__weak__));

/* glibc's lock of the list of streams: take, release, and make new in a child. */
extern void _IO_list_lock(void) __attribute__((__weak__));
extern void _IO_list_unlock(void) __attribute__((__weak__));
extern void _IO_list_resetlock(void) __attribute__((__weak__));

/*
 * How many fork() calls of this thread are between their handlers. They are more than one if a
 * signal handler forks there; then only the outermost takes and releases locks.
 */
static __thread uint16_t forks __attribute__((__tls_model__("initial-exec")));
/* Has the outermost fork() taken the locks? */
static __thread bool holding __attribute__((__tls_model__("initial-exec")));

/* How often this thread, handlers included, is inside percpu_fork_change_begin() and _end(). */
static __thread uint8_t changes __attribute__((__tls_model__("initial-exec")));

/*
 * Sync: atomic, relaxed. A layer sets this while it comes up, before there is anything to mend. A
 * thread that forks with something to mend has set it itself, or has synchronised with the thread
 * that did.
 */
static void (*mend_child)(void);

/* Under rseq slots have no locks, except where the sequences are C. */
static bool slots_have_locks(void)
{
	return RSEQ_IN_C || !percpu_has_sequences();
}

static bool has_threads(void)
{
	return !&__libc_single_threaded || !__libc_single_threaded;
}

/* Takes no lock in a signal handler that interrupted a holder: it would wait for its own thread. */
static void prepare(void)
{
	if (forks++)
		return;
	background_fork_prepare();
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

/* Does this end the fork() that holds the locks? If so, releases the slots' locks. */
static bool ends_holding(void)
{
	bool ends = forks == 1 && holding;

	if (ends) {
		holding = false;
		if (slots_have_locks())
			locked_all_release(percpu_nr_slots());	/* prepare() took slots_lock */
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
		/*
		 * Comes before the locks are released: until then no signal handler can bring a
		 * layer up.
		 */
		once_fork_child();
		lock_fork_child();
		if (_IO_list_resetlock)
			_IO_list_resetlock();
		if (mend && !changes)
			mend();
	}
	forks--;
	background_come_back();
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
