/* SPDX-License-Identifier: MIT */
/*
 * Brings a layer up exactly once, by whichever thread needs it first.
 *
 * All layers share one lock, which its holder may take again: bringing up slab brings up page.
 * fork() waits for this lock, so a child never inherits half a layer. Signals are blocked
 * meanwhile. Nothing is brought up while the thread holds a lock. So a signal handler that
 * interrupted a holder gets false, and the next caller tries.
 *
 * Failure is not final, for the system may grant later what it refuses now: the next call tries
 * again. So a bring_up that fails either undoes what it did, or must cope with it at the next try.
 * Steps that may be taken only once (lock_init()) come after every step that may fail, or have a
 * once of their own. If a thread waits for another thread's try and that fails, both have failed;
 * otherwise many threads would try one after the other.
 */
#ifndef OS_ONCE_H
#define OS_ONCE_H

#include "base/atomic.h"
#include "base/compiler.h"

/*
 * Declare every struct once __read_mostly. It is read before it is written; in another section that
 * would cost two page faults.
 */
struct once {
	uint32_t done;		/* Sync: atomic acquire/release */
	uint32_t failures;	/* Sync: atomic relaxed; written by the owner of the lock */
};

bool once_run_slow(struct once *once, int (*bring_up)(void));

/*
 * Runs bring_up unless it has succeeded before; waits while another thread runs it. True if it
 * succeeded (returned 0), now or earlier.
 */
static inline bool once_run(struct once *once, int (*bring_up)(void))
{
	/* pairs with try_locked(): all that bring_up wrote */
	if (likely(atomic_load_acquire(&once->done)))
		return true;
	return once_run_slow(once, bring_up);
}

/* Has bring_up succeeded? */
static inline bool once_done(struct once *once)
{
	/* pairs with try_locked(): all that bring_up wrote */
	return atomic_load_acquire(&once->done);
}

/* Around fork(): nobody brings a layer up meanwhile. */
void once_fork_prepare(void);
void once_fork_parent(void);
void once_fork_child(void);

#endif
