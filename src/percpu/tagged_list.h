/* SPDX-License-Identifier: MIT */
/*
 * A per-CPU list of the free items of one block, which tells the block even when it
 * is used up. So a slot needs no second word for that, and head and block cannot
 * disagree. (cf. the freelist of Linux's SLUB, whose CPUs keep the slab beside it.)
 *
 *	head	0		the slot has no block
 *		address | 1	a token: the block that the address lies in, no item left
 *		else		the first item
 *
 * Each item has the rest of the list, a head again, in the word `link_offset` bytes
 * into it; the last one's rest is a token of the block. So a list never becomes 0 by
 * pop or push, and one comparison finds both kinds of head that have no item.
 *
 * A block has mask + 1 bytes, a power of two, and is aligned to them; all blocks
 * that are attached to one list are alike in that. Push is for items of the block
 * that is attached, whichever item: its first byte's too. Attaching and detaching is
 * percpu_tagged_cas(), on slow paths.
 *
 * Who may touch what. Head and links belong to whoever is on the slot, as with every
 * stack here (percpu.h). Pop and push store to the head, and push to its item's link
 * before, and to nothing else.
 *
 * - A thread that is moved inside of pop or push: the sequence starts again, on the
 *   slot where the thread then is. A head that has changed and is the same again (ABA)
 *   cannot be missed, since nobody else works on the slot while a sequence is not
 *   aborted. Without sequences the transaction number beside the head tells
 *   (cas_list.h), wherever the thread is.
 * - A thread that is moved between percpu_tagged_read() and percpu_tagged_cas(): the
 *   latter compares with the head of the slot where the thread is then. Equal means
 *   that the head is that now, not that nothing has happened: the list behind an item
 *   may be another, and a block may have been away and be back. So the new head is made
 *   of nothing that was read behind the old one; what hangs on the old one is the
 *   caller's, and is looked at, once the swap has succeeded. 0 is the same everywhere:
 *   whichever slot it was read from, the block goes to one that has none.
 * - A thread elsewhere that stops the list (remote.h): the head is PERCPU_TAGGED_STOPPED
 *   meanwhile, a token of no block. So pop finds it used up and push another block's,
 *   and no swap expects it or stores it; nor does any link hold it.
 */
#ifndef PERCPU_TAGGED_LIST_H
#define PERCPU_TAGGED_LIST_H

#include "percpu/percpu.h"

#define PERCPU_TAGGED_TOKEN 1UL
#define PERCPU_TAGGED_STOPPED PERCPU_TAGGED_TOKEN

/* What ends the list of the block that address lies in. */
static inline unsigned long percpu_tagged_token(const void *address)
{
	return (unsigned long)address | PERCPU_TAGGED_TOKEN;
}

/* The first item of a list with that head, or NULL. */
static inline void *percpu_tagged_first(unsigned long head)
{
	return head & PERCPU_TAGGED_TOKEN ? NULL : (void *)head;
}

/* Out of line: retries after an abort, and everything without rseq. */
void *percpu_tagged_pop_slow(struct percpu_tagged_list *list, uint32_t link_offset);
bool percpu_tagged_push_slow(struct percpu_tagged_list *list, void *item, uint32_t link_offset,
			     unsigned long mask);

/*
 * One try each, for callers whose slow path tries again: NULL or false also if the
 * sequence was aborted or there are no restartable sequences.
 *
 * The item pushed last, its link still as it was in the list; NULL if there is none.
 */
static __always_inline void *percpu_tagged_pop_fast(struct percpu_tagged_list *list,
						    uint32_t link_offset)
{
	void *item;

	return percpu_has_sequences() && rseq_tagged_pop(list, link_offset, &item) ? item : NULL;
}

/* False unless the item's block is attached; the item's link is then undefined. */
static __always_inline bool percpu_tagged_push_fast(struct percpu_tagged_list *list, void *item,
						    uint32_t link_offset, unsigned long mask)
{
	bool pushed;

	return percpu_has_sequences() && rseq_tagged_push(list, item, link_offset, mask, &pushed) &&
	       pushed;
}

/* The same, with as many tries as it takes. */
static __always_inline void *percpu_tagged_pop(struct percpu_tagged_list *list,
					       uint32_t link_offset)
{
	void *item;

	if (percpu_has_sequences() && rseq_tagged_pop(list, link_offset, &item))
		return item;
	return percpu_tagged_pop_slow(list, link_offset);
}

static __always_inline bool percpu_tagged_push(struct percpu_tagged_list *list, void *item,
					       uint32_t link_offset, unsigned long mask)
{
	bool pushed;

	if (percpu_has_sequences() && rseq_tagged_push(list, item, link_offset, mask, &pushed))
		return pushed;
	return percpu_tagged_push_slow(list, item, link_offset, mask);
}

/*
 * The head of the calling thread's slot, which may be out of date at once, or another
 * slot's than the thread is on by now. False if it has no slot. Only what is true of a
 * block at any time may be read of it before a swap has succeeded.
 */
bool percpu_tagged_read(struct percpu_tagged_list *list, unsigned long *head);

/*
 * If the head of this thread's slot is `old` it becomes `new`; neither is
 * PERCPU_TAGGED_STOPPED, and list is not NULL. False if it is not; also if there is no
 * slot, or the sequence was aborted every time. What the caller wrote to the items of
 * `new` is seen by who finds them there, and what was written to those of `old` by the
 * caller.
 */
bool percpu_tagged_cas(struct percpu_tagged_list *list, unsigned long old, unsigned long new);

#endif
