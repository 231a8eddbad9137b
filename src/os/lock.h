/* SPDX-License-Identifier: MIT */
/*
 * Mutexes on futexes, with a rank (base/lockrank.h).
 *
 * A lock is one word: 0 free, 1 held, 2 held and somebody may sleep on it. The
 * path without contention is one exchange on each side. Locks are on a list per
 * rank, which is what the fork handlers walk.
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
 * The caller is alone: it brings a layer up, or holds the RANK_CACHES lock; the
 * list of locks has no lock of its own.
 */
void lock_init(struct lock *lock, enum lock_rank rank);
/* Nobody holds the lock or will; same condition as lock_init(). */
void lock_destroy(struct lock *lock);

void lock_acquire_slow(struct lock *lock);
void lock_wake(struct lock *lock);

#if USERMM_DEBUG
void lock_rank_enter(const struct lock *lock);
void lock_rank_leave(const struct lock *lock);
#else
static inline void lock_rank_enter(const struct lock *lock) { (void)lock; }
static inline void lock_rank_leave(const struct lock *lock) { (void)lock; }
#endif

static inline void lock_acquire(struct lock *lock)
{
	uint32_t free_state = 0;

	lock_rank_enter(lock);
	/* pairs with lock_release(): what the last holder wrote */
	if (unlikely(!atomic_cas_acquire(&lock->state, &free_state, 1)))
		lock_acquire_slow(lock);
}

static inline void lock_release(struct lock *lock)
{
	lock_rank_leave(lock);
	/* pairs with lock_acquire(): what this holder wrote */
	if (unlikely(atomic_exchange_release(&lock->state, 0) == 2))
		lock_wake(lock);
}

/*
 * Around fork(): take every lock in rank order, then give them back (parent), or
 * set them free (child, where no other thread is left to do it).
 */
void lock_fork_prepare(void);
void lock_fork_parent(void);
void lock_fork_child(void);

#endif
