// SPDX-License-Identifier: MIT
/*
 * Calls the function that a kernel calls when it boots; modules with lib/radix-tree.c begin with
 * this one. A kernel never ends, so the library does not destroy its cache: this module does.
 */
#include <linux/module.h>
#include <linux/slab.h>

void radix_tree_init(void);
extern struct kmem_cache *radix_tree_node_cachep;

static int __init start_radix_tree(void)
{
	radix_tree_init();
	return 0;
}

static void __exit end_radix_tree(void)
{
	rcu_barrier();
	kmem_cache_destroy(radix_tree_node_cachep);
}

module_init(start_radix_tree);
module_exit(end_radix_tree);
MODULE_LICENSE("Dual MIT/GPL");
