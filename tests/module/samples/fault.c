// SPDX-License-Identifier: MIT
/* Every error path of a function, by failing its first, second, third allocation. */
#include <linux/fault-inject.h>
#include <linux/gfp.h>
#include <linux/module.h>
#include <linux/slab.h>

static DECLARE_FAULT_ATTR(own_fault);

struct thing {
	struct page *page;
	void *buffer;
};

static struct thing *make_thing(void)
{
	struct thing *thing = kmalloc(sizeof(*thing), GFP_KERNEL | __GFP_NOWARN);

	if (!thing)
		return NULL;
	thing->buffer = kmalloc(1000, GFP_KERNEL | __GFP_NOWARN);
	if (!thing->buffer)
		goto free_thing;
	thing->page = alloc_pages(GFP_KERNEL | __GFP_NOWARN, 1);
	if (thing->page)
		return thing;
	kfree(thing->buffer);
free_thing:
	kfree(thing);
	return NULL;
}

static int __init fault_init(void)
{
	struct thing *thing;
	unsigned int nth = 0, own = 0;
	char text[] = "3,100,0,5 and more";

	usermm_failslab.ignore_gfp_reclaim = false;
	usermm_fail_page_alloc.ignore_gfp_reclaim = false;
	do {
		usermm_fail_nth(++nth);
		thing = make_thing();
	} while (!thing && nth < 10);
	usermm_fail_nth(0);
	if (!thing)
		return -EIO;
	pr_info("fault: made at the %uth try\n", nth);
	__free_pages(thing->page, 1);
	kfree(thing->buffer);
	kfree(thing);
	fault_create_debugfs_attr("own_fault", NULL, &own_fault);
	own_fault.verbose = 1;
	if (!setup_fault_attr(&own_fault, text))
		return -EINVAL;
	for (unsigned int i = 0; i < 30; i++)
		own += should_fail(&own_fault, 1);
	pr_info("fault: %u of its own\n", own);
	return 0;
}

static void __exit fault_exit(void)
{
}

module_init(fault_init);
module_exit(fault_exit);
MODULE_LICENSE("Dual MIT/GPL");
