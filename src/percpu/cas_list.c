/* SPDX-License-Identifier: MIT */
#include "percpu/cas_list.h"

#include "base/atomic.h"
#include "base/cas16.h"
#include "percpu/locked.h"

/*
 * The number first: if it is still the same when the swap succeeds, the list has not
 * been changed since before its head, and the head's item, were read.
 */
static struct two_words read_both(const unsigned long *head, const unsigned long *transaction)
{
	struct two_words now;

	/* pairs with swap_head(): head, and items, as of this number or later */
	now.second = atomic_load_acquire(transaction);
	now.first = atomic_load_relaxed(head);
	return now;
}

/* The head at the start of a list of either kind, and the next number. */
static bool swap_head(void *list, const struct two_words *old, unsigned long head)
{
	return cas16(list, old, &(struct two_words){ head, old->second + 1 });
}

/*
 * The item may be somebody else's by now and hold anything; the swap fails then. It
 * is not unmapped: what stands on these lists belongs to the library.
 */
__attribute__((__no_sanitize__("thread")))
static unsigned long link_of(void *item, unsigned long link_offset)
{
	return *(volatile unsigned long *)((char *)item + link_offset);
}

static void *list_here(const void *list)
{
	unsigned int slot = locked_current_slot();

	/* pairs with bring_up() in percpu.c: the slots are there */
	return slot < atomic_load_acquire(&percpu.nr_slots) ? percpu_ptr(list, slot) : NULL;
}

void *cas_list_pop(struct percpu_list *list)
{
	struct two_words old;
	void *item;

	list = list_here(list);
	if (!list)
		return NULL;
	for (unsigned int tries = 0; tries < PERCPU_MAX_ABORTS; tries++) {
		old = read_both(&list->head, &list->transaction);
		item = percpu_list_top(old.first);
		if (!item)
			return NULL;
		if (swap_head(list, &old, link_of(item, 0)))
			return item;
	}
	return NULL;
}

bool cas_list_push(struct percpu_list *list, void *item)
{
	struct two_words old;
	unsigned long nr;

	list = list_here(list);
	if (!list)
		return false;
	for (unsigned int tries = 0; tries < PERCPU_MAX_ABORTS; tries++) {
		old = read_both(&list->head, &list->transaction);
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

unsigned long cas_list_exchange(struct percpu_list *list, unsigned long head)
{
	struct two_words old;

	do
		old = read_both(&list->head, &list->transaction);
	while (!swap_head(list, &old, head));
	return old.first;
}

void *cas_tagged_pop(struct percpu_tagged_list *list, unsigned long link_offset)
{
	struct two_words old;
	void *item;

	list = list_here(list);
	if (!list)
		return NULL;
	for (unsigned int tries = 0; tries < PERCPU_MAX_ABORTS; tries++) {
		old = read_both(&list->head, &list->transaction);
		item = percpu_tagged_first(old.first);
		if (!item)
			return NULL;
		if (swap_head(list, &old, link_of(item, link_offset)))
			return item;
	}
	return NULL;
}

bool cas_tagged_push(struct percpu_tagged_list *list, void *item, unsigned long link_offset,
		     unsigned long mask)
{
	struct two_words old;

	list = list_here(list);
	if (!list)
		return false;
	for (unsigned int tries = 0; tries < PERCPU_MAX_ABORTS; tries++) {
		old = read_both(&list->head, &list->transaction);
		if ((old.first ^ (unsigned long)item) > mask)
			return false;
		*(unsigned long *)((char *)item + link_offset) = old.first;
		if (swap_head(list, &old, (unsigned long)item))
			return true;
	}
	return false;
}

bool cas_tagged_cas(struct percpu_tagged_list *list, unsigned long expected, unsigned long new)
{
	struct two_words old;

	list = list_here(list);
	if (!list)
		return false;
	for (unsigned int tries = 0; tries < PERCPU_MAX_ABORTS; tries++) {
		old = read_both(&list->head, &list->transaction);
		if (old.first != expected)
			return false;
		if (swap_head(list, &old, new))
			return true;
	}
	return false;
}

unsigned long cas_tagged_exchange(struct percpu_tagged_list *list, unsigned long head)
{
	struct two_words old;

	do
		old = read_both(&list->head, &list->transaction);
	while (!swap_head(list, &old, head));
	return old.first;
}
