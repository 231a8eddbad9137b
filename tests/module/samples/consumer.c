// SPDX-License-Identifier: MIT
#include <linux/module.h>

int provided(int value);

static int __init consumer_init(void)
{
	pr_info("%s: got %d\n", KBUILD_MODNAME, provided(21));
	return 0;
}

static void __exit consumer_exit(void)
{
	pr_info("%s: gone\n", KBUILD_MODNAME);
}

module_init(consumer_init);
module_exit(consumer_exit);
MODULE_LICENSE("GPL");
