/* SPDX-License-Identifier: MIT */
/*
 * The sequences in C, for builds with ThreadSanitizer, which does not see into inline assembly. A
 * lock of the slot stands in for the kernel. A sequence only tries the lock; a failed try is an
 * abort. To restart all sequences is to wait until each that is under way has ended. So the steps,
 * the single commit and the protocol of remote.h are those of the assembly.
 *
 * Loads of a head acquire: they pair with percpu_start_array(), _list() and _tagged(). Commits
 * release: they pair with the exchange and the look of a thread that stops the slot (remote.c).
 */
#ifndef PERCPU_RSEQ_IN_C_H
#define PERCPU_RSEQ_IN_C_H

#include "base/atomic.h"

#define RSEQ_SUPPORTED 1
#define RSEQ_IN_C 1
#define RSEQ_BY_ADDRESS 0

/* pairs with start_sequences(): the other fields of percpu that a sequence reads */
static inline unsigned long rseq_index_field(void)
{
	return atomic_load_acquire(&percpu.index_field);
}

/* The calling thread's slot index. It may be out of date at once. */
uint32_t rseq_index(void);
/* The slot index, with its lock taken; -1 if the lock was not free. No slot: INT32_MAX, no lock. */
int rseq_c_begin(void);
void rseq_c_end(int index);
/*
 * On return every sequence that was under way at the call has ended. False if this signal handler
 * interrupted a sequence, which cannot end before the handler does.
 */
bool rseq_c_restart_all(void);

/* The piece's address in the slot; NULL if there is no such slot. */
static inline void *rseq_c_slot(const void *piece, int index)
{
	if ((uint32_t)index >= atomic_load_relaxed(&percpu.bound.limit))
		return NULL;
	return percpu_ptr(piece, (unsigned int)index);
}

/* pairs with percpu_start_array(): whoever sees the count that it stored sees the items, too */
static inline int32_t rseq_c_count(const struct percpu_array *slot)
{
	return (int32_t)atomic_load_acquire(&slot->count);
}

/* Atomic, item by item: percpu_array_prepare() of another thread touches items without the lock. */
static inline void rseq_c_copy(void **to, void *const *from, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		atomic_store_relaxed(&to[i], atomic_load_relaxed(&from[i]));
}

static inline bool rseq_pop_n(struct percpu_array *array, void **out, unsigned int n,
			      unsigned int *result)
{
	int index = rseq_c_begin();
	struct percpu_array *slot = rseq_c_slot(array, index);
	int32_t count;

	*result = 0;
	if (index < 0)
		return false;
	if (slot && (count = rseq_c_count(slot)) > 0) {
		n = min(n, (uint32_t)count);
		rseq_c_copy(out, &slot->items[(uint32_t)count - n], n);
		atomic_store_release(&slot->count, (uint32_t)count - n);	/* commit */
		*result = n;
	}
	rseq_c_end(index);
	return true;
}

static inline bool rseq_push_n(struct percpu_array *array, void *const *in, unsigned int n,
			       unsigned int *result)
{
	int index = rseq_c_begin();
	struct percpu_array *slot = rseq_c_slot(array, index);
	uint32_t count, limit;

	*result = 0;
	if (index < 0)
		return false;
	if (slot && (count = (uint32_t)rseq_c_count(slot)) <
		    (limit = atomic_load_relaxed(&slot->limit))) {
		n = min(n, limit - count);
		rseq_c_copy(&slot->items[count], in, n);		/* dead entries */
		atomic_store_release(&slot->count, count + n);		/* commit */
		*result = n;
	}
	rseq_c_end(index);
	return true;
}

static inline bool rseq_pop(struct percpu_array *array, void **result)
{
	unsigned int taken;

	*result = NULL;
	return rseq_pop_n(array, result, 1, &taken);
}

static inline bool rseq_push(struct percpu_array *array, void *item, bool *result)
{
	unsigned int taken = 0;
	bool done = rseq_push_n(array, &item, 1, &taken);

	*result = taken;
	return done;
}

static inline bool rseq_list_pop(struct percpu_list *list, void **result)
{
	int index = rseq_c_begin();
	struct percpu_list *slot = rseq_c_slot(list, index);

	*result = NULL;
	if (index < 0)
		return false;
	if (slot) {
		*result = percpu_list_top(atomic_load_acquire(&slot->head));
		if (*result)	/* commit */
			atomic_store_release(&slot->head, *(unsigned long *)*result);
	}
	rseq_c_end(index);
	return true;
}

static inline bool rseq_list_push(struct percpu_list *list, void *item, bool *result)
{
	int index = rseq_c_begin();
	struct percpu_list *slot = rseq_c_slot(list, index);
	unsigned long head;

	*result = false;
	if (index < 0)
		return false;
	if (slot && percpu_list_nr(head = atomic_load_acquire(&slot->head)) < PERCPU_LIST_MAX) {
		*(unsigned long *)item = head;
		atomic_store_release(&slot->head,	/* commit */
				     ((unsigned long)item << PERCPU_LIST_NR_BITS) +
				     percpu_list_nr(head) + 1);
		*result = true;
	}
	rseq_c_end(index);
	return true;
}

static inline bool rseq_tagged_pop(struct percpu_tagged_list *list, unsigned long link_offset,
				   void **result)
{
	int index = rseq_c_begin();
	struct percpu_tagged_list *slot = rseq_c_slot(list, index);
	unsigned long head;

	*result = NULL;
	if (index < 0)
		return false;
	if (slot && (head = atomic_load_acquire(&slot->head)) && !(head & 1)) {
		*result = (void *)head;
		atomic_store_release(&slot->head,	/* commit */
				     *(unsigned long *)(head + link_offset));
	}
	rseq_c_end(index);
	return true;
}

static inline bool rseq_tagged_push(struct percpu_tagged_list *list, void *item,
				    unsigned long link_offset, unsigned long mask, bool *result)
{
	int index = rseq_c_begin();
	struct percpu_tagged_list *slot = rseq_c_slot(list, index);
	unsigned long head;

	*result = false;
	if (index < 0)
		return false;
	if (slot && ((head = atomic_load_acquire(&slot->head)) ^ (unsigned long)item) <= mask) {
		*(unsigned long *)((char *)item + link_offset) = head;
		atomic_store_release(&slot->head, (unsigned long)item);	/* commit */
		*result = true;
	}
	rseq_c_end(index);
	return true;
}

static inline bool rseq_tagged_cas(struct percpu_tagged_list *list, unsigned long old,
				   unsigned long new, bool *result)
{
	int index = rseq_c_begin();
	struct percpu_tagged_list *slot = rseq_c_slot(list, index);

	*result = false;
	if (index < 0)
		return false;
	if (slot && atomic_load_acquire(&slot->head) == old) {
		atomic_store_release(&slot->head, new);			/* commit */
		*result = true;
	}
	rseq_c_end(index);
	return true;
}

static inline int32_t *rseq_c_item_count(char *item)
{
	return (int32_t *)(item + PERCPU_ITEM_COUNT);
}

static inline bool rseq_c_may_take(char *item)
{
	/* pairs with page_drop_slow() (page/refs.c): what earlier owners wrote to the item */
	return atomic_load_acquire(rseq_c_item_count(item)) ==
	       atomic_load_relaxed(&percpu.sole_count);
}

static inline void rseq_c_take(char *item)
{
	atomic_store_relaxed(rseq_c_item_count(item), 0);
}

/* The count is looked at first: it says that the flags are the caller's alone. */
static inline bool rseq_c_take_plain(char *item)
{
	if (!rseq_c_may_take(item) ||
	    atomic_load_relaxed((unsigned long *)(item + PERCPU_ITEM_FLAGS)))
		return false;
	rseq_c_take(item);
	return true;
}

/* An abort here leaves no item half changed, so *seen is 0. */
static inline bool rseq_push_n_last(struct percpu_array *array, void *const *in,
				    unsigned int n, uint32_t *seen, unsigned int *result)
{
	int index = rseq_c_begin();
	struct percpu_array *slot = rseq_c_slot(array, index);
	uint32_t count, limit, i = 0;

	*result = 0;
	*seen = 0;
	if (index < 0)
		return false;
	if (slot && (count = (uint32_t)rseq_c_count(slot)) <
		    (limit = atomic_load_relaxed(&slot->limit))) {
		for (; i < min(n, limit - count) && in[i] &&
		       rseq_c_take_plain(in[i]); i++)
			atomic_store_relaxed(&slot->items[count + i], in[i]);
		atomic_store_release(&slot->count, count + i);		/* commit */
		*result = i;
	}
	rseq_c_end(index);
	return true;
}

/* As in assembly, an abort leaves the item unchanged. */
static inline bool rseq_push_last(struct percpu_array *array, void *item, bool *seen,
				  bool *result)
{
	int index = rseq_c_begin();
	struct percpu_array *slot = rseq_c_slot(array, index);
	uint32_t count;

	*result = false;
	*seen = false;
	if (index < 0)
		return false;
	if (slot && (count = (uint32_t)rseq_c_count(slot)) < atomic_load_relaxed(&slot->limit) &&
	    rseq_c_may_take(item)) {
		rseq_c_take(item);
		atomic_store_relaxed((unsigned long *)((char *)item + PERCPU_ITEM_FLAGS), 0);
		atomic_store_relaxed(&slot->items[count], item);
		atomic_store_release(&slot->count, count + 1);		/* commit */
		*result = true;
	}
	rseq_c_end(index);
	return true;
}

#endif
