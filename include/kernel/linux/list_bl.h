/* SPDX-License-Identifier: MIT */
/* Lists whose head has a lock in its lowest bit. */
#ifndef _LINUX_LIST_BL_H
#define _LINUX_LIST_BL_H

#include <linux/bit_spinlock.h>
#include <linux/list.h>

#define LIST_BL_LOCKMASK 1UL

struct hlist_bl_head {
	struct hlist_bl_node *first;
};

struct hlist_bl_node {
	struct hlist_bl_node *next, **pprev;
};

#define INIT_HLIST_BL_HEAD(head) ((void)((head)->first = NULL))
#define hlist_bl_entry(pointer, type, member) container_of(pointer, type, member)

static inline void INIT_HLIST_BL_NODE(struct hlist_bl_node *node)
{
	node->next = NULL;
	node->pprev = NULL;
}

static inline bool hlist_bl_unhashed(const struct hlist_bl_node *node)
{
	return !node->pprev;
}

static inline struct hlist_bl_node *hlist_bl_first(struct hlist_bl_head *head)
{
	return (struct hlist_bl_node *)((unsigned long)head->first & ~LIST_BL_LOCKMASK);
}

static inline bool hlist_bl_empty(const struct hlist_bl_head *head)
{
	return !((unsigned long)READ_ONCE(head->first) & ~LIST_BL_LOCKMASK);
}

/* The head's lock is held, here and below: its bit stays. */
static inline void hlist_bl_add_head(struct hlist_bl_node *node, struct hlist_bl_head *head)
{
	struct hlist_bl_node *first = hlist_bl_first(head);

	node->next = first;
	if (first)
		first->pprev = &node->next;
	node->pprev = &head->first;
	head->first = (struct hlist_bl_node *)((unsigned long)node | LIST_BL_LOCKMASK);
}

static inline void __hlist_bl_del(struct hlist_bl_node *node)
{
	struct hlist_bl_node *next = node->next, **link = node->pprev;

	WRITE_ONCE(*link, (struct hlist_bl_node *)((unsigned long)next |
						   ((unsigned long)*link & LIST_BL_LOCKMASK)));
	if (next)
		next->pprev = link;
}

static inline void hlist_bl_del(struct hlist_bl_node *node)
{
	__hlist_bl_del(node);
	node->next = LIST_POISON1;
	node->pprev = LIST_POISON2;
}

static inline void hlist_bl_del_init(struct hlist_bl_node *node)
{
	if (hlist_bl_unhashed(node))
		return;
	__hlist_bl_del(node);
	INIT_HLIST_BL_NODE(node);
}

static inline void hlist_bl_lock(struct hlist_bl_head *head)
{
	bit_spin_lock(0, (unsigned long *)head);
}

static inline void hlist_bl_unlock(struct hlist_bl_head *head)
{
	bit_spin_unlock(0, (unsigned long *)head);
}

static inline bool hlist_bl_is_locked(struct hlist_bl_head *head)
{
	return bit_spin_is_locked(0, (unsigned long *)head);
}

#define hlist_bl_for_each_entry(entry, node, head, member)			\
	for (node = hlist_bl_first(head);					\
	     node && ((entry) = hlist_bl_entry(node, __typeof__(*(entry)), member), 1); \
	     node = (node)->next)
#define hlist_bl_for_each_entry_safe(entry, node, other, head, member)		\
	for (node = hlist_bl_first(head);					\
	     node && (other = (node)->next, 1) &&				\
	     ((entry) = hlist_bl_entry(node, __typeof__(*(entry)), member), 1); \
	     node = other)

#endif
