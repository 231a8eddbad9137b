/* SPDX-License-Identifier: MIT */
/*
 * Decay: memory that is kept for its next owner goes back when nobody has used it for a while.
 *
 *	what is kept		unused for	who looks		what goes back
 *	free dirty pages	250 ms		who frees, thread	a quarter: release.c
 *	a CPU's pages		1 s		thread			all: page/pcp/pcp_drain.c
 *	a CPU's objects		1 s		thread			all: slab/shrink.c
 *	batches in a barn	1 s		who visits it, thread	half: slab/sheaf/
 *	room of an idle barn	0.5 to 1 s	who needs room, thread	all: barn_budget.h
 *	freed mappings		1 s		decay_tick(), thread	all: malloc/mapped/
 *
 * The thread is the background thread (os/background.h). It is woken
 *
 *	background=auto	from release_much_pages on, of dirty blocks or of slabs
 *	background=on	at once
 *	background=off	never
 *
 * For DECAY_ROUNDS seconds after it was last woken, it also looks at all that is not dirty pages:
 * blocks must be whole before they can go to the system. So the thread is gone soon after the
 * program is at rest. A small program never has it; there the others in the table look.
 *
 * Barns have clocks of their own: whoever visits a barn looks at the time once in many visits, and
 * idleness is counted in such looks.
 */
#ifndef PAGE_RECLAIM_DECAY_H
#define PAGE_RECLAIM_DECAY_H

#include "base/atomic.h"
#include "base/compiler.h"

/*
 * Is the period since *last_ms over? Then *last_ms is now_ms, and true is for one thread alone.
 * Another thread's time may be later than ours: then it is not over. Sync: *last_ms atomic relaxed
 */
static inline bool decay_turn(uint64_t *last_ms, uint64_t now_ms, unsigned int period_ms)
{
	uint64_t last = atomic_load_relaxed(last_ms);

	return (int64_t)(now_ms - last) >= period_ms && atomic_cas_relaxed(last_ms, &last, now_ms);
}

/*
 * Asks the background thread to look for memory to give back, of which there may be this many
 * pages. False if it will not: there are too few, or no thread can be created now.
 */
bool decay_in_background(unsigned long pages);
/* The background thread's work. Returns the milliseconds until it wants to run again; 0: never. */
unsigned int decay_background_work(void);
/* In a fork child: the thread that was woken is the parent's. */
void decay_forget(void);

/*
 * A fork child inherits memory that its parent's background thread would have given back, and may
 * never free enough to wake a thread of its own. So this long after the fork, the next refill of a
 * CPU's sheaf wakes one. A child that calls exec() sooner never makes a thread. Sync: atomic
 * relaxed; when the child was made, or last failed to get a thread; 0: nothing was left to give
 * back
 */
#define DECAY_INHERITED_MS 1000
extern uint64_t decay_inherited_ms;
void decay_inherited(void) slow_path;

/*
 * A layer above keeps free mappings of its own (release_set_mappings()). decay_mappings() unmaps
 * them if nobody has used them for a second. Sync: atomic relaxed; when one was last kept or taken;
 * 0: all are gone
 */
extern uint64_t decay_mappings_ms;
void decay_mappings(void) slow_path;

/* Called when a CPU's sheaf is refilled, since small processes have no background thread. */
static inline void decay_tick(void)
{
	if (unlikely(atomic_load_relaxed(&decay_inherited_ms)))
		decay_inherited();
	if (unlikely(atomic_load_relaxed(&decay_mappings_ms)))
		decay_mappings();
}

#endif
