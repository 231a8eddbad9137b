// SPDX-License-Identifier: MIT
/* Leaves memory behind, as the parameters say. */
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

static int pages, objects, caches, areas, merged;
module_param(pages, int, 0);
module_param(objects, int, 0);
module_param(caches, int, 0);
module_param(areas, int, 0);
module_param(merged, int, 0);

static void *sink;
static struct kmem_cache *small;

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
	small = kmem_cache_create("small_things", 64, 0, 0, NULL);
	while (merged-- > 0)
		sink = kmem_cache_alloc(small, GFP_KERNEL);
	return 0;
}

static void __exit leak_exit(void)
{
	kmem_cache_destroy(small);
}

module_init(leak_init);
module_exit(leak_exit);
MODULE_LICENSE("GPL");
