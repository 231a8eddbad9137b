/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_INTERVAL_TREE_GENERIC_H
#define KERNEL_LINUX_INTERVAL_TREE_GENERIC_H

#include <linux/rbtree_augmented.h>

/*
 * Functions of a tree of intervals, by their own type. The tree is ordered by where intervals begin
 * and each node knows the last end below it (subtree). _iter_first() and _iter_next() go through
 * the nodes that overlap first to last, both included.
 */
#define INTERVAL_TREE_DEFINE(type, node, number, subtree, begin, end, how, prefix)	\
static inline bool prefix##_compute_last(type *at, bool exit)			\
{										\
	number most = end(at);							\
										\
	if (at->node.rb_left)							\
		most = max(most, rb_entry(at->node.rb_left, type, node)->subtree); \
	if (at->node.rb_right)							\
		most = max(most, rb_entry(at->node.rb_right, type, node)->subtree); \
	if (exit && at->subtree == most)					\
		return true;							\
	at->subtree = most;							\
	return false;								\
}										\
RB_DECLARE_CALLBACKS(static, prefix##_augment, type, node, subtree,		\
		     prefix##_compute_last)					\
how __maybe_unused void prefix##_insert(type *added, struct rb_root_cached *root) \
{										\
	struct rb_node **link = &root->rb_root.rb_node, *parent = NULL;		\
	bool leftmost = true;							\
										\
	while (*link) {								\
		type *above = rb_entry(*link, type, node);			\
										\
		parent = *link;							\
		if (above->subtree < end(added))				\
			above->subtree = end(added);				\
		if (begin(added) < begin(above)) {				\
			link = &above->node.rb_left;				\
		} else {							\
			link = &above->node.rb_right;				\
			leftmost = false;					\
		}								\
	}									\
	added->subtree = end(added);						\
	rb_link_node(&added->node, parent, link);				\
	rb_insert_augmented_cached(&added->node, root, leftmost, &prefix##_augment); \
}										\
how __maybe_unused void prefix##_remove(type *gone, struct rb_root_cached *root) \
{										\
	rb_erase_augmented_cached(&gone->node, root, &prefix##_augment);	\
}										\
/* The first one at or below a node, of which something reaches to `first`. */	\
static inline type *prefix##_subtree_search(struct rb_node *from, number first, number last) \
{										\
	while (from) {								\
		type *at = rb_entry(from, type, node);				\
										\
		if (from->rb_left &&						\
		    rb_entry(from->rb_left, type, node)->subtree >= first) {	\
			from = from->rb_left;					\
			continue;						\
		}								\
		if (begin(at) > last)						\
			return NULL;						\
		if (end(at) >= first)						\
			return at;						\
		from = from->rb_right;						\
		if (from && rb_entry(from, type, node)->subtree < first)		\
			return NULL;						\
	}									\
	return NULL;								\
}										\
how __maybe_unused type *prefix##_iter_first(struct rb_root_cached *root, number first, \
					     number last)			\
{										\
	return prefix##_subtree_search(root->rb_root.rb_node, first, last);	\
}										\
how __maybe_unused type *prefix##_iter_next(type *at, number first, number last) \
{										\
	struct rb_node *right = at->node.rb_right, *below;			\
										\
	for (;;) {								\
		type *found;							\
										\
		if (right && rb_entry(right, type, node)->subtree >= first) {	\
			found = prefix##_subtree_search(right, first, last);	\
			return found;						\
		}								\
		do {								\
			struct rb_node *up = rb_parent(&at->node);		\
										\
			if (!up)						\
				return NULL;					\
			below = &at->node;					\
			at = rb_entry(up, type, node);				\
			right = at->node.rb_right;				\
		} while (below == right);					\
		if (begin(at) > last)						\
			return NULL;						\
		if (end(at) >= first)						\
			return at;						\
	}									\
}

#endif
