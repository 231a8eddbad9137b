/* SPDX-License-Identifier: MIT */
/* Red-black trees. The caller searches, calls rb_link_node(), then rb_insert_color(). */
#ifndef KERNEL_LINUX_RBTREE_H
#define KERNEL_LINUX_RBTREE_H

#include <asm/irqflags.h>
#include <linux/bottom_half.h>
#include <linux/compiler.h>
#include <linux/container_of.h>
#include <linux/rbtree_types.h>
#include <linux/rcupdate.h>
#include <usermm/compiler.h>

#define rb_parent(node) ((struct rb_node *)((node)->__rb_parent_color & ~3UL))
#define rb_entry(ptr, type, member) container_of(ptr, type, member)
#define rb_entry_safe(ptr, type, member)				\
	({								\
		__typeof__(ptr) rb_ptr_ = (ptr);			\
									\
		rb_ptr_ ? rb_entry(rb_ptr_, type, member) : NULL;	\
	})
#define RB_EMPTY_ROOT(root) (READ_ONCE((root)->rb_node) == NULL)
/* RB_CLEAR_NODE() marks a node as being in no tree. */
#define RB_EMPTY_NODE(node) ((node)->__rb_parent_color == (unsigned long)(node))
#define RB_CLEAR_NODE(node) ((node)->__rb_parent_color = (unsigned long)(node))

USERMM_BEGIN_DECLS

void rb_insert_color(struct rb_node *node, struct rb_root *root) USERMM_API(rb_insert_color);
void rb_erase(struct rb_node *node, struct rb_root *root) USERMM_API(rb_erase);
struct rb_node *rb_next(const struct rb_node *node) USERMM_API(rb_next);
struct rb_node *rb_prev(const struct rb_node *node) USERMM_API(rb_prev);
struct rb_node *rb_first(const struct rb_root *root) USERMM_API(rb_first);
struct rb_node *rb_last(const struct rb_root *root) USERMM_API(rb_last);
struct rb_node *rb_first_postorder(const struct rb_root *root) USERMM_API(rb_first_postorder);
struct rb_node *rb_next_postorder(const struct rb_node *node) USERMM_API(rb_next_postorder);
void rb_replace_node(struct rb_node *old, struct rb_node *node, struct rb_root *root)
	USERMM_API(rb_replace_node);

USERMM_END_DECLS

static inline void rb_link_node(struct rb_node *node, struct rb_node *parent,
				struct rb_node **link)
{
	node->__rb_parent_color = (unsigned long)parent;
	node->rb_left = node->rb_right = NULL;
	*link = node;
}

#define rb_link_node_rcu(node, parent, link) rb_link_node(node, parent, link)
#define rb_replace_node_rcu(old, node, root) rb_replace_node(old, node, root)
#define rbtree_postorder_for_each_entry_safe(pos, n, root, member)	\
	for (pos = rb_entry_safe(rb_first_postorder(root), __typeof__(*pos), member); \
	     pos && (n = rb_entry_safe(rb_next_postorder(&pos->member),	\
				       __typeof__(*pos), member), true); \
	     pos = n)

#define rb_first_cached(root) ((root)->rb_leftmost)

static inline void rb_insert_color_cached(struct rb_node *node, struct rb_root_cached *root,
					  bool leftmost)
{
	if (leftmost)
		root->rb_leftmost = node;
	rb_insert_color(node, &root->rb_root);
}

/* Returns the new first node if the first one was erased, else NULL. */
static inline struct rb_node *rb_erase_cached(struct rb_node *node, struct rb_root_cached *root)
{
	struct rb_node *leftmost = NULL;

	if (root->rb_leftmost == node)
		leftmost = root->rb_leftmost = rb_next(node);
	rb_erase(node, &root->rb_root);
	return leftmost;
}

static inline void rb_replace_node_cached(struct rb_node *old, struct rb_node *node,
					  struct rb_root_cached *root)
{
	if (root->rb_leftmost == old)
		root->rb_leftmost = node;
	rb_replace_node(old, node, &root->rb_root);
}

/* Links node at its place by less(). True if node is now the first one. */
static __always_inline bool usermm_rb_link(struct rb_node *node, struct rb_root *root,
					   bool (*less)(struct rb_node *, const struct rb_node *))
{
	struct rb_node **link = &root->rb_node, *parent = NULL;
	bool leftmost = true;

	while (*link) {
		parent = *link;
		if (less(node, parent)) {
			link = &parent->rb_left;
		} else {
			link = &parent->rb_right;
			leftmost = false;
		}
	}
	rb_link_node(node, parent, link);
	return leftmost;
}

static __always_inline void rb_add(struct rb_node *node, struct rb_root *root,
				   bool (*less)(struct rb_node *, const struct rb_node *))
{
	usermm_rb_link(node, root, less);
	rb_insert_color(node, root);
}

static __always_inline struct rb_node *
rb_add_cached(struct rb_node *node, struct rb_root_cached *root,
	      bool (*less)(struct rb_node *, const struct rb_node *))
{
	bool leftmost = usermm_rb_link(node, &root->rb_root, less);

	rb_insert_color_cached(node, root, leftmost);
	return leftmost ? node : NULL;
}

/* Returns an equal node that is in the tree already; else adds node and returns NULL. */
static __always_inline struct rb_node *
rb_find_add(struct rb_node *node, struct rb_root *root,
	    int (*compare)(struct rb_node *, const struct rb_node *))
{
	struct rb_node **link = &root->rb_node, *parent = NULL;

	while (*link) {
		int order = compare(node, *link);

		if (!order)
			return *link;
		parent = *link;
		link = order < 0 ? &parent->rb_left : &parent->rb_right;
	}
	rb_link_node(node, parent, link);
	rb_insert_color(node, root);
	return NULL;
}

static __always_inline struct rb_node *
rb_find(const void *key, const struct rb_root *root,
	int (*compare)(const void *key, const struct rb_node *))
{
	struct rb_node *node = root->rb_node;

	while (node) {
		int order = compare(key, node);

		if (!order)
			return node;
		node = order < 0 ? node->rb_left : node->rb_right;
	}
	return NULL;
}

/* The first of the equal nodes. */
static __always_inline struct rb_node *
rb_find_first(const void *key, const struct rb_root *root,
	      int (*compare)(const void *key, const struct rb_node *))
{
	struct rb_node *node = root->rb_node, *match = NULL;

	while (node) {
		int order = compare(key, node);

		if (order <= 0) {
			if (!order)
				match = node;
			node = node->rb_left;
		} else {
			node = node->rb_right;
		}
	}
	return match;
}

#endif
