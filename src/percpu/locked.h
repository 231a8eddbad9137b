/* SPDX-License-Identifier: MIT */
/*
 * The operations on arrays without restartable sequences: the slot of the CPU that
 * the thread is on when it looks, under that slot's lock. (Lists: cas_list.h.)
 *
 * The lock is only tried. A failure (another thread was preempted inside, or
 * this is a signal handler above the holder) counts as empty or full, and the
 * owner of the array goes its slow way. It does not matter that the thread may
 * move on to another CPU meanwhile: the lock, not the CPU, protects the slot.
 */
#ifndef PERCPU_LOCKED_H
#define PERCPU_LOCKED_H

#include "base/options.h"
#include "os/machine/cpu.h"
#include "os/lock.h"
#include "percpu/generations.h"
#include "percpu/slots.h"

unsigned int locked_pop_n(struct percpu_array *array, void **out, unsigned int n);
unsigned int locked_push_n(struct percpu_array *array, void *const *in, unsigned int n);
unsigned int locked_take_older(struct percpu_array *array, void **out, unsigned int half,
			      unsigned int least, const struct percpu_order *order);
bool locked_prepare(struct percpu_array *array, uint32_t limit);
/* Only if it has no limit yet. */
void locked_prepare_first(struct percpu_array *array, uint32_t limit);

/*
 * One slot's lock, if it is free at once; waiting; its release. It has the highest
 * rank (os/lock.h): false for a signal handler above any slot's holder.
 */
bool locked_slot_try(unsigned int slot);
bool locked_slot_acquire(unsigned int slot);
void locked_slot_release(unsigned int slot);
/* Takes every slot's lock, waiting, and gives them back: around fork(). How many they are. */
unsigned int locked_all_acquire(void);
void locked_all_release(unsigned int nr);

/* --- Pop and push, in line: where there are no sequences each malloc() is one ----------------- */

/* 1 + the slot that this thread is bound to; 0: none. Sync: the thread's own */
extern __thread uint32_t locked_bound_slot __hidden
	__attribute__((__tls_model__("initial-exec")));
/* The slot of a thread that is bound, or, with simulated_cpus, is so from now on. */
unsigned int locked_slot_bound(void);

/* The slot of the calling thread; perhaps there is none of that number. */
static __always_inline unsigned int locked_current_slot(void)
{
	if (unlikely(locked_bound_slot) || unlikely(options.simulated_cpus))
		return locked_slot_bound();
	return os_current_cpu();
}

/*
 * Is there one? If there may be, it is made. Told the other way round, what a caller does then
 * would lie behind percpu_slot_make() for gcc 12, and be as cold as that.
 */
static __always_inline bool locked_slot_exists(unsigned int slot)
{
	if (unlikely(slot >= percpu_nr_slots()) && !percpu_slot_make(slot))
		return false;
	return true;
}

/* The slot's lock: a per-CPU pointer that percpu.c keeps free. */
#define SLOT_LOCK ((void *)CACHE_LINE_BYTES)

static __always_inline bool locked_slot_take(unsigned int slot)
{
	uint32_t *lock = percpu_ptr(SLOT_LOCK, slot);

	/* pairs with locked_slot_give(): what the last holder did to the slot */
	return likely(!atomic_load_relaxed(lock)) && likely(!atomic_exchange_acquire(lock, 1));
}

static __always_inline void locked_slot_give(unsigned int slot)
{
	uint32_t *lock = percpu_ptr(SLOT_LOCK, slot);

	/* pairs with locked_slot_take() */
	atomic_store_release(lock, 0);
}

/* What an operation has locked, and this slot's array of those that it was called for. */
struct locked_visit {
	struct percpu_array *array;
	unsigned int slot;
	uint32_t former_ranks;
};

/* False if the lock is not to be had: then it was no visit. */
static __always_inline bool locked_enter(struct locked_visit *visit, struct percpu_array *array)
{
	visit->slot = locked_current_slot();
	if (!locked_slot_exists(visit->slot))
		return false;
	if (unlikely(!lock_may_wait(RANK_SLOT)))
		return false;
	visit->former_ranks = lock_ranks_enter(RANK_SLOT);
	if (unlikely(!locked_slot_take(visit->slot))) {
		lock_ranks_leave(visit->former_ranks);
		return false;
	}
	visit->array = percpu_ptr(array, visit->slot);
	return true;
}

static __always_inline void locked_leave(const struct locked_visit *visit)
{
	locked_slot_give(visit->slot);
	lock_ranks_leave(visit->former_ranks);
}

static __always_inline void *locked_pop(struct percpu_array *array)
{
	struct locked_visit visit;
	void *item = NULL;
	uint32_t n;

	if (!locked_enter(&visit, array))
		return NULL;
	n = visit.array->count;
	if (likely(n)) {
		item = visit.array->items[n - 1];
		atomic_store_relaxed(&visit.array->count, n - 1);
	}
	locked_leave(&visit);
	return item;
}

static __always_inline bool locked_push(struct percpu_array *array, void *item)
{
	struct locked_visit visit;
	bool pushed;
	uint32_t n;

	if (!locked_enter(&visit, array))
		return false;
	n = visit.array->count;
	pushed = n < visit.array->limit;
	if (likely(pushed)) {
		visit.array->items[n] = item;
		atomic_store_relaxed(&visit.array->count, n + 1);
	}
	locked_leave(&visit);
	return pushed;
}

#endif
