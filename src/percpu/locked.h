/* SPDX-License-Identifier: MIT */
/*
 * The operations on arrays without restartable sequences. They work on the slot of the CPU that the
 * thread is on when it looks, under this slot's lock. (cas_list.h has the lists.)
 *
 * The lock is only tried. A try fails if the holder was preempted, or if this is a signal handler
 * that interrupted the holder. A failed try counts as empty or full, so the caller takes its slow
 * path. The thread may move to another CPU meanwhile: the lock protects the slot, not the CPU.
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
/* Sets the limit only if the array has none yet. */
void locked_prepare_first(struct percpu_array *array, uint32_t limit);

/*
 * The lock of one slot: try, wait, release. It has the highest rank (os/lock.h). Try and wait
 * return false in a signal handler that interrupted a holder of any slot's lock. Try also returns
 * false if the lock is not free.
 */
bool locked_slot_try(unsigned int slot);
bool locked_slot_acquire(unsigned int slot);
void locked_slot_release(unsigned int slot);
/* Takes every slot's lock, waiting, and returns their number; releases them. For fork(). */
unsigned int locked_all_acquire(void);
void locked_all_release(unsigned int nr);

/* --- Pop and push. Inline, because without sequences each malloc() and free() is one ---------- */

/* 1 + the slot that this thread is bound to; 0: not bound. Sync: the thread's own */
extern __thread uint32_t locked_bound_slot __hidden
	__attribute__((__tls_model__("initial-exec")));
/* The slot that this thread is bound to. With simulated_cpus an unbound thread is bound first. */
unsigned int locked_slot_bound(void);

/* The number of the calling thread's slot. The slot may not exist. */
static __always_inline unsigned int locked_current_slot(void)
{
	if (unlikely(locked_bound_slot) || unlikely(options.simulated_cpus))
		return locked_slot_bound();
	return os_current_cpu();
}

/*
 * Does the slot exist, or can it be made now? It is written so that gcc 12 does not place the rest
 * of the caller behind the call of the cold percpu_slot_make().
 */
static __always_inline bool locked_slot_exists(unsigned int slot)
{
	if (unlikely(slot >= percpu_nr_slots()) && !percpu_slot_make(slot))
		return false;
	return true;
}

/* The slot's lock, as a per-CPU pointer: unit 1, which percpu.c never hands out. */
#define SLOT_LOCK ((void *)CACHE_LINE_BYTES)

static __always_inline bool locked_slot_take(unsigned int slot)
{
	uint32_t *lock = percpu_ptr(SLOT_LOCK, slot);

	/* pairs with locked_slot_give(): what the last holder stored in the slot */
	return likely(!atomic_load_relaxed(lock)) && likely(!atomic_exchange_acquire(lock, 1));
}

/*
 * Makes the slot's first page present by a write that changes nothing. Without it a fresh page
 * faults twice: locked_slot_take() first reads the lock, and then writes to it.
 */
static inline void locked_slot_touch(unsigned int slot)
{
	uint32_t open = 0;

	/* Nothing is stored if the lock is held. */
	atomic_cas_relaxed((uint32_t *)percpu_ptr(SLOT_LOCK, slot), &open, 0);
}

static __always_inline void locked_slot_give(unsigned int slot)
{
	uint32_t *lock = percpu_ptr(SLOT_LOCK, slot);

	/* pairs with locked_slot_take() */
	atomic_store_release(lock, 0);
}

/* What one operation holds: the slot's lock, and the array's address in that slot. */
struct locked_visit {
	struct percpu_array *array;
	unsigned int slot;
	uint32_t former_ranks;
};

/* False if the lock cannot be taken now. Then there is nothing to leave. */
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
