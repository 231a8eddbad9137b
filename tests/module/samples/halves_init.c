// SPDX-License-Identifier: MIT
/* One half of a module: the other has its exit, and a function of the same name. */
#include <linux/module.h>

int halves_other(int n);
int halves_own(int n);
EXPORT_SYMBOL(halves_own);

static int result;
module_param(result, int, 0);

static int same_name(int n)
{
	return n + 1;
}

/* Called by a function that it calls. */
int halves_own(int n)
{
	return n ? halves_other(n - 1) + same_name(0) : 0;
}

static int __init halves_init(void)
{
	pr_info("circle %d\n", halves_own(10));
	return result;
}
module_init(halves_init);
MODULE_LICENSE("GPL");
