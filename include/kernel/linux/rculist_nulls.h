/* SPDX-License-Identifier: MIT */
/* The lists of list_nulls.h for RCU. */
#ifndef _LINUX_RCULIST_NULLS_H
#define _LINUX_RCULIST_NULLS_H

#include <linux/list_nulls.h>
#include <linux/rcupdate.h>

#define hlist_nulls_first_rcu(head) (*(struct hlist_nulls_node __rcu **)&(head)->first)
#define hlist_nulls_next_rcu(node) (*(struct hlist_nulls_node __rcu **)&(node)->next)
#define hlist_nulls_pprev_rcu(node) (*(struct hlist_nulls_node __rcu **)(node)->pprev)

/* A reader that is at the node can still go on. Writers see that the node is on no list. */
static inline void hlist_nulls_del_init_rcu(struct hlist_nulls_node *node)
{
	if (hlist_nulls_unhashed(node))
		return;
	__hlist_nulls_del(node);
	WRITE_ONCE(node->pprev, NULL);
}

static inline void hlist_nulls_del_rcu(struct hlist_nulls_node *node)
{
	hlist_nulls_del(node);
}

static inline void hlist_nulls_add_head_rcu(struct hlist_nulls_node *node,
					    struct hlist_nulls_head *head)
{
	struct hlist_nulls_node *first = head->first;

	WRITE_ONCE(node->next, first);
	WRITE_ONCE(node->pprev, &head->first);
	rcu_assign_pointer(hlist_nulls_first_rcu(head), node);
	if (!is_a_nulls(first))
		WRITE_ONCE(first->pprev, &node->next);
}

static inline void hlist_nulls_add_tail_rcu(struct hlist_nulls_node *node,
					    struct hlist_nulls_head *head)
{
	struct hlist_nulls_node *last = head->first;

	if (is_a_nulls(last)) {
		hlist_nulls_add_head_rcu(node, head);
		return;
	}
	while (!is_a_nulls(last->next))
		last = last->next;
	WRITE_ONCE(node->next, last->next);
	WRITE_ONCE(node->pprev, &last->next);
	rcu_assign_pointer(hlist_nulls_next_rcu(last), node);
}

/* Makes the node look as if it were on a list of its own, so that it can be deleted. */
static inline void hlist_nulls_add_fake(struct hlist_nulls_node *node)
{
	node->pprev = &node->next;
	node->next = (struct hlist_nulls_node *)NULLS_MARKER(NULL);
}

#define hlist_nulls_for_each_entry_rcu(tpos, pos, head, member)		\
	for (pos = rcu_dereference_raw(hlist_nulls_first_rcu(head));	\
	     !is_a_nulls(pos) &&					\
		({ tpos = hlist_nulls_entry(pos, __typeof__(*tpos), member); 1; }); \
	     pos = rcu_dereference_raw(hlist_nulls_next_rcu(pos)))
#define hlist_nulls_for_each_entry_safe(tpos, pos, head, member)	\
	for (pos = rcu_dereference_raw(hlist_nulls_first_rcu(head));	\
	     !is_a_nulls(pos) &&					\
		({ tpos = hlist_nulls_entry(pos, __typeof__(*tpos), member); \
		   pos = rcu_dereference_raw(hlist_nulls_next_rcu(pos)); 1; });)

#endif
