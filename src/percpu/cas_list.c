/* SPDX-License-Identifier: MIT */
#include "percpu/cas_list.h"

#include "base/atomic.h"
#include "percpu/locked.h"

/*
 * *list = *new if it is *old; acquires and releases. The builtin would be a call
 * into another library; ThreadSanitizer knows it, but not the instruction.
 */
static bool cas_both(struct percpu_list *list, const struct percpu_list *old,
		     const struct percpu_list *new)
{
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)
	unsigned long head = old->head, transaction = old->transaction;
	bool done;

	__asm__ volatile("lock cmpxchg16b %[list]"
			 : "=@ccz"(done), [list] "+m"(*list), "+a"(head), "+d"(transaction)
			 : "b"(new->head), "c"(new->transaction)
			 : "memory");
	return done;
#elif defined(__aarch64__) && !defined(__SANITIZE_THREAD__)
	unsigned long head, transaction;
	unsigned int failed;

	__asm__ volatile("1:\n\t"
			 "ldaxp %[head], %[transaction], %[list]\n\t"
			 "cmp %[head], %[old_head]\n\t"
			 "ccmp %[transaction], %[old_transaction], 0, eq\n\t"
			 "mov %w[failed], 1\n\t"
			 "b.ne 2f\n\t"
			 "stlxp %w[failed], %[new_head], %[new_transaction], %[list]\n\t"
			 "cbnz %w[failed], 1b\n"
			 "2:\n\t"
			 "clrex"
			 : [head] "=&r"(head), [transaction] "=&r"(transaction),
			   [failed] "=&r"(failed), [list] "+Q"(*list)
			 : [old_head] "r"(old->head), [old_transaction] "r"(old->transaction),
			   [new_head] "r"(new->head), [new_transaction] "r"(new->transaction)
			 : "memory", "cc");
	return !failed;
#else
	__extension__ typedef unsigned __int128 both;
	union {
		struct percpu_list list;
		both value;
	} expected = { *old }, wanted = { *new };

	return atomic_cas_acq_rel((both *)list, &expected.value, wanted.value);
#endif
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
