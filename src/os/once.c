/* SPDX-License-Identifier: MIT */
#include "os/once.h"

#include "os/clock.h"
#include "os/lock.h"
#include "os/signal/signals.h"
#include "os/thread.h"

/* Sync: owner is atomic; depth belongs to the owner */
static uint32_t owner;
static uint32_t depth;
/*
 * The thread that is bringing a layer up, as the address of its lock_held_ranks; or NULL. That
 * thread has the lock, and no signal handler can interrupt it. If that layer needs another one,
 * this thread brings it up without taking the lock again. NULL between the fork handlers. Sync:
 * atomic relaxed; a thread finds its own address only if it stored it.
 */
static const uint32_t *busy_thread;

/*
 * Waits by short sleeps: a layer comes up in about a hundred microseconds, and once in a process.
 */
static void init_lock(void)
{
	uint32_t self = (uint32_t)os_current_thread();

	if (atomic_load_relaxed(&owner) != self) {
		uint32_t nobody = 0;

		/* pairs with init_unlock() and once_fork_child(): what the last owner brought up */
		while (!atomic_cas_acquire(&owner, &nobody, self)) {
			nobody = 0;
			os_sleep_us(20);
		}
	}
	depth++;
}

static void init_unlock(void)
{
	/* pairs with init_lock(): what this thread brought up */
	if (!--depth)
		atomic_store_release(&owner, 0);
}

/*
 * While this thread has the lock, a signal handler in it would take the lock as its own. It would
 * find half a layer, or owner and depth half changed. So signals are blocked.
 */
static void block_signals(os_signals *before)
{
	os_block_signals(OS_SIGNALS_ALL, before);
}

/* The caller holds the one lock under which every layer comes up. */
static bool try_locked(struct once *once, int (*bring_up)(void))
{
	if (bring_up()) {
		atomic_store_relaxed(&once->failures, once->failures + 1);
		return false;
	}
	/* pairs with once_run() and once_done(): all that bring_up wrote */
	atomic_store_release(&once->done, 1);
	return true;
}

bool once_run_slow(struct once *once, int (*bring_up)(void))
{
	os_signals before;
	uint32_t failures;
	bool done;

	if (!lock_none_held())
		return false;
	if (atomic_load_relaxed(&busy_thread) == &lock_held_ranks)
		return atomic_load_relaxed(&once->done) || try_locked(once, bring_up);
	failures = atomic_load_relaxed(&once->failures);
	block_signals(&before);
	init_lock();
	atomic_store_relaxed(&busy_thread, &lock_held_ranks);
	done = atomic_load_relaxed(&once->done);
	/*
	 * If the number changed, another thread has failed while this one waited, so this one
	 * fails, too.
	 */
	if (!done && atomic_load_relaxed(&once->failures) == failures)
		done = try_locked(once, bring_up);
	atomic_store_relaxed(&busy_thread, NULL);
	init_unlock();
	os_restore_signals(&before);
	return done;
}

/*
 * Signals are not blocked between prepare and parent: a handler may bring a whole layer up then,
 * since the lock is its thread's.
 */
void once_fork_prepare(void)
{
	os_signals before;

	block_signals(&before);
	init_lock();
	os_restore_signals(&before);
}

void once_fork_parent(void)
{
	os_signals before;

	block_signals(&before);
	init_unlock();
	os_restore_signals(&before);
}

void once_fork_child(void)
{
	depth = 0;
	/* pairs with init_lock(): `depth` */
	atomic_store_release(&owner, 0);
}
