// SPDX-License-Identifier: MIT
/*
 * The kernel calls it when it starts; modules with lib/maple_tree.c begin with this. The cache
 * that it makes has no name outside that file, so it stays, and is told.
 */
#include <linux/module.h>

void maple_tree_init(void);

static int __init start_maple_tree(void)
{
	maple_tree_init();
	return 0;
}
module_init(start_maple_tree);
MODULE_LICENSE("Dual MIT/GPL");
