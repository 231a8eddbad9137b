// SPDX-License-Identifier: MIT
/* The other half: an exit, a parameter, a static function that the first half has too. */
#include <linux/module.h>

int halves_own(int n);
int halves_other(int n);
EXPORT_SYMBOL_GPL(halves_other);

static char *text = "none";
module_param(text, charp, 0);

static int same_name(int n)
{
	return n + 100;
}

int halves_other(int n)
{
	return n ? halves_own(n - 1) + same_name(0) : 0;
}

static void __exit halves_exit(void)
{
	pr_info("gone with %s\n", text);
}
module_exit(halves_exit);
MODULE_LICENSE("GPL");
