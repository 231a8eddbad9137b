/* SPDX-License-Identifier: MIT */
/*
 * A per-CPU list of the free items of one block. The head names the block even when no item is
 * left. So a slot needs no second word for the block, and head and block cannot disagree. (cf.
 * Linux's SLUB, whose CPUs keep the slab beside its freelist.)
 *
 *	head	0		the slot has no block
 *		address | 1	a token: the block that the address lies in, no item left
 *		else		the first item
 *
 * Each item holds the rest of the list, which is a head again, in the word at `link_offset`. The
 * last item's rest is a token of the block. So pop and push never make a head 0, and one comparison
 * finds out whether a head has no item, be it 0 or a token.
 *
 * A block has mask + 1 bytes, a power of two, and is aligned to its size. All blocks that one list
 * gets are alike in this. Push accepts any item of the attached block, also the one at the block's
 * first byte. Slow paths attach and detach blocks by percpu_tagged_cas().
 *
 * Who may touch what. Head and links belong to the thread that is on the slot, as with every stack
 * of this layer (percpu.h). Pop stores only to the head. Push stores to its item's link, then to
 * the head.
 *
 * - If a thread is moved inside pop or push, the sequence starts again on the thread's new slot. A
 *   head that changed and changed back (ABA) cannot go unnoticed: nobody else works on the slot
 *   unless the sequence is aborted. Without sequences the transaction number beside the head
 *   reveals this (cas_list.h), wherever the thread is.
 * - If a thread is moved between percpu_tagged_read() and percpu_tagged_cas(), the swap compares
 *   with the head of the slot where the thread is then. If they are equal, this is the head now. It
 *   does not mean that nothing happened: the item's link may have changed, and the block may have
 *   been detached and attached again. So a caller never computes a new head from the links that it
 *   read before the swap. After the swap the list on the old head belongs to the caller, who may
 *   then look at it. If the old head is 0, any slot will do: the block goes to a slot that has
 *   none.
 * - While another thread stops the list (remote.h), the head is PERCPU_TAGGED_STOPPED, a token of
 *   no block. So pop finds no item, and push finds another block. No swap expects or stores this
 *   value, and no link holds it.
 */
#ifndef PERCPU_TAGGED_LIST_H
#define PERCPU_TAGGED_LIST_H

#include "percpu/percpu.h"

#define PERCPU_TAGGED_TOKEN 1UL
#define PERCPU_TAGGED_STOPPED PERCPU_TAGGED_TOKEN

/* The token that ends the list of the block that the address lies in. */
static inline unsigned long percpu_tagged_token(const void *address)
{
	return (unsigned long)address | PERCPU_TAGGED_TOKEN;
}

/* The first item of a list with that head, or NULL. */
static inline void *percpu_tagged_first(unsigned long head)
{
	return head & PERCPU_TAGGED_TOKEN ? NULL : (void *)head;
}

/* Out of line: tries again after an abort, or works without rseq. */
void *percpu_tagged_pop_slow(struct percpu_tagged_list *list, uint32_t link_offset);
bool percpu_tagged_push_slow(struct percpu_tagged_list *list, void *item, uint32_t link_offset,
			     unsigned long mask);

/*
 * One try each, for callers whose slow path tries again. NULL or false may also mean that the
 * sequence was aborted, or that there are no restartable sequences.
 *
 * The item pushed last, or NULL. The item's link still holds what it held in the list.
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

/* As above, with up to PERCPU_MAX_ABORTS further tries. */
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
 * The head of the calling thread's slot; false if it has no slot. The head may be out of date at
 * once, and the thread may be on another slot. Until a swap has succeeded, the caller may read only
 * what never changes about a block.
 */
bool percpu_tagged_read(struct percpu_tagged_list *list, unsigned long *head);

/*
 * If the head of the calling thread's slot is `old`, it becomes `new`. Neither may be
 * PERCPU_TAGGED_STOPPED, and list may not be NULL. False if the head is another, if there is no
 * slot, or if the sequence was aborted every time. Whoever finds the items of `new` there sees what
 * the caller wrote to them. The caller sees what others wrote to the items of `old`.
 */
bool percpu_tagged_cas(struct percpu_tagged_list *list, unsigned long old, unsigned long new);

#endif
