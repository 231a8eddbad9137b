// SPDX-License-Identifier: MIT
/* Leaves behind what the parameters say. */
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

static int pages, objects, caches, areas;
module_param(pages, int, 0);
module_param(objects, int, 0);
module_param(caches, int, 0);
module_param(areas, int, 0);

static void *sink;

static int __init leak_init(void)
{
	while (pages-- > 0)
		sink = alloc_page(GFP_KERNEL);
	while (objects-- > 0)
		sink = kmalloc(500, GFP_KERNEL);
	while (caches-- > 0)
		sink = kmem_cache_alloc(kmem_cache_create("leaked", 100, 0, 0, NULL),
					GFP_KERNEL);
	while (areas-- > 0)
		sink = vmalloc(10000);
	return 0;
}

static void __exit leak_exit(void)
{
}

module_init(leak_init);
module_exit(leak_exit);
MODULE_LICENSE("GPL");
