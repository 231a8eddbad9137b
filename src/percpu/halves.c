/* SPDX-License-Identifier: MIT */
/* See halves.h. */
#include "percpu/halves.h"

#include "percpu/locked.h"

static void copy_in_order(void **out, void *const *items, unsigned int n,
			  const struct percpu_order *order)
{
	for (unsigned int i = 0; i < n; i++)
		out[i] = items[order->place[i] ^ order->turned];
}

static unsigned int locked_take_half(struct percpu_array *array, void **out, unsigned int half,
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
		copy_in_order(out, array->items + first, half, order);
		atomic_store_relaxed(percpu_head(array), left);
		taken = half;
	}
	locked_leave(&visit);
	return taken;
}

unsigned int percpu_take_half(struct percpu_array *array, void **out, unsigned int half,
			      unsigned int least, const struct percpu_order *order)
{
	unsigned int taken;

	if (!percpu_has_sequences())
		return locked_take_half(array, out, half, least, order);
	for (unsigned int tries = 0; tries < PERCPU_MAX_ABORTS; tries++)
		if (rseq_take_half(array, out, half, least, order, &taken))
			return taken;
	return 0;
}

static void locked_halves_prepare(struct percpu_array *array, unsigned int half)
{
	struct locked_visit visit;

	if (!locked_enter(&visit, array))
		return;
	if (!visit.array->limit)
		atomic_store_relaxed(&visit.array->limit, 2 * half);
	locked_leave(&visit);
}

void percpu_halves_prepare(struct percpu_array *array, unsigned int half)
{
	int slot = percpu_current_slot();
	unsigned long unprepared = 0;
	void *nothing = NULL;

	if (!array || slot < 0)
		return;
	if (!percpu_has_sequences()) {
		locked_halves_prepare(array, half);
		return;
	}
	array = percpu_ptr(array, (unsigned int)slot);
	/* Not of the whole head, which would wait for the last push's store to a half of it. */
	if (atomic_load_relaxed(&array->limit))
		return;
	/* Writes to the page, but changes nothing for a thread on that slot. */
	atomic_cas_relaxed(&array->items[2 * half - 1], &nothing, NULL);
	/* No sequence stores to such a head, and one that is stopped is not 0. */
	atomic_cas_relaxed(percpu_head(array), &unprepared, percpu_make_head(0, 2 * half));
}
