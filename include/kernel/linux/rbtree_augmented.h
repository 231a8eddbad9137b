/* SPDX-License-Identifier: MIT */
/* Augmented trees: each node has a value computed from all nodes below it. */
#ifndef KERNEL_LINUX_RBTREE_AUGMENTED_H
#define KERNEL_LINUX_RBTREE_AUGMENTED_H

#include <linux/rbtree.h>

struct rb_augment_callbacks {
	/* Recomputes the values from node up to, not including, stop (or NULL: the root too). */
	void (*propagate)(struct rb_node *node, struct rb_node *stop);
	/* Copies old's value to new. */
	void (*copy)(struct rb_node *old, struct rb_node *new);
	/* new has taken old's place in the tree, and old is now its child. */
	void (*rotate)(struct rb_node *old, struct rb_node *new);
};

USERMM_BEGIN_DECLS

void usermm_rb_insert_augmented(struct rb_node *node, struct rb_root *root,
				const struct rb_augment_callbacks *augment)
	__attribute__((visibility("default")));
void usermm_rb_erase_augmented(struct rb_node *node, struct rb_root *root,
			       const struct rb_augment_callbacks *augment)
	__attribute__((visibility("default")));

USERMM_END_DECLS

#define rb_insert_augmented(node, root, augment) \
	usermm_rb_insert_augmented(node, root, augment)
#define rb_erase_augmented(node, root, augment) \
	usermm_rb_erase_augmented(node, root, augment)

static inline void rb_insert_augmented_cached(struct rb_node *node, struct rb_root_cached *root,
					      bool leftmost,
					      const struct rb_augment_callbacks *augment)
{
	if (leftmost)
		root->rb_leftmost = node;
	rb_insert_augmented(node, &root->rb_root, augment);
}

static inline void rb_erase_augmented_cached(struct rb_node *node, struct rb_root_cached *root,
					     const struct rb_augment_callbacks *augment)
{
	if (root->rb_leftmost == node)
		root->rb_leftmost = rb_next(node);
	rb_erase_augmented(node, &root->rb_root, augment);
}

/* compute(node, exit) stores node's value. True if exit is set and the value did not change. */
#define RB_DECLARE_CALLBACKS(cls, name, type, field, augmented, compute)	\
	static inline void name##_propagate(struct rb_node *rb, struct rb_node *stop) \
	{									\
		while (rb != stop) {						\
			type *node = rb_entry(rb, type, field);			\
										\
			if (compute(node, true))				\
				break;						\
			rb = rb_parent(&node->field);				\
		}								\
	}									\
	static inline void name##_copy(struct rb_node *rb_old, struct rb_node *rb_new) \
	{									\
		rb_entry(rb_new, type, field)->augmented =			\
			rb_entry(rb_old, type, field)->augmented;		\
	}									\
	static void name##_rotate(struct rb_node *rb_old, struct rb_node *rb_new) \
	{									\
		name##_copy(rb_old, rb_new);					\
		compute(rb_entry(rb_old, type, field), false);			\
	}									\
	cls const struct rb_augment_callbacks name = {				\
		.propagate = name##_propagate,					\
		.copy = name##_copy,						\
		.rotate = name##_rotate,					\
	};
/* A node's value is the maximum of function(node) over all nodes of its subtree. */
#define RB_DECLARE_CALLBACKS_MAX(cls, name, type, field, value_t, augmented, function) \
	static inline bool name##_compute_max(type *node, bool exit)		\
	{									\
		value_t largest = function(node);				\
		struct rb_node *below[2] = { node->field.rb_left, node->field.rb_right }; \
										\
		for (int i = 0; i < 2; i++)					\
			if (below[i] &&						\
			    rb_entry(below[i], type, field)->augmented > largest) \
				largest = rb_entry(below[i], type, field)->augmented; \
		if (exit && node->augmented == largest)				\
			return true;						\
		node->augmented = largest;					\
		return false;							\
	}									\
	RB_DECLARE_CALLBACKS(cls, name, type, field, augmented, name##_compute_max)

#endif
