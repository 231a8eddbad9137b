// SPDX-License-Identifier: MIT
/* Mistakes with pages, which are reported, and the module goes on. */
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/module.h>

static noinline struct page *takes_page(void)
{
	struct page *page = alloc_pages(GFP_KERNEL, 0);

	barrier();	/* no jump into the call */
	return page;
}

static noinline void frees_page_twice(void)
{
	struct page *page = takes_page();

	if (!page)
		return;
	__free_pages(page, 0);
	__free_pages(page, 0);
	barrier();
}

static noinline void keeps_page(void)
{
	pr_info("pages: %s\n", takes_page() ? "one is kept" : "none is had");
}

static int __init pages_init(void)
{
	frees_page_twice();
	keeps_page();
	return 0;
}

static void __exit pages_exit(void)
{
}

module_init(pages_init);
module_exit(pages_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Sample: a page that is freed twice, and one that is kept");
