/* SPDX-License-Identifier: MIT */
#include "percpu/remote.h"

#include <errno.h>
#include <linux/membarrier.h>

#include "base/atomic.h"
#include "base/system_call.h"
#include "percpu/cas_list.h"
#include "percpu/generations.h"
#include "percpu/locked.h"

#define STOP_TRIES 100

/* The heads of stopped stacks. An array's is one word of count and limit; the low half is count. */
#define STOPPED_COUNT 0x80000000U
#define STOPPED_ARRAY ((unsigned long)STOPPED_COUNT)
#define STOPPED_LIST PERCPU_LIST_MAX

/* Makes every sequence that is under way on the slot start again. 0 or a negative errno. */
#if RSEQ_IN_C
void percpu_forbid_restart(void)
{
}

static int restart_sequences(unsigned int slot)
{
	(void)slot;
	return rseq_c_restart_all() ? 0 : -EAGAIN;
}
#else
static bool restart_is_forbidden;	/* Sync: atomic relaxed; never false again */

void percpu_forbid_restart(void)
{
	atomic_store_relaxed(&restart_is_forbidden, true);
}

static long membarrier(int command, unsigned int flags, unsigned int cpu)
{
	if (atomic_load_relaxed(&restart_is_forbidden))
		return -EACCES;
	return system_call(SYS_membarrier, command, flags, cpu);
}

static int restart_sequences_by(unsigned int flags, unsigned int slot)
{
	long error = membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED_RSEQ, flags, slot);

	if (error == -EPERM) {
		/* The process has to register for this command first. */
		error = membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_RSEQ, 0, 0);
		if (!error)
			error = membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED_RSEQ, flags, slot);
	}
	/* ENXIO: the CPU is offline, so its threads were moved and their sequences restarted. */
	return error == -ENXIO ? 0 : (int)min(error, 0L);
}

static int restart_sequences(unsigned int slot)
{
	/*
	 * A slot by mm_cid may be in use on any CPU. Without the flag, membarrier(2) restarts the
	 * sequences of the whole process.
	 */
	return restart_sequences_by(percpu_mode() == PERCPU_RSEQ_CPU_ID ?
				    MEMBARRIER_CMD_FLAG_CPU : 0, slot);
}
#endif

bool percpu_can_restart(void)
{
#if RSEQ_IN_C
	return true;
#else
	long commands = membarrier(MEMBARRIER_CMD_QUERY, 0, 0);

	return commands > 0 && commands & MEMBARRIER_CMD_PRIVATE_EXPEDITED_RSEQ;
#endif
}

int percpu_restart_all(void)
{
	if (!percpu_has_sequences())
		return 0;
#if RSEQ_IN_C
	return restart_sequences(0);
#else
	return restart_sequences_by(0, 0);
#endif
}

bool percpu_can_stop(void)
{
	return percpu.nr_slots && (!percpu_has_sequences() || !restart_sequences(0));
}

/*
 * Gives up stopping an array. If the count is still the stopped one, the old head goes back. (The
 * limit says nothing: the owner may have prepared the stopped array, which changes only its limit.)
 * A sequence that read the old head and is still under way notices nothing, because the same head
 * is back.
 *
 * Otherwise a sequence of the owner's has committed its count over the stopped head. Then the count
 * is right and only the limit may be missing. It goes back if it is still 0. It is not if the owner
 * has prepared the array meanwhile, or if its sequence took the older half (generations.h), whose
 * commit stores a limit, too. The releases pair as in percpu_start_array().
 */
static void resume(unsigned long *head, const struct percpu_stopped_array *stopped)
{
	unsigned long now = atomic_load_relaxed(head);
	unsigned long old = percpu_make_head(stopped->count, stopped->limit);
	uint32_t none = 0;

	while ((uint32_t)now == STOPPED_COUNT)
		if (atomic_cas_release(head, &now, old))
			return;
	atomic_cas_release(&stopped->array->limit, &none, stopped->limit);
}

/* Exchanges the heads of the arrays that are not stopped yet. Returns how many it exchanged. */
static unsigned int exchange_heads(struct percpu_stopped_array *group, unsigned int nr)
{
	unsigned int pending = 0;

	for (unsigned int i = 0; i < nr; i++) {
		struct percpu_stopped_array *one = &group[i];
		unsigned long old;

		if (one->error != -EAGAIN)
			continue;
		/* pairs with the commits of rseq/in_c.h, as confirm() does: the items */
		old = atomic_exchange_acquire(percpu_head(one->array), STOPPED_ARRAY);
		if ((uint32_t)old == STOPPED_COUNT) {
			one->error = -EBUSY;
			continue;
		}
		one->count = (uint32_t)old;
		/* A limit of 0 was stored here, in an earlier try. Any other is the owner's. */
		if (old >> 32)
			one->limit = (uint32_t)(old >> 32);
		pending++;
	}
	return pending;
}

/*
 * After the restart: an array is stopped if its head is still as exchange_heads() left it. The
 * acquire pairs with the commits of rseq/in_c.h. Commits in assembly are plain stores;
 * membarrier(2), which the restart calls, orders them before all that follows here.
 */
static void confirm(struct percpu_stopped_array *group, unsigned int nr)
{
	for (unsigned int i = 0; i < nr; i++)
		if (group[i].error == -EAGAIN &&
		    (uint32_t)atomic_load_acquire(percpu_head(group[i].array)) == STOPPED_COUNT)
			group[i].error = 0;
}

static void give_up(struct percpu_stopped_array *group, unsigned int nr, int error)
{
	for (unsigned int i = 0; i < nr; i++)
		if (group[i].error == -EAGAIN) {
			resume(percpu_head(group[i].array), &group[i]);
			group[i].error = error;
		}
}

void percpu_stop_arrays(struct percpu_array *const *arrays, unsigned int nr, unsigned int slot,
			struct percpu_stopped_array *group)
{
	int error = -EAGAIN;

	for (unsigned int i = 0; i < nr; i++)
		group[i] = (struct percpu_stopped_array){ .array = percpu_ptr(arrays[i], slot),
							  .slot = slot, .error = -EAGAIN };
	if (!percpu_has_sequences())
		return;		/* percpu_stopped() will take the slot's lock */
	for (unsigned int i = 0; i < STOP_TRIES && exchange_heads(group, nr); i++) {
		if (restart_sequences(slot)) {
			error = -ENOSYS;
			break;
		}
		confirm(group, nr);
	}
	give_up(group, nr, error);
}

bool percpu_stopped(struct percpu_stopped_array *stopped)
{
	if (!percpu_has_sequences() && locked_slot_acquire(stopped->slot)) {
		stopped->count = stopped->array->count;
		stopped->limit = stopped->array->limit;
		stopped->error = 0;
	}
	return !stopped->error;
}

int percpu_stop_array(struct percpu_array *array, unsigned int slot,
		      struct percpu_stopped_array *stopped)
{
	percpu_stop_arrays(&array, 1, slot, stopped);
	return percpu_stopped(stopped) ? 0 : stopped->error;
}

void percpu_start_array(const struct percpu_stopped_array *stopped)
{
	if (!percpu_has_sequences()) {
		atomic_store_relaxed(&stopped->array->count, stopped->count);
		atomic_store_relaxed(&stopped->array->limit, stopped->limit);
		locked_slot_release(stopped->slot);
		return;
	}
	/* pairs with the next sequence on the slot (aarch64.h, Order): the items before the head */
	atomic_store_release(percpu_head(stopped->array),
			     percpu_make_head(stopped->count, stopped->limit));
}

/* Stops a list of either kind. `stopped` is its head from then on, *old the head before. */
static int stop_head(unsigned long *head, unsigned int slot, unsigned long stopped,
		     unsigned long *old)
{
	unsigned long now = stopped;
	int error = 0;

	if (!percpu_has_sequences()) {
		/* A swap that is under way will fail, because the number has changed. */
		if (!cas_head_exchange(head, stopped, old))
			return -EAGAIN;
		return *old == stopped ? -EBUSY : 0;
	}
	for (unsigned int i = 0; i < STOP_TRIES; i++) {
		/* pairs with the commits of rseq/in_c.h: the items' links */
		*old = atomic_exchange_acquire(head, stopped);
		if (*old == stopped)
			return -EBUSY;
		error = restart_sequences(slot);
		if (error)
			break;
		if (atomic_load_acquire(head) == stopped)	/* pairs as the exchange does */
			return 0;
	}
	/*
	 * Puts the old head back; pairs as in start_head(). If the owner has already stored a new
	 * head, that one is right and stays.
	 */
	atomic_cas_release(head, &now, *old);
	return error ? -ENOSYS : -EAGAIN;
}

static void start_head(unsigned long *head, unsigned long new)
{
	unsigned long stopped;

	if (!percpu_has_sequences())
		cas_head_exchange(head, new, &stopped);	/* succeeds, as it did in stop_head() */
	else	/* pairs with the next sequence on the slot, percpu_tagged_read(): items' links */
		atomic_store_release(head, new);
}

int percpu_stop_list(struct percpu_list *list, unsigned int slot,
		     struct percpu_stopped_list *stopped)
{
	*stopped = (struct percpu_stopped_list){ .list = percpu_ptr(list, slot) };
	return stop_head(&stopped->list->head, slot, STOPPED_LIST, &stopped->head);
}

void percpu_start_list(const struct percpu_stopped_list *stopped)
{
	start_head(&stopped->list->head, stopped->head);
}

int percpu_stop_tagged(struct percpu_tagged_list *list, unsigned int slot,
		       struct percpu_stopped_tagged *stopped)
{
	*stopped = (struct percpu_stopped_tagged){ .list = percpu_ptr(list, slot) };
	return stop_head(&stopped->list->head, slot, PERCPU_TAGGED_STOPPED, &stopped->head);
}

void percpu_start_tagged(const struct percpu_stopped_tagged *stopped)
{
	start_head(&stopped->list->head, stopped->head);
}
