/* SPDX-License-Identifier: MIT */
/* percpu_take_older()'s sequence in C: see in_c.h. */
#ifndef PERCPU_RSEQ_GENERATIONS_IN_C_H
#define PERCPU_RSEQ_GENERATIONS_IN_C_H

static inline bool rseq_take_older(struct percpu_array *array, void **out, unsigned int half,
				  unsigned int least, const struct percpu_order *order,
				  unsigned int *result)
{
	int index = rseq_c_begin();
	struct percpu_array *slot = rseq_c_slot(array, index);
	unsigned int first;
	unsigned long left;

	*result = 0;
	if (index < 0)
		return false;
	/* pairs with percpu_start_array(): whoever sees its head sees its items, too */
	if (slot && percpu_older_half(atomic_load_acquire(percpu_head(slot)), half, least,
				      &first, &left)) {
		percpu_copy_in_order(out, slot->items + first, half, order);
		atomic_store_release(percpu_head(slot), left);	/* commit */
		*result = half;
	}
	rseq_c_end(index);
	return true;
}

#endif
