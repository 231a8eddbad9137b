/* SPDX-License-Identifier: MIT */
/*
 * Bringing a layer up exactly once, by whichever thread needs it first.
 *
 * All layers share one lock, which its holder may take again: bringing up slab
 * brings up page. fork() waits for it, so a child never inherits half a layer.
 * Signals are blocked meanwhile. Nothing is brought up while a lock is held: a
 * signal handler above a holder that comes first gets false, and the next one tries.
 *
 * Failure is not final, for what the system refuses now it may grant later: the next call
 * tries again. So a bring_up either takes back what it has done before it fails, or finds
 * it done; what succeeds in it once, and may not be done twice (lock_init()), stands behind
 * all that may fail, or has a once of its own. A thread that waited for a try that failed
 * has failed with it: many would else try one after the other.
 */
#ifndef OS_ONCE_H
#define OS_ONCE_H

#include "base/atomic.h"
#include "base/compiler.h"

/* Looked at before it is written: __read_mostly, or its page is faulted in twice. */
struct once {
	uint32_t done;		/* Sync: atomic acquire/release */
	uint32_t failures;	/* Sync: atomic relaxed; written by the owner of the lock */
};

bool once_run_slow(struct once *once, int (*bring_up)(void));

/*
 * Runs bring_up if nobody has with success; waits while another thread does. True if it
 * succeeded (returned 0), now or earlier.
 */
static inline bool once_run(struct once *once, int (*bring_up)(void))
{
	/* pairs with the store in once_run_slow(): all that bring_up wrote */
	if (likely(atomic_load_acquire(&once->done)))
		return true;
	return once_run_slow(once, bring_up);
}

/* Has bring_up succeeded? */
static inline bool once_done(struct once *once)
{
	return atomic_load_acquire(&once->done);
}

/* Around fork(): nobody brings a layer up meanwhile. */
void once_fork_prepare(void);
void once_fork_parent(void);
void once_fork_child(void);

#endif
