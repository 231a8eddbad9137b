/* SPDX-License-Identifier: MIT */
/*
 * Access to another CPU's slot: stop an array or list there, look at it, change it, start it again.
 * This may take microseconds. The owner's fast path pays nothing for it. ("Owner" is the thread
 * that the kernel says is on the slot.)
 *
 * Stopping, under rseq:
 *
 *	exchange	The head (of an array: count and limit in one word) is exchanged for a
 *			stopped head, which pop takes for empty and push for full.
 *	restart		membarrier(2), with PRIVATE_EXPEDITED_RSEQ, makes the kernel restart every
 *			sequence that is under way on that CPU.
 *	look		Either the head still is the stopped one. Then the exchanged head is the
 *			truth, and nobody changes it: later sequences find nothing to do, and no
 *			earlier one is under way. Or a sequence that had read the old head has
 *			committed its result over the stopped head. Then this result is the truth,
 *			the array is running, and the exchange is tried again.
 *
 * This needs a stopped head that no sequence can store. A stopped count is below 0, and a sequence
 * that takes the last item stores 0. The stopped head of a list has the highest number and no item;
 * any other head with a number above 0 has an item. The stopped head of a tagged list is a token of
 * no block: no link holds this, and no swap stores it.
 *
 * Under mm_cid the call cannot name a slot, so it restarts sequences in the whole process. Without
 * sequences an array is stopped by taking the slot's lock, and a list by the exchange alone.
 *
 * Order: percpu_start_array(), _list() and _tagged() store the new head by a release. aarch64.h
 * says what this pairs with, and why a stop needs no more than membarrier(2).
 */
#ifndef PERCPU_REMOTE_H
#define PERCPU_REMOTE_H

#include "percpu/percpu.h"
#include "percpu/tagged_list.h"

/*
 * On return every sequence of this process that was under way, on any slot, has been restarted or
 * has ended. Returns 0; -ENOSYS or another error if the kernel cannot do it; -EAGAIN in a signal
 * handler that interrupted a sequence (only where sequences are C). Without sequences it does
 * nothing.
 */
int percpu_restart_all(void);
/* Would percpu_restart_all() succeed? Asks the kernel and prepares nothing. */
bool percpu_can_restart(void);

/* From now on membarrier(2) is not called, as if the kernel had none: a filter may kill for it. */
void percpu_forbid_restart(void);

struct percpu_stopped_array {
	struct percpu_array *array;	/* the address in its slot, not a per-CPU pointer */
	unsigned int slot;
	uint32_t count;			/* items[0 .. count - 1]; may be changed */
	uint32_t limit;			/* may be changed; 0: makes the array unprepared */
	int error;			/* why it is not stopped */
};

struct percpu_stopped_list {
	struct percpu_list *list;	/* the address in its slot */
	unsigned long head;		/* may be changed */
};

struct percpu_stopped_tagged {
	struct percpu_tagged_list *list;	/* the address in its slot */
	unsigned long head;		/* may be changed */
};

/* Can slots be stopped? The kernel may lack membarrier(2), or a sandbox may refuse it. */
bool percpu_can_stop(void);

/*
 * Stops the array of one slot. While it is stopped its owner takes the slow path. Returns:
 *
 *	0		stopped
 *	-ENOSYS		slots cannot be stopped
 *	-EAGAIN		the owner was faster every time, or is the thread that this signal handler
 *			interrupted
 *	-EBUSY		somebody else has stopped the array
 *
 * The caller makes sure that one thread at a time stops an array. -EBUSY reveals a mistake; it does
 * not replace a lock.
 */
int percpu_stop_array(struct percpu_array *array, unsigned int slot,
		      struct percpu_stopped_array *stopped);
/*
 * Stops several arrays of one slot for the price of one. Then the caller goes through them one by
 * one: it calls percpu_stopped(), and if that is true it starts this array before the next call.
 */
void percpu_stop_arrays(struct percpu_array *const *arrays, unsigned int nr, unsigned int slot,
			struct percpu_stopped_array *group);
bool percpu_stopped(struct percpu_stopped_array *stopped);
/*
 * An item of a stopped array. The access is atomic, because another thread may call
 * percpu_array_prepare() or percpu_generations_prepare() meanwhile. These touch an item's memory by
 * an atomic write, but change no item.
 */
static inline void *percpu_stopped_item(const struct percpu_stopped_array *stopped, uint32_t i)
{
	return atomic_load_relaxed(&stopped->array->items[i]);
}

static inline void percpu_set_stopped_item(const struct percpu_stopped_array *stopped,
					   uint32_t i, void *item)
{
	atomic_store_relaxed(&stopped->array->items[i], item);
}

/* The owner goes on with the count, limit and items that the caller leaves. */
void percpu_start_array(const struct percpu_stopped_array *stopped);

int percpu_stop_list(struct percpu_list *list, unsigned int slot,
		     struct percpu_stopped_list *stopped);
void percpu_start_list(const struct percpu_stopped_list *stopped);

int percpu_stop_tagged(struct percpu_tagged_list *list, unsigned int slot,
		       struct percpu_stopped_tagged *stopped);
void percpu_start_tagged(const struct percpu_stopped_tagged *stopped);

#endif
