/* SPDX-License-Identifier: MIT */
/* Lists for RCU: readers may run during a change; writers must exclude each other. */
#ifndef KERNEL_LINUX_RCULIST_H
#define KERNEL_LINUX_RCULIST_H

#include <linux/list.h>
#include <linux/rcupdate.h>

#define list_next_rcu(list) (*(struct list_head __rcu **)&(list)->next)
#define hlist_first_rcu(head) (*(struct hlist_node __rcu **)&(head)->first)
#define hlist_next_rcu(node) (*(struct hlist_node __rcu **)&(node)->next)
#define hlist_pprev_rcu(node) (*(struct hlist_node __rcu **)(node)->pprev)

static inline void INIT_LIST_HEAD_RCU(struct list_head *list)
{
	WRITE_ONCE(list->next, list);
	WRITE_ONCE(list->prev, list);
}

static inline void __list_add_rcu(struct list_head *entry, struct list_head *prev,
				  struct list_head *next)
{
	entry->next = next;
	entry->prev = prev;
	rcu_assign_pointer(prev->next, entry);
	next->prev = entry;
}

static inline void list_add_rcu(struct list_head *entry, struct list_head *head)
{
	__list_add_rcu(entry, head, head->next);
}

static inline void list_add_tail_rcu(struct list_head *entry, struct list_head *head)
{
	__list_add_rcu(entry, head->prev, head);
}

/* A reader that is at the entry can still go on. */
static inline void list_del_rcu(struct list_head *entry)
{
	__list_del_entry(entry);
	entry->prev = LIST_POISON2;
}

static inline void list_replace_rcu(struct list_head *old, struct list_head *entry)
{
	entry->next = old->next;
	entry->prev = old->prev;
	rcu_assign_pointer(entry->prev->next, entry);
	entry->next->prev = entry;
	old->prev = LIST_POISON2;
}

static inline void usermm_list_splice_rcu(struct list_head *list, struct list_head *prev,
					  struct list_head *next, void (*sync)(void))
{
	struct list_head *first = list->next, *last = list->prev;

	if (list_empty(list))
		return;
	INIT_LIST_HEAD_RCU(list);
	sync();
	last->next = next;
	rcu_assign_pointer(prev->next, first);
	first->prev = prev;
	next->prev = last;
}

static inline void list_splice_init_rcu(struct list_head *list, struct list_head *head,
					void (*sync)(void))
{
	usermm_list_splice_rcu(list, head, head->next, sync);
}

static inline void list_splice_tail_init_rcu(struct list_head *list, struct list_head *head,
					     void (*sync)(void))
{
	usermm_list_splice_rcu(list, head->prev, head, sync);
}

#define list_entry_rcu(ptr, type, member) container_of(READ_ONCE(ptr), type, member)
#define list_entry_lockless(ptr, type, member) list_entry_rcu(ptr, type, member)
#define list_first_or_null_rcu(ptr, type, member)			\
	({								\
		struct list_head *list_head_ = (ptr);			\
		struct list_head *list_next_ = READ_ONCE(list_head_->next); \
									\
		list_head_ != list_next_ ?				\
			list_entry_rcu(list_next_, type, member) : NULL; \
	})
#define list_next_or_null_rcu(head, ptr, type, member)			\
	({								\
		struct list_head *list_head_ = (head);			\
		struct list_head *list_next_ = READ_ONCE((ptr)->next);	\
									\
		list_head_ != list_next_ ?				\
			list_entry_rcu(list_next_, type, member) : NULL; \
	})
#define list_for_each_rcu(pos, head)					\
	for (pos = rcu_dereference((head)->next); pos != (head);	\
	     pos = rcu_dereference(pos->next))
/* The condition behind member, which is for lockdep, is ignored. */
#define list_for_each_entry_rcu(pos, head, member, condition...)	\
	for (pos = list_entry_rcu((head)->next, __typeof__(*pos), member); \
	     &pos->member != (head);					\
	     pos = list_entry_rcu(pos->member.next, __typeof__(*pos), member))
#define list_for_each_entry_srcu list_for_each_entry_rcu
#define list_for_each_entry_lockless list_for_each_entry_rcu
#define list_for_each_entry_continue_rcu(pos, head, member)		\
	for (pos = list_entry_rcu(pos->member.next, __typeof__(*pos), member); \
	     &pos->member != (head);					\
	     pos = list_entry_rcu(pos->member.next, __typeof__(*pos), member))
#define list_for_each_entry_from_rcu(pos, head, member)			\
	for (; &(pos)->member != (head);				\
	     pos = list_entry_rcu(pos->member.next, __typeof__(*(pos)), member))

static inline void hlist_del_rcu(struct hlist_node *node)
{
	__hlist_del(node);
	WRITE_ONCE(node->pprev, LIST_POISON2);
}

static inline void hlist_del_init_rcu(struct hlist_node *node)
{
	if (!hlist_unhashed(node)) {
		__hlist_del(node);
		WRITE_ONCE(node->pprev, NULL);
	}
}

static inline void hlist_replace_rcu(struct hlist_node *old, struct hlist_node *node)
{
	node->next = old->next;
	WRITE_ONCE(node->pprev, old->pprev);
	rcu_assign_pointer(*node->pprev, node);
	if (node->next)
		WRITE_ONCE(node->next->pprev, &node->next);
	WRITE_ONCE(old->pprev, LIST_POISON2);
}

static inline void hlist_add_head_rcu(struct hlist_node *node, struct hlist_head *head)
{
	struct hlist_node *first = head->first;

	node->next = first;
	WRITE_ONCE(node->pprev, &head->first);
	rcu_assign_pointer(head->first, node);
	if (first)
		WRITE_ONCE(first->pprev, &node->next);
}

static inline void hlist_add_before_rcu(struct hlist_node *node, struct hlist_node *next)
{
	WRITE_ONCE(node->pprev, next->pprev);
	node->next = next;
	rcu_assign_pointer(*node->pprev, node);
	WRITE_ONCE(next->pprev, &node->next);
}

static inline void hlist_add_behind_rcu(struct hlist_node *node, struct hlist_node *prev)
{
	node->next = prev->next;
	WRITE_ONCE(node->pprev, &prev->next);
	rcu_assign_pointer(prev->next, node);
	if (node->next)
		WRITE_ONCE(node->next->pprev, &node->next);
}

static inline void hlist_add_tail_rcu(struct hlist_node *node, struct hlist_head *head)
{
	struct hlist_node *last = head->first;

	if (!last) {
		hlist_add_head_rcu(node, head);
		return;
	}
	while (last->next)
		last = last->next;
	hlist_add_behind_rcu(node, last);
}

#define hlist_for_each_entry_rcu(pos, head, member, condition...)	\
	for (pos = hlist_entry_safe(rcu_dereference((head)->first), __typeof__(*(pos)), member); \
	     pos;							\
	     pos = hlist_entry_safe(rcu_dereference((pos)->member.next), \
				    __typeof__(*(pos)), member))
#define hlist_for_each_entry_rcu_bh hlist_for_each_entry_rcu
#define hlist_for_each_entry_rcu_notrace hlist_for_each_entry_rcu
#define hlist_for_each_entry_srcu hlist_for_each_entry_rcu
#define hlist_for_each_entry_continue_rcu(pos, member)			\
	for (pos = hlist_entry_safe(rcu_dereference((pos)->member.next), \
				    __typeof__(*(pos)), member);	\
	     pos;							\
	     pos = hlist_entry_safe(rcu_dereference((pos)->member.next), \
				    __typeof__(*(pos)), member))
#define hlist_for_each_entry_from_rcu(pos, member)			\
	for (; pos;							\
	     pos = hlist_entry_safe(rcu_dereference((pos)->member.next), \
				    __typeof__(*(pos)), member))

#endif
