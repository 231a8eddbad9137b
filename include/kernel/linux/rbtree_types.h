/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_RBTREE_TYPES_H
#define KERNEL_LINUX_RBTREE_TYPES_H

#include <linux/types.h>

struct rb_node {
	unsigned long __rb_parent_color;	/* bit 0: black */
	struct rb_node *rb_right;
	struct rb_node *rb_left;
} __attribute__((aligned(sizeof(long))));

struct rb_root {
	struct rb_node *rb_node;
};

struct rb_root_cached {
	struct rb_root rb_root;
	struct rb_node *rb_leftmost;
};

#define RB_ROOT (struct rb_root){ NULL }
#define RB_ROOT_CACHED (struct rb_root_cached){ { NULL }, NULL }

#endif
