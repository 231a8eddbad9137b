/* SPDX-License-Identifier: MIT */
/* Nodes in the order of their times. The caller excludes others. */
#ifndef _LINUX_TIMERQUEUE_H
#define _LINUX_TIMERQUEUE_H

#include <linux/ktime.h>
#include <linux/rbtree.h>

struct timerqueue_node {
	struct rb_node node;
	ktime_t expires;
};

struct timerqueue_head {
	struct rb_root_cached rb_root;
};

static inline bool usermm_timerqueue_less(struct rb_node *a, const struct rb_node *b)
{
	return rb_entry(a, struct timerqueue_node, node)->expires <
	       rb_entry(b, struct timerqueue_node, node)->expires;
}

static inline void timerqueue_init_head(struct timerqueue_head *head)
{
	head->rb_root = RB_ROOT_CACHED;
}

static inline void timerqueue_init(struct timerqueue_node *node)
{
	RB_CLEAR_NODE(&node->node);
}

static inline bool timerqueue_node_queued(struct timerqueue_node *node)
{
	return !RB_EMPTY_NODE(&node->node);
}

/* True if node is now the first. Nodes of one time keep the order of their calls. */
static inline bool timerqueue_add(struct timerqueue_head *head, struct timerqueue_node *node)
{
	WARN_ON_ONCE(timerqueue_node_queued(node));
	return rb_add_cached(&node->node, &head->rb_root, usermm_timerqueue_less);
}

/* True if nodes are left. */
static inline bool timerqueue_del(struct timerqueue_head *head, struct timerqueue_node *node)
{
	WARN_ON_ONCE(!timerqueue_node_queued(node));
	rb_erase_cached(&node->node, &head->rb_root);
	RB_CLEAR_NODE(&node->node);
	return !RB_EMPTY_ROOT(&head->rb_root.rb_root);
}

/* The first node, which stays; NULL: there is none. */
static inline struct timerqueue_node *timerqueue_getnext(struct timerqueue_head *head)
{
	return rb_entry_safe(rb_first_cached(&head->rb_root), struct timerqueue_node, node);
}

/* The node behind node, or NULL. */
static inline struct timerqueue_node *timerqueue_iterate_next(struct timerqueue_node *node)
{
	return node ? rb_entry_safe(rb_next(&node->node), struct timerqueue_node, node) : NULL;
}

#endif
