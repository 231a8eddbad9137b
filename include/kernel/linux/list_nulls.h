/* SPDX-License-Identifier: MIT */
/*
 * Lists whose end identifies the list: instead of NULL the end is a number with bit 0 set. By this
 * number a lockless reader notices that an object was moved to another list meanwhile.
 */
#ifndef _LINUX_LIST_NULLS_H
#define _LINUX_LIST_NULLS_H

#include <linux/compiler.h>
#include <linux/container_of.h>
#include <linux/poison.h>

struct hlist_nulls_node {
	struct hlist_nulls_node *next, **pprev;
};

struct hlist_nulls_head {
	struct hlist_nulls_node *first;
};

#define NULLS_MARKER(value) (1UL | (((long)value) << 1))
#define INIT_HLIST_NULLS_HEAD(ptr, nulls) \
	((ptr)->first = (struct hlist_nulls_node *)NULLS_MARKER(nulls))
#define hlist_nulls_entry(ptr, type, member) container_of(ptr, type, member)
#define hlist_nulls_entry_safe(ptr, type, member)			\
	({								\
		__typeof__(ptr) nulls_ptr_ = (ptr);			\
									\
		is_a_nulls(nulls_ptr_) ? NULL :				\
			hlist_nulls_entry(nulls_ptr_, type, member);	\
	})

static inline int is_a_nulls(const struct hlist_nulls_node *ptr)
{
	return (unsigned long)ptr & 1;
}

static inline unsigned long get_nulls_value(const struct hlist_nulls_node *ptr)
{
	return (unsigned long)ptr >> 1;
}

static inline int hlist_nulls_unhashed(const struct hlist_nulls_node *node)
{
	return !node->pprev;
}

static inline int hlist_nulls_unhashed_lockless(const struct hlist_nulls_node *node)
{
	return !READ_ONCE(node->pprev);
}

static inline int hlist_nulls_empty(const struct hlist_nulls_head *head)
{
	return is_a_nulls(READ_ONCE(head->first));
}

static inline void hlist_nulls_add_head(struct hlist_nulls_node *node,
					struct hlist_nulls_head *head)
{
	struct hlist_nulls_node *first = head->first;

	node->next = first;
	WRITE_ONCE(node->pprev, &head->first);
	head->first = node;
	if (!is_a_nulls(first))
		WRITE_ONCE(first->pprev, &node->next);
}

static inline void __hlist_nulls_del(struct hlist_nulls_node *node)
{
	struct hlist_nulls_node *next = node->next, **pprev = node->pprev;

	WRITE_ONCE(*pprev, next);
	if (!is_a_nulls(next))
		WRITE_ONCE(next->pprev, pprev);
}

static inline void hlist_nulls_del(struct hlist_nulls_node *node)
{
	__hlist_nulls_del(node);
	WRITE_ONCE(node->pprev, LIST_POISON2);
}

#define hlist_nulls_for_each_entry(tpos, pos, head, member)		\
	for (pos = (head)->first;					\
	     !is_a_nulls(pos) &&					\
		({ tpos = hlist_nulls_entry(pos, __typeof__(*tpos), member); 1; }); \
	     pos = pos->next)
#define hlist_nulls_for_each_entry_from(tpos, pos, member)		\
	for (; !is_a_nulls(pos) &&					\
		({ tpos = hlist_nulls_entry(pos, __typeof__(*tpos), member); 1; }); \
	     pos = pos->next)

#endif
