/* SPDX-License-Identifier: MIT */
#include "percpu/cas_list.h"

#include "base/atomic.h"
#include "base/cas16.h"
#include "percpu/locked.h"

/* Lists of both kinds begin with these words. */
enum { HEAD, TRANSACTION };
_Static_assert(offsetof(struct percpu_list, head) == HEAD * sizeof(long) &&
	       offsetof(struct percpu_list, transaction) == TRANSACTION * sizeof(long) &&
	       offsetof(struct percpu_tagged_list, head) == HEAD * sizeof(long) &&
	       offsetof(struct percpu_tagged_list, transaction) == TRANSACTION * sizeof(long),
	       "a list is its head and a number");

/*
 * Reads the number first, then the head. If the number is still the same when the swap succeeds,
 * nobody has changed the list since before the head and the head's item were read.
 */
static struct two_words read_both(const unsigned long *list)
{
	struct two_words now;

	/* pairs with swap_head(): the head and the items are as of this number, or later */
	now.second = atomic_load_acquire(&list[TRANSACTION]);
	now.first = atomic_load_relaxed(&list[HEAD]);
	return now;
}

#if CAS16_SUPPORTED
/*
 * Stores the head and the next number if both words are still *old. The swap acquires and releases.
 * It pairs with read_both() and percpu_tagged_read(): the items' links, and what their users wrote.
 */
static bool swap_head(unsigned long *list, const struct two_words *old, unsigned long head)
{
	return cas16(list, old, &(struct two_words){ head, old->second + 1 });
}
#else
/*
 * swap_head() under the lock of the list's slot. The lock is only tried, because a signal handler
 * that interrupted its holder would wait for ever.
 */
static bool swap_head(unsigned long *list, const struct two_words *old, unsigned long head)
{
	unsigned int slot = (unsigned int)((unsigned long)percpu_piece(list) >> PERCPU_SLOT_SHIFT);
	bool is_old;

	if (!locked_slot_try(slot))
		return false;
	is_old = list[HEAD] == old->first && list[TRANSACTION] == old->second;
	if (is_old) {
		/* pairs with read_both(): the items before the head, the head before the number */
		atomic_store_release(&list[HEAD], head);
		atomic_store_release(&list[TRANSACTION], old->second + 1);
	}
	locked_slot_release(slot);
	return is_old;
}
#endif

/*
 * The item may belong to somebody else by now and hold anything; then the swap fails. Its memory is
 * still readable. Whoever puts items on these lists makes sure of this: by page_keep_mapped(), and
 * by using no lists where free pages are made inaccessible.
 */
__attribute__((__no_sanitize__("thread")))
static unsigned long link_of(void *item, unsigned long link_offset)
{
	return *(volatile unsigned long *)((char *)item + link_offset);
}

/* The list in this thread's slot, or NULL. */
static unsigned long *list_here(const void *list)
{
	unsigned int slot = locked_current_slot();

	return locked_slot_exists(slot) ? percpu_ptr(list, slot) : NULL;
}

/* first(head): the first item of a list with this head, or NULL. */
static __always_inline void *pop(const void *any_slots, unsigned long link_offset,
				 void *(*first)(unsigned long head))
{
	unsigned long *list = list_here(any_slots);
	struct two_words old;
	void *item;

	for (unsigned int tries = 0; list && tries < PERCPU_MAX_ABORTS; tries++) {
		old = read_both(list);
		item = first(old.first);
		if (!item)
			return NULL;
		if (swap_head(list, &old, link_of(item, link_offset)))
			return item;
	}
	return NULL;
}

void *cas_list_pop(struct percpu_list *list)
{
	return pop(list, 0, percpu_list_top);
}

bool cas_list_push(struct percpu_list *any_slots, void *item)
{
	unsigned long *list = list_here(any_slots);
	struct two_words old;
	unsigned long nr;

	for (unsigned int tries = 0; list && tries < PERCPU_MAX_ABORTS; tries++) {
		old = read_both(list);
		nr = percpu_list_nr(old.first);
		if (nr == PERCPU_LIST_MAX)
			return false;
		*(unsigned long *)item = old.first;
		if (swap_head(list, &old,
			      ((unsigned long)item << PERCPU_LIST_NR_BITS) + nr + 1))
			return true;
	}
	return false;
}

void *cas_tagged_pop(struct percpu_tagged_list *list, unsigned long link_offset)
{
	return pop(list, link_offset, percpu_tagged_first);
}

bool cas_tagged_push(struct percpu_tagged_list *any_slots, void *item, unsigned long link_offset,
		     unsigned long mask)
{
	unsigned long *list = list_here(any_slots);
	struct two_words old;

	for (unsigned int tries = 0; list && tries < PERCPU_MAX_ABORTS; tries++) {
		old = read_both(list);
		if ((old.first ^ (unsigned long)item) > mask)
			return false;
		*(unsigned long *)((char *)item + link_offset) = old.first;
		if (swap_head(list, &old, (unsigned long)item))
			return true;
	}
	return false;
}

bool cas_tagged_cas(struct percpu_tagged_list *any_slots, unsigned long expected,
		    unsigned long new)
{
	unsigned long *list = list_here(any_slots);
	struct two_words old;

	for (unsigned int tries = 0; list && tries < PERCPU_MAX_ABORTS; tries++) {
		old = read_both(list);
		if (old.first != expected)
			return false;
		if (swap_head(list, &old, new))
			return true;
	}
	return false;
}

bool cas_head_exchange(unsigned long *head, unsigned long new, unsigned long *former)
{
	struct two_words old;

	if (!CAS16_SUPPORTED && !lock_may_wait(RANK_SLOT))
		return false;
	do
		old = read_both(head);
	while (!swap_head(head, &old, new));
	*former = old.first;
	return true;
}
