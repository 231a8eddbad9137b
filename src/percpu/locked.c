/* SPDX-License-Identifier: MIT */
#include "percpu/locked.h"

#include <string.h>

#include "base/atomic.h"
#include "base/options.h"
#include "os/lock.h"
#include "os/os.h"
#include "percpu/slots.h"

/* The slot's lock: a per-CPU pointer that percpu.c keeps free. */
#define SLOT_LOCK ((void *)CACHE_LINE_BYTES)

static uint32_t *slot_lock(unsigned int slot)
{
	return percpu_ptr(SLOT_LOCK, slot);
}

/* 1 + the slot that this thread is bound to; 0: none. */
static __thread uint32_t bound __attribute__((__tls_model__("initial-exec")));
static uint32_t next_simulated;	/* Sync: atomic */

unsigned int locked_current_slot(void)
{
	if (unlikely(!bound && options.simulated_cpus))
		bound = 1 + atomic_add_relaxed(&next_simulated, 1) %
				    (uint32_t)options.simulated_cpus;
	return unlikely(bound) ? bound - 1 : os_current_cpu();
}

bool locked_slot_exists(unsigned int slot)
{
	return likely(slot < percpu_nr_slots()) || percpu_slot_make(slot);
}

bool percpu_bind_slot(unsigned int slot)
{
	if (percpu_init() || percpu_mode() != PERCPU_LOCKED || !locked_slot_exists(slot))
		return false;
	bound = 1 + slot;
	return true;
}

void percpu_unbind_slot(void)
{
	bound = 0;
}

static bool take(unsigned int slot)
{
	uint32_t *lock = slot_lock(slot);

	/* pairs with give(): what the last holder did to the slot */
	return !atomic_load_relaxed(lock) && !atomic_exchange_acquire(lock, 1);
}

static void give(unsigned int slot)
{
	/* pairs with take() */
	atomic_store_release(slot_lock(slot), 0);
}

bool locked_slot_try(unsigned int slot)
{
	if (!lock_may_wait(RANK_SLOT))
		return false;
	lock_rank_enter(RANK_SLOT);
	if (take(slot))
		return true;
	lock_rank_leave(RANK_SLOT);
	return false;
}

bool locked_slot_acquire(unsigned int slot)
{
	if (!lock_may_wait(RANK_SLOT))
		return false;
	lock_rank_enter(RANK_SLOT);
	while (!take(slot))
		os_sleep_us(1);
	return true;
}

void locked_slot_release(unsigned int slot)
{
	give(slot);
	lock_rank_leave(RANK_SLOT);
}

/* The locked slot's number, or -1. */
static int slot_try(void)
{
	unsigned int slot = locked_current_slot();

	if (!locked_slot_exists(slot) || !locked_slot_try(slot))
		return -1;
	return (int)slot;
}

void *locked_pop(struct percpu_array *array)
{
	int slot = slot_try();
	void *item = NULL;
	uint32_t n;

	if (slot < 0)
		return NULL;
	array = percpu_ptr(array, (unsigned int)slot);
	n = array->count;
	if (n) {
		item = array->items[n - 1];
		atomic_store_relaxed(&array->count, n - 1);
	}
	locked_slot_release((unsigned int)slot);
	return item;
}

bool locked_push(struct percpu_array *array, void *item)
{
	int slot = slot_try();
	bool pushed;
	uint32_t n;

	if (slot < 0)
		return false;
	array = percpu_ptr(array, (unsigned int)slot);
	n = array->count;
	pushed = n < array->limit;
	if (pushed) {
		array->items[n] = item;
		atomic_store_relaxed(&array->count, n + 1);
	}
	locked_slot_release((unsigned int)slot);
	return pushed;
}

unsigned int locked_pop_n(struct percpu_array *array, void **out, unsigned int n)
{
	int slot = slot_try();

	if (slot < 0)
		return 0;
	array = percpu_ptr(array, (unsigned int)slot);
	n = min(n, array->count);
	memcpy(out, &array->items[array->count - n], n * sizeof(void *));
	atomic_store_relaxed(&array->count, array->count - n);
	locked_slot_release((unsigned int)slot);
	return n;
}

unsigned int locked_push_n(struct percpu_array *array, void *const *in, unsigned int n)
{
	int slot = slot_try();

	if (slot < 0)
		return 0;
	array = percpu_ptr(array, (unsigned int)slot);
	n = array->count < array->limit ? min(n, array->limit - array->count) : 0;
	memcpy(&array->items[array->count], in, n * sizeof(void *));
	atomic_store_relaxed(&array->count, array->count + n);
	locked_slot_release((unsigned int)slot);
	return n;
}

bool locked_prepare(struct percpu_array *array, uint32_t limit)
{
	int slot = slot_try();

	if (slot < 0)
		return false;
	array = percpu_ptr(array, (unsigned int)slot);
	atomic_store_relaxed(&array->limit, limit);
	locked_slot_release((unsigned int)slot);
	return true;
}

unsigned int locked_all_acquire(void)
{
	unsigned int nr = percpu_nr_slots();

	for (unsigned int slot = 0; slot < nr; slot++)
		while (!take(slot))
			os_sleep_us(1);
	return nr;
}

void locked_all_release(unsigned int nr)
{
	for (unsigned int slot = 0; slot < nr; slot++)
		give(slot);
}
