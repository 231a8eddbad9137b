/* SPDX-License-Identifier: MIT */
/*
 * Arrays in two halves, for items that should stay for a while (quarantine). Once such an array has
 * been full, the items of one half are older than all others. percpu_take_older() takes this half
 * whole when the other half has filled too, and pushes go on in its place. So no item moves, and
 * each item stays for as many pushes as a half has places. The limit tells the state:
 *
 *	limit == 2 * half	an ordinary array; when it is full the lower half is the older one
 *	limit == half		items[half .. 2 * half - 1] hold items too: the older half
 *
 * Push is that of any array. Taking a half is a sequence whose commit changes count and limit by
 * one store of both.
 *
 * While another thread stops such an array (remote.c) the limit is 0. A push that was under way may
 * commit its count over the stopped head. Then the limit stays 0, so the array is full and no half
 * can be taken, until that thread stops the array again or gives up; both put back the last limit.
 *
 * So the limit may be 0 while the upper half holds items. percpu_generations_prepare() must not
 * give such an array its first limit again. It gives a limit only if the whole head is 0. In the
 * case above the head is not 0, because the push has left a count. A pop could make the count 0
 * again, so nobody may pop from an array in two halves. The exception is the thread that stops such
 * arrays: it may use percpu_pop_n(), because it does so only while no array lacks its limit. It
 * gets the items below the count.
 */
#ifndef PERCPU_GENERATIONS_H
#define PERCPU_GENERATIONS_H

#include "percpu/percpu.h"

/* An order in which a half is taken: the i-th item is the one at index place[i] ^ turned. */
struct percpu_order {
	const uint8_t *place;
	uint32_t turned;
};

/* Count and limit as one word; the count is the low half. */
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
 * Says which half can be taken from an array with this head. *first is the index of the half's
 * first item, *left the head after taking it. False if no half can be taken: neither is full, or
 * the upper one is the older but the lower one holds fewer than `least` items. The sequences do the
 * same in assembly.
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

/* The loads are atomic, because percpu_generations_prepare() of another thread may touch items. */
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
 * Takes the older half into out[], in the given order, whose places are below `half`. The caller
 * has written to out before: see percpu_pop_n(). Returns how many items were taken: half, or 0.
 * There is no older half before the array has been full. Once it has been, its older half is taken
 * only after at least `least` newer items: with least == half, as many as the half itself has. May
 * be called in signal handlers and in children.
 */
unsigned int percpu_take_older(struct percpu_array *array, void **out, unsigned int half,
			      unsigned int least, const struct percpu_order *order);

/*
 * Gives the array of the calling thread's slot its first limit, if it has none yet, and touches its
 * memory. It replaces percpu_array_prepare(), which is not for these arrays.
 */
void percpu_generations_prepare(struct percpu_array *array, unsigned int half);

/* How many items the array of some slot holds, or held a moment ago. */
static inline unsigned int percpu_generations_nr(const struct percpu_array *array,
						 unsigned int half)
{
	unsigned long head = atomic_load_relaxed(percpu_head(array));

	return (unsigned int)max((int32_t)head, 0) + (head >> 32 == half ? half : 0);
}

#endif
