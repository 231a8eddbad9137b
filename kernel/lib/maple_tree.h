/* SPDX-License-Identifier: MIT */
/* The nodes of a tree of ranges, for maple_tree.c and maple_walk.c. */
#ifndef KERNEL_LIB_MAPLE_TREE_H
#define KERNEL_LIB_MAPLE_TREE_H

#include <linux/maple_tree.h>

struct usermm_range {
	struct rb_node node;
	unsigned long first, last;
	void *entry;			/* not NULL */
};

/* The first range that ends at index or later, or NULL. Under the tree's usermm_lock. */
struct usermm_range *range_from(struct maple_tree *mt, unsigned long index);

/* The range before; that before NULL is the tree's last one. */
struct usermm_range *range_before(struct maple_tree *mt, struct usermm_range *range);

#endif
