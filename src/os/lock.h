/* SPDX-License-Identifier: MIT */
/*
 * Mutexes on futexes, with a rank (base/lockrank.h).
 *
 * A lock is one word: 0 free, 1 held, 2 held and somebody may sleep on it. Without contention,
 * acquire and release are one exchange each. Locks are on one list for each rank, which the fork
 * handlers walk.
 *
 * Signal handlers. Every thread knows the ranks that it holds or is about to take. Code that keeps
 * the order asks only for locks of higher ranks than all of these. So a request out of order comes
 * from a signal handler, and the interrupted thread holds this lock or one of a higher rank.
 * lock_acquire_unless_handler() refuses then, and its caller goes on without the lock. A request in
 * order may wait, in a handler as well: whatever a thread waits for has a higher rank than all that
 * it holds, its interrupted frames included, so waiting threads cannot form a cycle.
 *
 * A handler leaves the ranks as it found them, so plain loads and stores are enough. They enclose
 * the time for which the lock is really held.
 */
#ifndef OS_LOCK_H
#define OS_LOCK_H

#include "base/lockrank.h"
#include "base/atomic.h"
#include "base/compiler.h"

struct lock {
	uint32_t state;			/* Sync: atomic acquire/release */
	uint32_t rank;			/* Sync: constant after lock_init() */
	struct lock *next, **link;	/* Sync: see lock_init() */
};

/*
 * The list of locks has no lock of its own, so the caller must be alone: it brings a layer up, or
 * holds the RANK_CACHES lock.
 */
void lock_init(struct lock *lock, enum lock_rank rank);
/* Nobody holds the lock, nor will. The caller must be alone, as for lock_init(). */
void lock_destroy(struct lock *lock);

void lock_acquire_slow(struct lock *lock);
void lock_wake(struct lock *lock);
void lock_report_order(const struct lock *lock) slow_path __attribute__((__noreturn__));

/* Sync: the thread's own, and its signal handlers'. One bit for each rank. */
extern __thread uint32_t lock_held_ranks __attribute__((__tls_model__("initial-exec")));

/*
 * Does the thread hold no lock, and is it not taking one? False also in a signal handler that
 * interrupted a holder.
 */
static inline bool lock_none_held(void)
{
	return likely(!lock_held_ranks);
}

/* For something in the lock order that is no struct lock: it is held between these two calls. */
static inline void lock_rank_enter(enum lock_rank rank)
{
	lock_held_ranks |= 1u << rank;
	atomic_signal_barrier();
}

static inline void lock_rank_leave(enum lock_rank rank)
{
	atomic_signal_barrier();
	lock_held_ranks &= ~(1u << rank);
}

/*
 * Like lock_rank_enter() and lock_rank_leave(), where time counts. lock_ranks_enter() returns the
 * former ranks, and lock_ranks_leave() takes them, so that the second call need not load what the
 * first has stored.
 */
static inline uint32_t lock_ranks_enter(enum lock_rank rank)
{
	uint32_t former = lock_held_ranks;

	lock_held_ranks = former | 1u << rank;
	atomic_signal_barrier();
	return former;
}

static inline void lock_ranks_leave(uint32_t former)
{
	atomic_signal_barrier();
	lock_held_ranks = former;
}

/* May this thread wait for a lock of that rank? */
static inline bool lock_may_wait(enum lock_rank rank)
{
	return likely(!(lock_held_ranks >> rank));
}

/* A request out of order might wait forever, so it is reported and the process ends. */
static inline void lock_acquire(struct lock *lock)
{
	uint32_t free_state = 0;

	if (unlikely(!lock_may_wait(lock->rank)))
		lock_report_order(lock);
	lock_rank_enter(lock->rank);
	/* pairs with lock_release(), lock_fork_parent() and _child(): what the last holder wrote */
	if (unlikely(!atomic_cas_acquire(&lock->state, &free_state, 1)))
		lock_acquire_slow(lock);
}

static inline void lock_release(struct lock *lock)
{
	uint32_t rank = lock->rank;	/* the next holder may destroy the lock */

	/* pairs with each function that takes the lock: what this holder wrote */
	if (unlikely(atomic_exchange_release(&lock->state, 0) == 2))
		lock_wake(lock);
	lock_rank_leave(rank);
}

/*
 * For everything that signal handlers may call. If the thread may not wait for this lock, does
 * nothing and returns false.
 */
static inline bool lock_acquire_unless_handler(struct lock *lock)
{
	if (!lock_may_wait(lock->rank))
		return false;
	lock_acquire(lock);
	return true;
}

/*
 * Like lock_acquire_unless_handler(), but also false if somebody else holds the lock: for work that
 * may be done later.
 */
static inline bool lock_try_in_order(struct lock *lock)
{
	uint32_t free_state = 0;

	if (!lock_may_wait(lock->rank))
		return false;
	lock_rank_enter(lock->rank);
	/* pairs with lock_release(): what the last holder wrote */
	if (atomic_cas_acquire(&lock->state, &free_state, 1))
		return true;
	lock_rank_leave(lock->rank);
	return false;
}

/* Does a thread hold the lock at this moment? */
static inline bool lock_is_held(const struct lock *lock)
{
	return atomic_load_relaxed(&lock->state);
}

/*
 * Around fork(): take every lock in rank order, then release them (parent), or set them free
 * (child, where no other thread is left to release one). Only if the thread holds none.
 */
void lock_fork_prepare(void);
void lock_fork_parent(void);
void lock_fork_child(void);

#endif
