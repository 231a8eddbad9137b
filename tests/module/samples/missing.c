// SPDX-License-Identifier: MIT
/* Needs a function that no header has. */
#include <linux/module.h>

static int __init missing_init(void)
{
	return frobnicate_the_page_tables(1);
}

module_init(missing_init);
MODULE_LICENSE("GPL");
