/* SPDX-License-Identifier: MIT */
/*
 * Bringing a layer up exactly once, by whichever thread needs it first.
 *
 * All layers share one lock, which its holder may take again: bringing up slab
 * brings up page. fork() waits for it, so a child never inherits half a layer.
 * Signals are blocked meanwhile. Nothing is brought up while a lock is held: a
 * signal handler above a holder that comes first gets false, and the next one tries.
 */
#ifndef OS_ONCE_H
#define OS_ONCE_H

#include "base/atomic.h"
#include "base/compiler.h"

enum once_state { ONCE_NEW, ONCE_DONE, ONCE_FAILED };

struct once {
	uint32_t state;		/* Sync: atomic acquire/release */
};

bool once_run_slow(struct once *once, int (*bring_up)(void));

/*
 * Runs bring_up if nobody has; waits while another thread does. True if it
 * succeeded (returned 0), now or earlier.
 */
static inline bool once_run(struct once *once, int (*bring_up)(void))
{
	/* pairs with the store in once_run_slow(): all that bring_up wrote */
	if (likely(atomic_load_acquire(&once->state) == ONCE_DONE))
		return true;
	return once_run_slow(once, bring_up);
}

/* Has bring_up succeeded? */
static inline bool once_done(struct once *once)
{
	return atomic_load_acquire(&once->state) == ONCE_DONE;
}

/* Around fork(): nobody brings a layer up meanwhile. */
void once_fork_prepare(void);
void once_fork_parent(void);
void once_fork_child(void);

#endif
