/* SPDX-License-Identifier: MIT */
/* Intervals of unsigned longs, whose both ends belong to them. */
#ifndef _LINUX_INTERVAL_TREE_H
#define _LINUX_INTERVAL_TREE_H

#include <linux/interval_tree_generic.h>

struct interval_tree_node {
	struct rb_node rb;
	unsigned long start, last, __subtree_last;
};

#define USERMM_INTERVAL_START(at) ((at)->start)
#define USERMM_INTERVAL_LAST(at) ((at)->last)
INTERVAL_TREE_DEFINE(struct interval_tree_node, rb, unsigned long, __subtree_last,
		     USERMM_INTERVAL_START, USERMM_INTERVAL_LAST, static inline, interval_tree)

#endif
