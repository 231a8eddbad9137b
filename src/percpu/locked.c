/* SPDX-License-Identifier: MIT */
#include "percpu/locked.h"

#include <string.h>

#include "base/atomic.h"
#include "base/options.h"
#include "os/lock.h"
#include "os/os.h"
#include "percpu/slots.h"

__thread uint32_t locked_bound_slot __attribute__((__tls_model__("initial-exec")));
static uint32_t next_simulated;	/* Sync: atomic */

unsigned int locked_slot_bound(void)
{
	if (!locked_bound_slot)
		locked_bound_slot = 1 + atomic_add_relaxed(&next_simulated, 1) %
						(uint32_t)options.simulated_cpus;
	return locked_bound_slot - 1;
}

bool percpu_bind_slot(unsigned int slot)
{
	if (percpu_init() || percpu_mode() != PERCPU_LOCKED || !locked_slot_exists(slot))
		return false;
	locked_bound_slot = 1 + slot;
	return true;
}

void percpu_unbind_slot(void)
{
	locked_bound_slot = 0;
}

bool locked_slot_try(unsigned int slot)
{
	if (!lock_may_wait(RANK_SLOT))
		return false;
	lock_rank_enter(RANK_SLOT);
	if (locked_slot_take(slot))
		return true;
	lock_rank_leave(RANK_SLOT);
	return false;
}

bool locked_slot_acquire(unsigned int slot)
{
	if (!lock_may_wait(RANK_SLOT))
		return false;
	lock_rank_enter(RANK_SLOT);
	while (!locked_slot_take(slot))
		os_sleep_us(1);
	return true;
}

void locked_slot_release(unsigned int slot)
{
	locked_slot_give(slot);
	lock_rank_leave(RANK_SLOT);
}

unsigned int locked_pop_n(struct percpu_array *array, void **out, unsigned int n)
{
	struct locked_visit visit;

	if (!locked_enter(&visit, array))
		return 0;
	array = visit.array;
	n = min(n, array->count);
	memcpy(out, &array->items[array->count - n], n * sizeof(void *));
	atomic_store_relaxed(&array->count, array->count - n);
	locked_leave(&visit);
	return n;
}

unsigned int locked_push_n(struct percpu_array *array, void *const *in, unsigned int n)
{
	struct locked_visit visit;

	if (!locked_enter(&visit, array))
		return 0;
	array = visit.array;
	n = array->count < array->limit ? min(n, array->limit - array->count) : 0;
	memcpy(&array->items[array->count], in, n * sizeof(void *));
	atomic_store_relaxed(&array->count, array->count + n);
	locked_leave(&visit);
	return n;
}

unsigned int locked_take_older(struct percpu_array *array, void **out, unsigned int half,
			      unsigned int least, const struct percpu_order *order)
{
	struct locked_visit visit;
	unsigned int first, taken = 0;
	unsigned long left;

	if (!locked_enter(&visit, array))
		return 0;
	array = visit.array;
	if (percpu_older_half(percpu_make_head(array->count, array->limit), half, least, &first,
			      &left)) {
		percpu_copy_in_order(out, array->items + first, half, order);
		atomic_store_relaxed(percpu_head(array), left);
		taken = half;
	}
	locked_leave(&visit);
	return taken;
}

bool locked_prepare(struct percpu_array *array, uint32_t limit)
{
	struct locked_visit visit;

	if (!locked_enter(&visit, array))
		return false;
	atomic_store_relaxed(&visit.array->limit, limit);
	locked_leave(&visit);
	return true;
}

void locked_prepare_first(struct percpu_array *array, uint32_t limit)
{
	struct locked_visit visit;

	if (!locked_enter(&visit, array))
		return;
	if (!visit.array->limit)
		atomic_store_relaxed(&visit.array->limit, limit);
	locked_leave(&visit);
}

unsigned int locked_all_acquire(void)
{
	unsigned int nr = percpu_nr_slots();

	for (unsigned int slot = 0; slot < nr; slot++)
		while (!locked_slot_take(slot))
			os_sleep_us(1);
	return nr;
}

void locked_all_release(unsigned int nr)
{
	for (unsigned int slot = 0; slot < nr; slot++)
		locked_slot_give(slot);
}
