// SPDX-License-Identifier: MIT
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/module.h>
#include <linux/slab.h>

static void *kept;

static int __init ok_init(void)
{
	kept = kmalloc(64, GFP_KERNEL);
	pr_info("loaded\n");
	return kept ? 0 : -ENOMEM;
}

static void __exit ok_exit(void)
{
	kfree(kept);
	pr_info("unloaded\n");
}

module_init(ok_init);
module_exit(ok_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("loads and unloads");
