// SPDX-License-Identifier: MIT
#include <linux/module.h>

int provided(int value);

int provided(int value)
{
	return value * 2;
}
EXPORT_SYMBOL_GPL(provided);

static int __init provider_init(void)
{
	pr_info("%s: here\n", KBUILD_MODNAME);
	return 0;
}

static void __exit provider_exit(void)
{
	pr_info("%s: gone\n", KBUILD_MODNAME);
}

module_init(provider_init);
module_exit(provider_exit);
MODULE_LICENSE("GPL");
