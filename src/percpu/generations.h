/* SPDX-License-Identifier: MIT */
/*
 * Arrays that are used by halves: for items that shall stay for a while. Once such an array has
 * been full, one half of it holds what was pushed before all the rest. percpu_take_older() takes
 * that half, as soon as the other one is full too, and pushes go on in its place. So none of the
 * items that stay is moved, and each stays for as many pushes as a half has places.
 *
 *	limit == 2 * half	like any other array; when it is full the lower half is older
 *	limit == half		items[half .. 2 * half - 1] are there besides, and older
 *
 * A push is that of any array. Who takes a half changes count and limit by one store of both, in
 * a sequence like any other. When such an array is stopped (remote.c) its limit is 0 for a while,
 * and stays so when a push that was under way commits its count over the stopped head: until the
 * array is stopped again, or given up, which both put back the limit that was there last. Until
 * then it is full, and no half of it can be taken.
 *
 * So there may be a second half although the limit is 0, and percpu_generations_prepare() must not
 * give a limit to such an array. It does so where the whole head is 0; that is no such array, since
 * a push leaves a count. It follows that nobody may pop from an array by halves, which would leave
 * none, but the one who stops arrays: percpu_pop_n() then takes what lies below the count.
 */
#ifndef PERCPU_GENERATIONS_H
#define PERCPU_GENERATIONS_H

#include "percpu/percpu.h"

/* The i-th of them is the item at place[i] ^ turned. */
struct percpu_order {
	const uint8_t *place;
	uint32_t turned;
};

/* Count and limit, the count below. */
static inline unsigned long *percpu_head(const struct percpu_array *array)
{
	return (unsigned long *)array;
}

static inline unsigned long percpu_make_head(uint32_t count, uint32_t limit)
{
	return (unsigned long)limit << 32 | count;
}

_Static_assert(offsetof(struct percpu_array, count) ==
		       (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? 0 : 4) &&
	       offsetof(struct percpu_array, limit) + offsetof(struct percpu_array, count) == 4,
	       "count is the low half of the word");

/*
 * Which half a head says is to be taken: its first item's number, and the head behind that. False
 * if none, or the second one while there are fewer than `least` items in the first. All that have
 * no sequence of their own do so.
 */
static inline bool percpu_older_half(unsigned long head, unsigned int half, unsigned int least,
				     unsigned int *first, unsigned long *left)
{
	uint32_t count = (uint32_t)head, limit = (uint32_t)(head >> 32);

	if (limit == half) {
		*first = half;
		*left = percpu_make_head(count, 2 * half);
		return count >= least;
	}
	*first = 0;
	*left = percpu_make_head(0, half);
	return limit && count == limit;
}

/* Atomically, as percpu_generations_prepare() of another thread may touch them. */
static inline void percpu_copy_in_order(void **out, void *const *items, unsigned int n,
					const struct percpu_order *order)
{
	for (unsigned int i = 0; i < n; i++)
		out[i] = atomic_load_relaxed(&items[order->place[i] ^ order->turned]);
}

#ifdef USERMM_RSEQ_IN_C
#include "percpu/rseq/generations_in_c.h"
#elif defined(__x86_64__)
#include "percpu/rseq/generations_x86_64.h"
#elif defined(__aarch64__)
#include "percpu/rseq/generations_aarch64.h"
#elif defined(__riscv) && __riscv_xlen == 64
#include "percpu/rseq/generations_riscv64.h"
#else
RSEQ_ABSENT(rseq_take_older, struct percpu_array *, void **, unsigned int, unsigned int,
	    const struct percpu_order *, unsigned int *)
#endif

/*
 * Takes the older half in the given order, whose places are below `half`, into out[], which has
 * been written to before; how many items that are: half, or 0. There is none before the array has
 * been full. Nor is it taken before at least so many items have come behind it: with `half`,
 * before they are as many again. Signal handlers and children may do this.
 */
unsigned int percpu_take_older(struct percpu_array *array, void **out, unsigned int half,
			      unsigned int least, const struct percpu_order *order);

/*
 * Gives the array of the calling thread's slot its first limit, if it has none yet, and touches
 * its memory; as percpu_array_prepare(), which is not for these arrays.
 */
void percpu_generations_prepare(struct percpu_array *array, unsigned int half);

/* How many items an array of any slot holds, or held just now. */
static inline unsigned int percpu_generations_nr(const struct percpu_array *array,
						 unsigned int half)
{
	unsigned long head = atomic_load_relaxed(percpu_head(array));

	return (unsigned int)max((int32_t)head, 0) + (head >> 32 == half ? half : 0);
}

#endif
