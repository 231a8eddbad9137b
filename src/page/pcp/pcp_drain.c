/* SPDX-License-Identifier: MIT */
/* Gives blocks on the CPUs' lists back to the buddy lists. */
#include "page/buddy.h"
#include "page/pcp/pcp_list.h"
#include "page/reclaim/release.h"
#include "percpu/remote.h"

/*
 * How many blocks of this CPU's lists move at a time. They lie on the stack, which may be a
 * handler's.
 */
#define DRAIN_LOCAL_MAX 64
/* As DRAIN_LOCAL_MAX, but for a call deep in a request, which has used much of the stack. */
#define RETURN_OWN_MAX 8
/* How many blocks of another CPU's list go back under one hold of the zone's lock. */
#define DRAIN_OTHER_MAX 128u
/* How often to try to empty another CPU's lists, which its threads may go on filling. */
#define DRAIN_TIMES 8

/*
 * Empties a list of this CPU, `room` blocks at a time, with `pages` as buffer. Returns whether the
 * list had blocks.
 */
static bool empty_own_list(struct zone *z, unsigned int index, struct page **pages,
			   unsigned int room)
{
	unsigned int taken;
	bool any = false;

	while ((taken = pcp_pop_n(list_of(z, index), pages, room))) {
		pcp_give_blocks(z, index, pages, taken);
		any = true;
	}
	return any;
}

static noinline void empty_own_lists(struct zone *z)
{
	struct page *pages[DRAIN_LOCAL_MAX];

	for (unsigned int i = 0; i < NR_PCP_LISTS; i++)
		empty_own_list(z, i, pages, DRAIN_LOCAL_MAX);
}

static void drain_zone_local(struct zone *z)
{
	buddy_give_deferred(z);
	empty_own_lists(z);
	end_below_high(z);
	release_excess(z);
}

void pcp_drain_local(struct zone *z)
{
	if (!lock_may_wait(RANK_ZONE))	/* a signal handler above a holder */
		return;
	if (z) {
		drain_zone_local(z);
		return;
	}
	for_each_populated_zone(z)
		drain_zone_local(z);
}

/*
 * The lists of another CPU, and the blocks of one of those lists. They are not on the stack, which
 * may be short in a thread that has run out of memory. Sync: page_drain_lock
 */
static struct percpu_stopped_array stopped[NR_PCP_LISTS] __large_bss;
static struct percpu_array *lists[NR_PCP_LISTS];
static uint8_t list_indices[NR_PCP_LISTS];
static struct page *drained[PCP_CAPACITY_MAX] __large_bss;

/* Takes all blocks off a stopped list. With `shut`, the list keeps nothing from now on. */
static void empty_list(struct zone *z, unsigned int index, struct percpu_stopped_array *list,
		       bool shut)
{
	unsigned int nr = min(list->count, (uint32_t)PCP_CAPACITY_MAX);

	list->count -= nr;
	for (unsigned int i = 0; i < nr; i++)
		drained[i] = percpu_stopped_item(list, list->count + i);
	if (shut)
		list->limit = 0;
	percpu_start_array(list);
	for (unsigned int i = 0; i < nr; i += DRAIN_OTHER_MAX)
		pcp_give_blocks(z, index, drained + i, min(nr - i, DRAIN_OTHER_MAX));
	/*
	 * Clear the buffer: `usermm inspect PID leaks` takes any page that a variable names as in
	 * use.
	 */
	for (unsigned int i = 0; i < nr; i++)
		drained[i] = NULL;
}

/*
 * Stops one slot's lists, all at once, and empties them: the lists that have blocks or, with
 * `shut`, the lists of large blocks that may get some. True if one of them still has blocks.
 */
static bool drain_lists(struct zone *z, unsigned int slot, bool shut)
{
	unsigned int nr = 0;
	bool more = false;

	for (unsigned int i = 0; i < NR_PCP_LISTS; i++) {
		struct percpu_array *list = list_of(z, i);

		if (!list || (shut && pcp_allowed_order(index_order(i))))
			continue;
		if (shut ? slot_limit(list, slot) : slot_blocks(z, slot, i)) {
			list_indices[nr] = (uint8_t)i;
			lists[nr++] = list;
		}
	}
	if (nr)
		percpu_stop_arrays(lists, nr, slot, stopped);
	for (unsigned int i = 0; i < nr; i++) {
		if (!percpu_stopped(&stopped[i])) {
			more = true;
			continue;
		}
		empty_list(z, list_indices[i], &stopped[i], shut);
		more |= stopped[i].count != 0;
	}
	return more;
}

/* False if there may be more: the slot's owner fills its lists faster than they are emptied. */
static bool drain_slot(struct zone *z, unsigned int slot, bool shut)
{
	for (unsigned int i = 0; i < DRAIN_TIMES; i++)
		if (!drain_lists(z, slot, shut))
			return true;
	return false;
}

static void drain_zone(struct zone *z)
{
	for (unsigned int slot = 0; slot < percpu_nr_slots(); slot++)
		drain_slot(z, slot, false);
	end_below_high(z);
}

/*
 * This CPU's lists too are emptied under the lock, if this thread can take it. So a thread that
 * waits for the lock finds these blocks on the zone's lists, and so does a fork child.
 */
bool pcp_drain_all_and_hold(struct zone *z)
{
	bool held = lock_acquire_unless_handler(&page_drain_lock);

	pcp_drain_local(z);
	if (!held)
		return false;
	if (z)
		drain_zone(z);
	else
		for_each_populated_zone(z)
			drain_zone(z);
	return true;
}

void pcp_drain_all(struct zone *z)
{
	if (pcp_drain_all_and_hold(z))
		lock_release(&page_drain_lock);
}

/*
 * A list that is opened while this runs sets ZONE_BLOCKS_LISTED again, so the next caller empties
 * it. ZONE_BLOCKS_MOVING is set while blocks are on their way. So another request is not refused
 * meanwhile: it waits for the lock, and then finds the blocks that this thread gave back.
 */
bool pcp_return_blocks(struct zone *z)
{
	if (!zone_test_flag(z, ZONE_BLOCKS_LISTED | ZONE_BLOCKS_MOVING) ||
	    !lock_acquire_unless_handler(&page_drain_lock))
		return false;
	zone_set_flag(z, ZONE_BLOCKS_MOVING);
	/* pairs with make_room_for_block(): the limits of the lists that are opened */
	atomic_and_acq_rel(&z->flags, ~ZONE_BLOCKS_LISTED);
	for (unsigned int slot = 0; slot < percpu_nr_slots(); slot++)
		if (!drain_slot(z, slot, true))
			zone_set_flag(z, ZONE_BLOCKS_LISTED);	/* some blocks are still there */
	zone_clear_flag(z, ZONE_BLOCKS_MOVING);
	lock_release(&page_drain_lock);
	return true;
}

/*
 * Holds page_drain_lock, as pcp_return_blocks() does: another request waits for the lock, and then
 * finds the blocks. The lock is only tried (release_some() says why); if that fails the zone grows.
 */
bool pcp_return_own_blocks(struct zone *z)
{
	struct page *pages[RETURN_OWN_MAX];
	bool any = false;

	if (!zone_test_flag(z, ZONE_BLOCKS_LISTED) ||
	    !lock_try_in_order(&page_drain_lock))
		return false;
	for (unsigned int i = 0; i < NR_PCP_LISTS; i++)
		if (!pcp_allowed_order(index_order(i)))
			any |= empty_own_list(z, i, pages, RETURN_OWN_MAX);
	lock_release(&page_drain_lock);
	return any;
}
