/* SPDX-License-Identifier: MIT */
#include "percpu/cas_list.h"

#include "base/atomic.h"
#include "base/cas16.h"
#include "percpu/locked.h"

/* *list = *new if it is *old; acquires and releases. */
static bool cas_both(struct percpu_list *list, const struct percpu_list *old,
		     const struct percpu_list *new)
{
	return cas16(list, &(struct two_words){ old->head, old->transaction },
		     &(struct two_words){ new->head, new->transaction });
}

/*
 * The number first: if it is still the same when the swap succeeds, the list has not
 * been changed since before its head, and the head's item, were read.
 */
static struct percpu_list read_list(const struct percpu_list *list)
{
	struct percpu_list now;

	/* pairs with cas_both(): head, and items, as of this number or later */
	now.transaction = atomic_load_acquire(&list->transaction);
	now.head = atomic_load_relaxed(&list->head);
	return now;
}

/*
 * The item may be somebody else's by now and hold anything; the swap fails then. It
 * is not unmapped: what stands on these lists belongs to the library.
 */
__attribute__((__no_sanitize__("thread")))
static unsigned long next_of(void *item)
{
	return *(volatile unsigned long *)item;
}

static struct percpu_list *list_here(struct percpu_list *list)
{
	unsigned int slot = locked_current_slot();

	/* pairs with bring_up() in percpu.c: the slots are there */
	return slot < atomic_load_acquire(&percpu.nr_slots) ? percpu_ptr(list, slot) : NULL;
}

void *cas_list_pop(struct percpu_list *list)
{
	struct percpu_list old, new;
	void *item;

	list = list_here(list);
	if (!list)
		return NULL;
	for (unsigned int tries = 0; tries < PERCPU_MAX_ABORTS; tries++) {
		old = read_list(list);
		item = percpu_list_top(old.head);
		if (!item)
			return NULL;
		new.head = next_of(item);
		new.transaction = old.transaction + 1;
		if (cas_both(list, &old, &new))
			return item;
	}
	return NULL;
}

bool cas_list_push(struct percpu_list *list, void *item)
{
	struct percpu_list old, new;
	unsigned long nr;

	list = list_here(list);
	if (!list)
		return false;
	for (unsigned int tries = 0; tries < PERCPU_MAX_ABORTS; tries++) {
		old = read_list(list);
		nr = percpu_list_nr(old.head);
		if (nr == PERCPU_LIST_MAX)
			return false;
		*(unsigned long *)item = old.head;
		new.head = ((unsigned long)item << PERCPU_LIST_NR_BITS) + nr + 1;
		new.transaction = old.transaction + 1;
		if (cas_both(list, &old, &new))
			return true;
	}
	return false;
}

unsigned long cas_list_exchange(struct percpu_list *list, unsigned long head)
{
	struct percpu_list old, new = { .head = head };

	do {
		old = read_list(list);
		new.transaction = old.transaction + 1;
	} while (!cas_both(list, &old, &new));
	return old.head;
}
