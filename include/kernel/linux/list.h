/* SPDX-License-Identifier: MIT */
/*
 * Doubly linked lists: the functions of usermm/list.h, and all others. An hlist is a list whose
 * head is one pointer, for tables with many heads.
 */
#ifndef KERNEL_LINUX_LIST_H
#define KERNEL_LINUX_LIST_H

#include <asm/barrier.h>
#include <linux/compiler.h>
#include <linux/container_of.h>
#include <linux/panic.h>
#include <linux/poison.h>
#include <linux/printk.h>
#include <linux/types.h>
#include <usermm/list.h>

#define __list_add(entry, prev, next) usermm_list_insert(entry, prev, next)

static inline void __list_del(struct list_head *prev, struct list_head *next)
{
	next->prev = prev;
	WRITE_ONCE(prev->next, next);
}

static inline void __list_del_entry(struct list_head *entry)
{
	__list_del(entry->prev, entry->next);
}

/* As in the kernel, following the links of a deleted entry faults. */
static inline void usermm_list_del_poison(struct list_head *entry)
{
	__list_del_entry(entry);
	entry->next = LIST_POISON1;
	entry->prev = LIST_POISON2;
}

#define list_del(entry) usermm_list_del_poison(entry)

static inline void list_replace(struct list_head *old, struct list_head *entry)
{
	entry->next = old->next;
	entry->next->prev = entry;
	entry->prev = old->prev;
	entry->prev->next = entry;
}

static inline void list_replace_init(struct list_head *old, struct list_head *entry)
{
	list_replace(old, entry);
	INIT_LIST_HEAD(old);
}

static inline void list_swap(struct list_head *a, struct list_head *b)
{
	struct list_head *before = b->prev;

	__list_del_entry(b);
	list_replace(a, b);
	if (before == a)
		before = b;
	list_add(a, before);
}

/* Moves the adjacent entries first .. last to the end of head's list. */
static inline void list_bulk_move_tail(struct list_head *head, struct list_head *first,
				       struct list_head *last)
{
	first->prev->next = last->next;
	last->next->prev = first->prev;
	head->prev->next = first;
	first->prev = head->prev;
	last->next = head;
	head->prev = last;
}

static inline int list_is_first(const struct list_head *entry, const struct list_head *head)
{
	return entry->prev == head;
}

static inline int list_is_last(const struct list_head *entry, const struct list_head *head)
{
	return entry->next == head;
}

static inline int list_is_head(const struct list_head *entry, const struct list_head *head)
{
	return entry == head;
}

static inline int list_is_singular(const struct list_head *head)
{
	return !list_empty(head) && head->next == head->prev;
}

/* Works even while one other CPU removes the last entry by list_del_init_careful(). */
static inline int list_empty_careful(const struct list_head *head)
{
	struct list_head *next = __atomic_load_n(&head->next, __ATOMIC_ACQUIRE);

	return next == head && next == READ_ONCE(head->prev);
}

static inline void list_del_init_careful(struct list_head *entry)
{
	__list_del_entry(entry);
	WRITE_ONCE(entry->prev, entry);
	__atomic_store_n(&entry->next, entry, __ATOMIC_RELEASE);
}

static inline void list_rotate_left(struct list_head *head)
{
	if (!list_empty(head))
		list_move_tail(head->next, head);
}

static inline void list_rotate_to_front(struct list_head *entry, struct list_head *head)
{
	list_move_tail(head, entry);
}

/* Moves the entries of list, which is not empty, between prev and next. */
static inline void __list_splice(const struct list_head *list, struct list_head *prev,
				 struct list_head *next)
{
	struct list_head *first = list->next, *last = list->prev;

	first->prev = prev;
	prev->next = first;
	last->next = next;
	next->prev = last;
}

static inline void list_splice(const struct list_head *list, struct list_head *head)
{
	if (!list_empty(list))
		__list_splice(list, head, head->next);
}

static inline void list_splice_tail(struct list_head *list, struct list_head *head)
{
	if (!list_empty(list))
		__list_splice(list, head->prev, head);
}

static inline void list_splice_init(struct list_head *list, struct list_head *head)
{
	list_splice(list, head);
	INIT_LIST_HEAD(list);
}

static inline void list_splice_tail_init(struct list_head *list, struct list_head *head)
{
	list_splice_tail(list, head);
	INIT_LIST_HEAD(list);
}

/* Moves all entries before `entry` to list. */
static inline void list_cut_before(struct list_head *list, struct list_head *head,
				   struct list_head *entry)
{
	if (head->next == entry) {
		INIT_LIST_HEAD(list);
		return;
	}
	list->next = head->next;
	list->next->prev = list;
	list->prev = entry->prev;
	list->prev->next = list;
	head->next = entry;
	entry->prev = head;
}

/* Moves all entries up to and including `entry` to list. If entry is the head, moves none. */
static inline void list_cut_position(struct list_head *list, struct list_head *head,
				     struct list_head *entry)
{
	if (list_empty(head))
		return;
	if (list_is_singular(head) && !list_is_head(entry, head) && entry != head->next)
		return;
	if (list_is_head(entry, head))
		INIT_LIST_HEAD(list);
	else
		list_cut_before(list, head, entry->next);
}

#define list_prev_entry(pos, member) \
	list_entry((pos)->member.prev, __typeof__(*(pos)), member)
#define list_first_entry_or_null(ptr, type, member)			\
	({								\
		struct list_head *list_head_ = (ptr);			\
		struct list_head *list_first_ = READ_ONCE(list_head_->next); \
									\
		list_first_ != list_head_ ?				\
			list_entry(list_first_, type, member) : NULL;	\
	})
#define list_last_entry_or_null(ptr, type, member)			\
	({								\
		struct list_head *list_head_ = (ptr);			\
		struct list_head *list_last_ = READ_ONCE(list_head_->prev); \
									\
		list_last_ != list_head_ ?				\
			list_entry(list_last_, type, member) : NULL;	\
	})
#define list_next_entry_circular(pos, head, member)			\
	(list_is_last(&(pos)->member, head) ?				\
	 list_first_entry(head, __typeof__(*(pos)), member) : list_next_entry(pos, member))
#define list_prev_entry_circular(pos, head, member)			\
	(list_is_first(&(pos)->member, head) ?				\
	 list_last_entry(head, __typeof__(*(pos)), member) : list_prev_entry(pos, member))

#define list_for_each(pos, head) \
	for (pos = (head)->next; pos != (head); pos = pos->next)
#define list_for_each_continue(pos, head) \
	for (pos = pos->next; pos != (head); pos = pos->next)
#define list_for_each_prev(pos, head) \
	for (pos = (head)->prev; pos != (head); pos = pos->prev)
#define list_for_each_safe(pos, n, head) \
	for (pos = (head)->next, n = pos->next; pos != (head); pos = n, n = pos->next)
#define list_for_each_prev_safe(pos, n, head) \
	for (pos = (head)->prev, n = pos->prev; pos != (head); pos = n, n = pos->prev)

static inline size_t list_count_nodes(struct list_head *head)
{
	struct list_head *pos;
	size_t count = 0;

	list_for_each(pos, head)
		count++;
	return count;
}

#define list_for_each_entry_reverse(pos, head, member)			\
	for (pos = list_last_entry(head, __typeof__(*pos), member);	\
	     !list_entry_is_head(pos, head, member);			\
	     pos = list_prev_entry(pos, member))
#define list_prepare_entry(pos, head, member) \
	((pos) ? (pos) : list_entry(head, __typeof__(*pos), member))
#define list_for_each_entry_continue(pos, head, member)			\
	for (pos = list_next_entry(pos, member);			\
	     !list_entry_is_head(pos, head, member);			\
	     pos = list_next_entry(pos, member))
#define list_for_each_entry_continue_reverse(pos, head, member)		\
	for (pos = list_prev_entry(pos, member);			\
	     !list_entry_is_head(pos, head, member);			\
	     pos = list_prev_entry(pos, member))
#define list_for_each_entry_from(pos, head, member)			\
	for (; !list_entry_is_head(pos, head, member);			\
	     pos = list_next_entry(pos, member))
#define list_for_each_entry_from_reverse(pos, head, member)		\
	for (; !list_entry_is_head(pos, head, member);			\
	     pos = list_prev_entry(pos, member))
#define list_for_each_entry_safe_continue(pos, n, head, member)		\
	for (pos = list_next_entry(pos, member), n = list_next_entry(pos, member); \
	     !list_entry_is_head(pos, head, member);			\
	     pos = n, n = list_next_entry(n, member))
#define list_for_each_entry_safe_from(pos, n, head, member)		\
	for (n = list_next_entry(pos, member);				\
	     !list_entry_is_head(pos, head, member);			\
	     pos = n, n = list_next_entry(n, member))
#define list_for_each_entry_safe_reverse(pos, n, head, member)		\
	for (pos = list_last_entry(head, __typeof__(*pos), member),	\
	     n = list_prev_entry(pos, member);				\
	     !list_entry_is_head(pos, head, member);			\
	     pos = n, n = list_prev_entry(n, member))
#define list_safe_reset_next(pos, n, member) n = list_next_entry(pos, member)

#define HLIST_HEAD_INIT { .first = NULL }
#define HLIST_HEAD(name) struct hlist_head name = HLIST_HEAD_INIT
#define INIT_HLIST_HEAD(head) ((head)->first = NULL)

static inline void INIT_HLIST_NODE(struct hlist_node *node)
{
	node->next = NULL;
	node->pprev = NULL;
}

static inline int hlist_unhashed(const struct hlist_node *node)
{
	return !node->pprev;
}

static inline int hlist_unhashed_lockless(const struct hlist_node *node)
{
	return !READ_ONCE(node->pprev);
}

static inline int hlist_empty(const struct hlist_head *head)
{
	return !READ_ONCE(head->first);
}

static inline void __hlist_del(struct hlist_node *node)
{
	struct hlist_node *next = node->next, **pprev = node->pprev;

	WRITE_ONCE(*pprev, next);
	if (next)
		WRITE_ONCE(next->pprev, pprev);
}

static inline void hlist_del(struct hlist_node *node)
{
	__hlist_del(node);
	node->next = LIST_POISON1;
	node->pprev = LIST_POISON2;
}

static inline void hlist_del_init(struct hlist_node *node)
{
	if (!hlist_unhashed(node)) {
		__hlist_del(node);
		INIT_HLIST_NODE(node);
	}
}

static inline void hlist_add_head(struct hlist_node *node, struct hlist_head *head)
{
	struct hlist_node *first = head->first;

	WRITE_ONCE(node->next, first);
	if (first)
		WRITE_ONCE(first->pprev, &node->next);
	WRITE_ONCE(head->first, node);
	WRITE_ONCE(node->pprev, &head->first);
}

static inline void hlist_add_before(struct hlist_node *node, struct hlist_node *next)
{
	WRITE_ONCE(node->pprev, next->pprev);
	WRITE_ONCE(node->next, next);
	WRITE_ONCE(next->pprev, &node->next);
	WRITE_ONCE(*node->pprev, node);
}

static inline void hlist_add_behind(struct hlist_node *node, struct hlist_node *prev)
{
	WRITE_ONCE(node->next, prev->next);
	WRITE_ONCE(prev->next, node);
	WRITE_ONCE(node->pprev, &prev->next);
	if (node->next)
		WRITE_ONCE(node->next->pprev, &node->next);
}

/* Puts the node on a list of its own, so that hlist_del() works on it. */
static inline void hlist_add_fake(struct hlist_node *node)
{
	node->pprev = &node->next;
}

static inline bool hlist_fake(struct hlist_node *node)
{
	return node->pprev == &node->next;
}

static inline bool hlist_is_singular_node(struct hlist_node *node, struct hlist_head *head)
{
	return !node->next && node->pprev == &head->first;
}

static inline void hlist_move_list(struct hlist_head *old, struct hlist_head *head)
{
	head->first = old->first;
	if (head->first)
		head->first->pprev = &head->first;
	old->first = NULL;
}

/* Moves all nodes of `from`, the last of which is `last`, to the front of `to`. */
static inline void hlist_splice_init(struct hlist_head *from, struct hlist_node *last,
				     struct hlist_head *to)
{
	if (to->first)
		to->first->pprev = &last->next;
	last->next = to->first;
	to->first = from->first;
	from->first->pprev = &to->first;
	from->first = NULL;
}

#define hlist_entry(ptr, type, member) container_of(ptr, type, member)
#define hlist_entry_safe(ptr, type, member)				\
	({								\
		__typeof__(ptr) hlist_ptr_ = (ptr);			\
									\
		hlist_ptr_ ? hlist_entry(hlist_ptr_, type, member) : NULL; \
	})
#define hlist_for_each(pos, head) \
	for (pos = (head)->first; pos; pos = pos->next)
#define hlist_for_each_safe(pos, n, head) \
	for (pos = (head)->first; pos && (n = pos->next, true); pos = n)
#define hlist_for_each_entry(pos, head, member)				\
	for (pos = hlist_entry_safe((head)->first, __typeof__(*(pos)), member); pos; \
	     pos = hlist_entry_safe((pos)->member.next, __typeof__(*(pos)), member))
#define hlist_for_each_entry_continue(pos, member)			\
	for (pos = hlist_entry_safe((pos)->member.next, __typeof__(*(pos)), member); pos; \
	     pos = hlist_entry_safe((pos)->member.next, __typeof__(*(pos)), member))
#define hlist_for_each_entry_from(pos, member)				\
	for (; pos;							\
	     pos = hlist_entry_safe((pos)->member.next, __typeof__(*(pos)), member))
#define hlist_for_each_entry_safe(pos, n, head, member)			\
	for (pos = hlist_entry_safe((head)->first, __typeof__(*pos), member); \
	     pos && (n = pos->member.next, true);			\
	     pos = hlist_entry_safe(n, __typeof__(*pos), member))

static inline size_t hlist_count_nodes(struct hlist_head *head)
{
	struct hlist_node *pos;
	size_t count = 0;

	hlist_for_each(pos, head)
		count++;
	return count;
}

#endif
