// SPDX-License-Identifier: MIT
/* Calls a function that Linux 6.15 has removed. */
#include <linux/module.h>
#include <linux/timer.h>

static struct timer_list timer;

static void nothing(struct timer_list *unused)
{
}

static int __init removed_init(void)
{
	timer_setup(&timer, nothing, 0);
	pr_info("still there: %d\n", del_timer(&timer));
	return 0;
}

module_init(removed_init);
MODULE_LICENSE("Dual MIT/GPL");
