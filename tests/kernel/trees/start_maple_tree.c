// SPDX-License-Identifier: MIT
/*
 * Calls the function that a kernel calls when it boots; modules with lib/maple_tree.c begin with
 * this one. Nothing outside of that file can name its cache, so the cache stays, and is reported.
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
