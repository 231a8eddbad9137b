// SPDX-License-Identifier: MIT
/*
 * Red-black trees as in the textbook (Cormen et al., Introduction to Algorithms, chapter 13), with
 * NULL as the black leaf.
 *
 * A node's parent and colour share a word: bit 0 is set if the node is black.
 */
#include <linux/kernel.h>
#include <linux/rbtree_augmented.h>

#define BLACK 1UL

static bool is_black(const struct rb_node *node)
{
	return !node || (node->__rb_parent_color & BLACK);
}

static void set_parent(struct rb_node *node, struct rb_node *parent)
{
	node->__rb_parent_color = (unsigned long)parent | (node->__rb_parent_color & BLACK);
}

static void set_black(struct rb_node *node, bool black)
{
	node->__rb_parent_color = (node->__rb_parent_color & ~BLACK) | black;
}

static struct rb_node **child_of(struct rb_node *node, bool right)
{
	return right ? &node->rb_right : &node->rb_left;
}

/* Makes the pointer to `old`, in its parent or in the root, point to node; node may be NULL. */
static void replace_below(struct rb_node *parent, struct rb_node *old, struct rb_node *node,
			  struct rb_root *root)
{
	if (!parent)
		WRITE_ONCE(root->rb_node, node);
	else
		WRITE_ONCE(*child_of(parent, parent->rb_right == old), node);
}

static void no_propagate(struct rb_node *node, struct rb_node *stop)
{
	(void)node;
	(void)stop;
}

static void no_copy(struct rb_node *old, struct rb_node *new)
{
	(void)old;
	(void)new;
}

static const struct rb_augment_callbacks nothing = { no_propagate, no_copy, no_copy };

/* Rotates node down to the given side. Its child on the other side takes its place. */
static void rotate(struct rb_node *node, bool right, struct rb_root *root,
		   const struct rb_augment_callbacks *augment)
{
	struct rb_node *riser = *child_of(node, !right);
	struct rb_node *inner = *child_of(riser, right);
	struct rb_node *parent = rb_parent(node);

	*child_of(node, !right) = inner;
	if (inner)
		set_parent(inner, node);
	set_parent(riser, parent);
	replace_below(parent, node, riser, root);
	*child_of(riser, right) = node;
	set_parent(node, riser);
	augment->rotate(node, riser);
}

void usermm_rb_insert_augmented(struct rb_node *node, struct rb_root *root,
				const struct rb_augment_callbacks *augment)
{
	struct rb_node *parent;

	/* node and parent are red. A red parent is not the root, so there is a grandparent. */
	while ((parent = rb_parent(node)) && !is_black(parent)) {
		struct rb_node *grandparent = rb_parent(parent);
		bool right = parent == grandparent->rb_right;
		struct rb_node *uncle = *child_of(grandparent, !right);

		if (!is_black(uncle)) {
			set_black(parent, true);
			set_black(uncle, true);
			set_black(grandparent, false);
			node = grandparent;
			continue;
		}
		if (node == *child_of(parent, !right)) {
			rotate(parent, right, root, augment);
			parent = node;
		}
		set_black(parent, true);
		set_black(grandparent, false);
		rotate(grandparent, !right, root, augment);
		break;
	}
	set_black(root->rb_node, true);
}

/* Repairs the tree if paths through parent to node (or NULL) have one black node too few. */
static void rebalance(struct rb_node *node, struct rb_node *parent, struct rb_root *root,
		      const struct rb_augment_callbacks *augment)
{
	while (parent && is_black(node)) {
		bool right = node == parent->rb_right;
		struct rb_node *sibling = *child_of(parent, !right);

		if (!is_black(sibling)) {
			set_black(sibling, true);
			set_black(parent, false);
			rotate(parent, right, root, augment);
			sibling = *child_of(parent, !right);
		}
		if (is_black(sibling->rb_left) && is_black(sibling->rb_right)) {
			set_black(sibling, false);
			node = parent;
			parent = rb_parent(node);
			continue;
		}
		if (is_black(*child_of(sibling, !right))) {
			set_black(*child_of(sibling, right), true);
			set_black(sibling, false);
			rotate(sibling, !right, root, augment);
			sibling = *child_of(parent, !right);
		}
		set_black(sibling, is_black(parent));
		set_black(parent, true);
		set_black(*child_of(sibling, !right), true);
		rotate(parent, right, root, augment);
		return;
	}
	if (node)
		set_black(node, true);
}

/* Replaces a node with two children by its successor. */
static struct rb_node *put_successor(struct rb_node *node, struct rb_root *root,
				     const struct rb_augment_callbacks *augment,
				     struct rb_node **child, bool *black)
{
	struct rb_node *next = node->rb_right, *parent;

	while (next->rb_left)
		next = next->rb_left;
	*child = next->rb_right;
	*black = is_black(next);
	parent = rb_parent(next);
	if (parent == node) {
		parent = next;
	} else {
		parent->rb_left = *child;
		if (*child)
			set_parent(*child, parent);
		next->rb_right = node->rb_right;
		set_parent(next->rb_right, next);
	}
	next->rb_left = node->rb_left;
	set_parent(next->rb_left, next);
	next->__rb_parent_color = node->__rb_parent_color;
	replace_below(rb_parent(node), node, next, root);
	augment->copy(node, next);
	if (parent != next)
		augment->propagate(parent, next);
	augment->propagate(next, NULL);
	return parent;
}

void usermm_rb_erase_augmented(struct rb_node *node, struct rb_root *root,
			       const struct rb_augment_callbacks *augment)
{
	struct rb_node *child, *parent;
	bool black;

	if (node->rb_left && node->rb_right) {
		parent = put_successor(node, root, augment, &child, &black);
	} else {
		child = node->rb_left ? node->rb_left : node->rb_right;
		parent = rb_parent(node);
		black = is_black(node);
		replace_below(parent, node, child, root);
		if (child)
			set_parent(child, parent);
		if (parent)
			augment->propagate(parent, NULL);
	}
	if (black)
		rebalance(child, parent, root, augment);
}

void rb_insert_color(struct rb_node *node, struct rb_root *root)
{
	usermm_rb_insert_augmented(node, root, &nothing);
}

void rb_erase(struct rb_node *node, struct rb_root *root)
{
	usermm_rb_erase_augmented(node, root, &nothing);
}

static struct rb_node *utmost(struct rb_node *node, bool right)
{
	while (node && *child_of(node, right))
		node = *child_of(node, right);
	return node;
}

static struct rb_node *neighbour(const struct rb_node *node, bool right)
{
	struct rb_node *at = (struct rb_node *)node, *parent;

	if (RB_EMPTY_NODE(node))
		return NULL;
	if (*child_of(at, right))
		return utmost(*child_of(at, right), !right);
	while ((parent = rb_parent(at)) && at == *child_of(parent, right))
		at = parent;
	return parent;
}

struct rb_node *rb_first(const struct rb_root *root)
{
	return utmost(root->rb_node, false);
}

struct rb_node *rb_last(const struct rb_root *root)
{
	return utmost(root->rb_node, true);
}

struct rb_node *rb_next(const struct rb_node *node)
{
	return neighbour(node, true);
}

struct rb_node *rb_prev(const struct rb_node *node)
{
	return neighbour(node, false);
}

/* The first node of the subtree in postorder (children before their parent). */
static struct rb_node *deepest(struct rb_node *node)
{
	while (node->rb_left || node->rb_right)
		node = node->rb_left ? node->rb_left : node->rb_right;
	return node;
}

struct rb_node *rb_first_postorder(const struct rb_root *root)
{
	return root->rb_node ? deepest(root->rb_node) : NULL;
}

struct rb_node *rb_next_postorder(const struct rb_node *node)
{
	struct rb_node *parent = rb_parent(node);

	if (parent && node == parent->rb_left && parent->rb_right)
		return deepest(parent->rb_right);
	return parent;
}

void rb_replace_node(struct rb_node *old, struct rb_node *node, struct rb_root *root)
{
	*node = *old;
	if (node->rb_left)
		set_parent(node->rb_left, node);
	if (node->rb_right)
		set_parent(node->rb_right, node);
	replace_below(rb_parent(old), old, node, root);
}
