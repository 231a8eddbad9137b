/* SPDX-License-Identifier: MIT */
/*
 * Access to another CPU's slot: stop an array or list there, look at it and
 * change it, start it again. It may take microseconds; nothing on the owner's
 * fast path pays for it.
 *
 * Stopping (rseq). The array's head, count and limit in one word, is exchanged
 * for one that pop takes for empty and push for full; then the kernel restarts
 * every sequence that is under way on that CPU (membarrier(2),
 * PRIVATE_EXPEDITED_RSEQ). After that either the head still says stopped: then
 * the exchanged value is the truth and nobody changes it; or a sequence that had
 * read the old head has committed its result on top of ours: then that result is
 * the truth, the array is still running, and the exchange is tried again.
 *
 * The stopped count is below 0, so that no result of a sequence looks like it: a
 * sequence that takes the last item stores 0. The stopped head of a list has the
 * highest number and no item, and any other head with a number has one. That of a
 * tagged list is a token of no block, which is no link and never what a swap stores.
 *
 * The call cannot name a slot under mm_cid, so then it goes to the whole process.
 * Without sequences stopping is taking the slot's lock, and for a list the exchange
 * alone.
 */
#ifndef PERCPU_REMOTE_H
#define PERCPU_REMOTE_H

#include "percpu/percpu.h"
#include "percpu/tagged_list.h"

/*
 * Every sequence of this process that was under way has been restarted or has ended, on
 * whatever slot. 0; -ENOSYS or the like if the kernel cannot, -EAGAIN in a signal handler
 * that is above one. Nothing to do where there are no sequences.
 */
int percpu_restart_all(void);
/* Would it succeed? Asks the kernel, and prepares nothing. */
bool percpu_can_restart(void);

struct percpu_stopped_array {
	struct percpu_array *array;	/* in its slot: an address, not a per-CPU pointer */
	unsigned int slot;
	uint32_t count;			/* items[0 .. count - 1]; may be changed */
	uint32_t limit;			/* may be changed; 0: the array is not prepared any more */
	int error;			/* why it is not stopped */
};

struct percpu_stopped_list {
	struct percpu_list *list;	/* in its slot */
	unsigned long head;		/* may be changed */
};

struct percpu_stopped_tagged {
	struct percpu_tagged_list *list;	/* in its slot */
	unsigned long head;		/* may be changed */
};

/* Can slots be stopped? The kernel may lack membarrier(2), or a sandbox refuse it. */
bool percpu_can_stop(void);

/*
 * Stops the array of one slot. 0, -ENOSYS if slots cannot be stopped, -EAGAIN if
 * its owner was faster every time or is the thread below this signal handler, -EBUSY
 * if somebody else has stopped it. While it is stopped its owner goes the slow way.
 * The caller sees to it that one thread at a time does this to one array: -EBUSY
 * shows a mistake and is not a lock.
 */
int percpu_stop_array(struct percpu_array *array, unsigned int slot,
		      struct percpu_stopped_array *stopped);
/*
 * The same for several arrays of one slot, for the price of one. Then one by one:
 * percpu_stopped() says whether that one is stopped, and whoever hears so starts it
 * before the next.
 */
void percpu_stop_arrays(struct percpu_array *const *arrays, unsigned int nr, unsigned int slot,
			struct percpu_stopped_array *group);
bool percpu_stopped(struct percpu_stopped_array *stopped);
/*
 * An item of a stopped array. Atomic, since percpu_array_prepare() and its like may go over the
 * items meanwhile; they change none.
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

/* The owner goes on with the items that count and items[] now say. */
void percpu_start_array(const struct percpu_stopped_array *stopped);

int percpu_stop_list(struct percpu_list *list, unsigned int slot,
		     struct percpu_stopped_list *stopped);
void percpu_start_list(const struct percpu_stopped_list *stopped);

int percpu_stop_tagged(struct percpu_tagged_list *list, unsigned int slot,
		       struct percpu_stopped_tagged *stopped);
void percpu_start_tagged(const struct percpu_stopped_tagged *stopped);

#endif
