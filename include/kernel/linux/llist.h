/* SPDX-License-Identifier: MIT */
/*
 * Singly linked lists without locks. Anybody may add at the front, or take all entries. Only one
 * thread at a time may take the first entry alone.
 */
#ifndef KERNEL_LINUX_LLIST_H
#define KERNEL_LINUX_LLIST_H

#include <asm/atomic.h>
#include <linux/atomic.h>
#include <linux/container_of.h>
#include <linux/types.h>

struct llist_node {
	struct llist_node *next;
};

struct llist_head {
	struct llist_node *first;
};

#define LLIST_HEAD_INIT(name) { NULL }
#define LLIST_HEAD(name) struct llist_head name = LLIST_HEAD_INIT(name)

static inline void init_llist_head(struct llist_head *list)
{
	list->first = NULL;
}

/* Makes the node point at itself, which says that it is on no list. */
static inline void init_llist_node(struct llist_node *node)
{
	WRITE_ONCE(node->next, node);
}

static inline bool llist_on_list(const struct llist_node *node)
{
	return READ_ONCE(node->next) != node;
}

static inline bool llist_empty(const struct llist_head *head)
{
	return !READ_ONCE(head->first);
}

static inline struct llist_node *llist_next(struct llist_node *node)
{
	return READ_ONCE(node->next);
}

/* Adds the chain first .. last. True if the list was empty. */
static inline bool llist_add_batch(struct llist_node *first, struct llist_node *last,
				   struct llist_head *head)
{
	struct llist_node *old = READ_ONCE(head->first);

	do {
		last->next = old;
	} while (!try_cmpxchg(&head->first, &old, first));
	return !old;
}

static inline bool __llist_add_batch(struct llist_node *first, struct llist_node *last,
				     struct llist_head *head)
{
	last->next = head->first;
	head->first = first;
	return !last->next;
}

static inline bool llist_add(struct llist_node *node, struct llist_head *head)
{
	return llist_add_batch(node, node, head);
}

static inline bool __llist_add(struct llist_node *node, struct llist_head *head)
{
	return __llist_add_batch(node, node, head);
}

static inline struct llist_node *llist_del_all(struct llist_head *head)
{
	return xchg(&head->first, NULL);
}

static inline struct llist_node *__llist_del_all(struct llist_head *head)
{
	struct llist_node *first = head->first;

	head->first = NULL;
	return first;
}

static inline struct llist_node *llist_del_first(struct llist_head *head)
{
	struct llist_node *first = smp_load_acquire(&head->first);

	do {
		if (!first)
			return NULL;
	} while (!try_cmpxchg(&head->first, &first, READ_ONCE(first->next)));
	return first;
}

static inline struct llist_node *llist_reverse_order(struct llist_node *node)
{
	struct llist_node *reversed = NULL;

	while (node) {
		struct llist_node *next = node->next;

		node->next = reversed;
		reversed = node;
		node = next;
	}
	return reversed;
}

#define llist_entry(ptr, type, member) container_of(ptr, type, member)
#define llist_entry_or_null_(ptr, type, member)				\
	({								\
		struct llist_node *llist_ptr_ = (ptr);			\
									\
		llist_ptr_ ? llist_entry(llist_ptr_, type, member) : NULL; \
	})
#define llist_for_each(pos, node) for ((pos) = (node); pos; (pos) = (pos)->next)
#define llist_for_each_safe(pos, n, node) \
	for ((pos) = (node); (pos) && ((n) = (pos)->next, true); (pos) = (n))
#define llist_for_each_entry(pos, node, member)				\
	for ((pos) = llist_entry_or_null_(node, __typeof__(*(pos)), member); pos; \
	     (pos) = llist_entry_or_null_((pos)->member.next, __typeof__(*(pos)), member))
#define llist_for_each_entry_safe(pos, n, node, member)			\
	for ((pos) = llist_entry_or_null_(node, __typeof__(*(pos)), member); \
	     (pos) && ((n) = llist_entry_or_null_((pos)->member.next,	\
						  __typeof__(*(n)), member), true); \
	     (pos) = (n))

#endif
