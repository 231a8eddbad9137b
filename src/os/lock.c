/* SPDX-License-Identifier: MIT */
#include "os/lock.h"

#include <linux/futex.h>

#include "base/check.h"
#include "base/system_call.h"

/* How often to look before sleeping. Holders keep locks for about a microsecond. */
#define LOCK_SPINS 100

/* Only the thread between the fork handlers has all these bits. */
#define ALL_RANKS_BY_FORK ((1u << NR_LOCK_RANKS) | ((1u << NR_LOCK_RANKS) - 1))

__thread uint32_t lock_held_ranks __attribute__((__tls_model__("initial-exec")));

/* Sync: changed by the callers of lock_init(); read by the fork handlers */
static struct lock *locks[NR_LOCK_RANKS];

static void futex(uint32_t *word, int operation, uint32_t value)
{
	system_call(SYS_futex, word, operation | FUTEX_PRIVATE_FLAG, value);
}

void lock_init(struct lock *lock, enum lock_rank rank)
{
	lock->state = 0;
	lock->rank = rank;
	lock->next = locks[rank];
	lock->link = &locks[rank];
	if (lock->next)
		lock->next->link = &lock->next;
	locks[rank] = lock;
}

void lock_destroy(struct lock *lock)
{
	*lock->link = lock->next;
	if (lock->next)
		lock->next->link = lock->link;
}

void lock_acquire_slow(struct lock *lock)
{
	/* Both kinds of swaps pair with lock_release(): what the last holder wrote. */
	for (int i = 0; i < LOCK_SPINS; i++) {
		uint32_t free_state = 0;

		if (!atomic_load_relaxed(&lock->state) &&
		    atomic_cas_acquire(&lock->state, &free_state, 1))
			return;
		cpu_relax();
	}
	/*
	 * 2 makes the holder wake a sleeper; after this exchange it may wake nobody, which is
	 * harmless
	 */
	while (atomic_exchange_acquire(&lock->state, 2))
		futex(&lock->state, FUTEX_WAIT, 2);
}

void lock_wake(struct lock *lock)
{
	futex(&lock->state, FUTEX_WAKE, 1);
}

void lock_report_order(const struct lock *lock)
{
	report_fatal("lock order: rank %u taken while ranks %#x are held", lock->rank,
		     lock_held_ranks);
}

/*
 * The fork handlers take several locks of one rank (all caches), in list order, so they go around
 * the rank check. The lists do not change meanwhile: a thread that changes one holds a lock of a
 * lower rank, which is taken first.
 */
void lock_fork_prepare(void)
{
	lock_held_ranks = ALL_RANKS_BY_FORK;
	atomic_signal_barrier();
	for (int rank = 0; rank < NR_LOCK_RANKS; rank++)
		for (struct lock *lock = locks[rank]; lock; lock = lock->next) {
			uint32_t free_state = 0;

			/* pairs with lock_release(): what the last holder wrote */
			if (!atomic_cas_acquire(&lock->state, &free_state, 1))
				lock_acquire_slow(lock);
		}
}

void lock_fork_parent(void)
{
	for (int rank = NR_LOCK_RANKS - 1; rank >= 0; rank--)
		for (struct lock *lock = locks[rank]; lock; lock = lock->next)
			/* pairs with lock_acquire(): what this thread wrote */
			if (atomic_exchange_release(&lock->state, 0) == 2)
				lock_wake(lock);
	atomic_signal_barrier();
	lock_held_ranks = 0;
}

void lock_fork_child(void)
{
	for (int rank = 0; rank < NR_LOCK_RANKS; rank++)
		for (struct lock *lock = locks[rank]; lock; lock = lock->next)
			/* pairs with lock_acquire(): what this thread wrote */
			atomic_store_release(&lock->state, 0);
	atomic_signal_barrier();
	lock_held_ranks = 0;
}

FOR_KERNEL(lock_acquire_slow);
FOR_KERNEL_AS(extern __thread, lock_held_ranks);
FOR_KERNEL(lock_report_order);
FOR_KERNEL(lock_wake);
