// SPDX-License-Identifier: MIT
/* vmap() is the library's, and vm_map_ram() the module's. */
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/vmalloc.h>

void *vm_map_ram(struct page **pages, unsigned int count, int node)
{
	return (void *)5UL;
}

static int __init own_views_init(void)
{
	struct page *page = alloc_page(GFP_KERNEL);
	char *view = vmap(&page, 1, VM_MAP, PAGE_KERNEL);

	if (!view)
		return -ENOMEM;
	*view = 1;
	pr_info("the library's: %d, the module's: %lu\n", *(char *)page_address(page),
		(unsigned long)vm_map_ram(&page, 1, -1));
	vunmap(view);
	__free_page(page);
	return 0;
}

static void __exit own_views_exit(void)
{
}

module_init(own_views_init);
module_exit(own_views_exit);
MODULE_LICENSE("GPL");
