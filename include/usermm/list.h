/* SPDX-License-Identifier: MIT */
/*
 * Circular doubly linked lists, with Linux's names (include/linux/list.h).
 *
 * None of these functions locks: the caller owns the list. A list is its head;
 * an empty head points at itself.
 */
#ifndef USERMM_LIST_H
#define USERMM_LIST_H

#include <stdbool.h>
#include <stddef.h>

struct list_head {
	struct list_head *next, *prev;
};

#define LIST_HEAD_INIT(name) { &(name), &(name) }
#define LIST_HEAD(name) struct list_head name = LIST_HEAD_INIT(name)

static inline void INIT_LIST_HEAD(struct list_head *list)
{
	list->next = list;
	list->prev = list;
}

static inline int list_empty(const struct list_head *head)
{
	return head->next == head;
}

static inline void usermm_list_insert(struct list_head *entry,
				      struct list_head *prev,
				      struct list_head *next)
{
	entry->prev = prev;
	entry->next = next;
	prev->next = entry;
	next->prev = entry;
}

/* Adds the entry as the first one. */
static inline void list_add(struct list_head *entry, struct list_head *head)
{
	usermm_list_insert(entry, head, head->next);
}

/* Adds the entry as the last one. */
static inline void list_add_tail(struct list_head *entry, struct list_head *head)
{
	usermm_list_insert(entry, head->prev, head);
}

/* Leaves the entry's own links unchanged, so list_empty() of the entry has no meaning after it. */
static inline void list_del(struct list_head *entry)
{
	entry->prev->next = entry->next;
	entry->next->prev = entry->prev;
}

static inline void list_del_init(struct list_head *entry)
{
	list_del(entry);
	INIT_LIST_HEAD(entry);
}

static inline void list_move(struct list_head *entry, struct list_head *head)
{
	list_del(entry);
	list_add(entry, head);
}

static inline void list_move_tail(struct list_head *entry, struct list_head *head)
{
	list_del(entry);
	list_add_tail(entry, head);
}

#define list_entry(ptr, type, member) \
	((type *)((char *)(ptr) - offsetof(type, member)))
#define list_first_entry(head, type, member) \
	list_entry((head)->next, type, member)
#define list_last_entry(head, type, member) \
	list_entry((head)->prev, type, member)
#define list_next_entry(pos, member) \
	list_entry((pos)->member.next, __typeof__(*(pos)), member)

/* Compares addresses only: at the end of a walk pos is not an entry, but the head. */
#define list_entry_is_head(pos, head, member) \
	((char *)(pos) + offsetof(__typeof__(*(pos)), member) == (char *)(head))

#define list_for_each_entry(pos, head, member)				\
	for (pos = list_first_entry(head, __typeof__(*pos), member);	\
	     !list_entry_is_head(pos, head, member);			\
	     pos = list_next_entry(pos, member))

/* The body may take pos off the list. */
#define list_for_each_entry_safe(pos, n, head, member)				\
	for (pos = list_first_entry(head, __typeof__(*pos), member);		\
	     !list_entry_is_head(pos, head, member) &&				\
	     (n = list_next_entry(pos, member), true);				\
	     pos = n)

#endif
