/* SPDX-License-Identifier: MIT */
/*
 * Decay: memory that is kept for its next owner goes back when nobody has used it for a while.
 *
 *	what is kept		unused for	who looks		what goes back
 *	dirty pages > 64 MiB	250 ms (*)	who frees, thread	a quarter: release.c
 *	all dirty pages		3 s		thread			all but 1 MiB: release.c
 *	a CPU's pages		1 s		thread			all: page/pcp/pcp_drain.c
 *	a CPU's objects		1 s		thread			all: slab/shrink.c
 *	a cache's empty slabs	1 s		thread			all: slab/shrink.c
 *	batches in a barn	1 s		who visits it, thread	half: slab/sheaf/
 *	room of an idle barn	0.5 to 1 s	who needs room, thread	all: barn_budget.h
 *	freed mappings		1 to 2 s	decay_tick(), thread	all: malloc/mapped/
 *
 * (*) release_interval_ms, which usermm_control() and mallopt(M_TRIM_THRESHOLD) change. Dirty pages
 * and freed mappings never go sooner than that.
 *
 * The thread is the background thread (os/background.h). It is woken
 *
 *	background=auto	when more than release_wake_pages are kept free
 *	background=on	at once
 *	background=off	never
 *
 * It comes at once, because the call that frees may be the program's last one for a long time. It
 * looks once a second and ends when no more than that is kept: some seconds after the program has
 * come to rest. In a program that frees and allocates in turns it stays and only looks.
 *
 * A process in its first second may be about to end, so it gets the thread only for twice as much.
 *
 * Programs can notice a thread, and one for every few megabytes that are freed would be too many.
 * So the thread that frees gives memory back itself, at once: decay_gives_now(). If the program
 * rests then, or ends, this costs nothing more. If it needs the memory again, it pays page faults,
 * so the sum is limited: 32 MiB, and from then on 8 MiB a second. Memory that was given back and is
 * wanted again counts eight times. Programs that free more get the thread.
 *
 * Barns share a clock of their own, which counts epochs (slab/sheaf/barn_budget.h). One visit of a
 * barn in many looks at the time, and begins at most one epoch.
 */
#ifndef PAGE_RECLAIM_DECAY_H
#define PAGE_RECLAIM_DECAY_H

#include "base/atomic.h"
#include "base/compiler.h"

/*
 * Is the period since *last_ms over? If so, sets *last_ms to now_ms; only one thread gets true. If
 * another thread's time is later than ours, it is not over. Sync: *last_ms atomic relaxed
 */
static inline bool decay_turn(uint64_t *last_ms, uint64_t now_ms, unsigned int period_ms)
{
	uint64_t last = atomic_load_relaxed(last_ms);

	return (int64_t)(now_ms - last) >= period_ms && atomic_cas_relaxed(last_ms, &last, now_ms);
}

/* Notes when the process began. Called once the zones are up. */
void decay_begin(void);
/*
 * Would decay_in_background() do something now, however many pages there are? False if the thread
 * was called lately. For callers that would have to count the pages first. `now_ms` comes from
 * os_time_ms().
 */
bool decay_may_call(uint64_t now_ms);
/*
 * Asks the background thread to give memory back; there may be this many pages of it. False if the
 * thread will not, because that is too few, or no thread can be created now.
 */
bool decay_in_background(unsigned long pages);
/*
 * Should the caller give this many pages back to the system at once? False if that exceeds the
 * allowance, which grows with time, or if the thread is called already.
 */
bool decay_gives_now(unsigned long pages);
/*
 * Memory that was given back at once is wanted again. Sets the allowance of decay_gives_now() to 0,
 * so callers keep freed memory and call the thread until the allowance has grown again.
 */
void decay_gives_no_more(void);
/* The background thread's work. Returns the milliseconds until it wants to run again; 0: never. */
unsigned int decay_background_work(void);
/*
 * For a fork child, and for a thread that has to end: forgets that the thread was woken. Notes
 * whether memory was left to give back.
 */
void decay_forget(void);

/*
 * A fork child inherits memory that its parent's background thread would have given back. It may
 * never free enough to wake a thread of its own. So when this time has passed since the fork, the
 * next refill of a CPU's sheaf wakes one. A child that calls exec() sooner never makes a thread.
 * A process whose thread had to end, as for fork(), is treated alike.
 *
 * decay_inherited_ms: when the child was made, the thread had to end, or the process last failed to
 * get a thread; 0: nothing was left to give back. Sync: atomic relaxed
 */
#define DECAY_INHERITED_MS 1000
extern uint64_t decay_inherited_ms;
void decay_inherited(void) slow_path;

/*
 * A layer above keeps free mappings of its own (release_set_mappings()). decay_mappings() unmaps
 * those that nobody has needed since the last look, if that was a second ago, or leaves this to the
 * thread. decay_begin_mappings() is called after a mapping was kept; true if it is the first one.
 *
 * decay_mappings_ms: when they were last looked at, or the first one was kept; 0: nobody has to
 * look. Sync: atomic
 */
extern uint64_t decay_mappings_ms;
void decay_mappings(void) slow_path;
bool decay_begin_mappings(void);

/* Called when a CPU's sheaf is refilled, since small processes have no background thread. */
static inline void decay_tick(void)
{
	if (unlikely(atomic_load_relaxed(&decay_inherited_ms)))
		decay_inherited();
	if (unlikely(atomic_load_relaxed(&decay_mappings_ms)))
		decay_mappings();
}

#endif
