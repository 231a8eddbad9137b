// SPDX-License-Identifier: MIT
/* init returns what the parameter says. */
#include <linux/module.h>

static int result;
module_param(result, int, 0444);
MODULE_PARM_DESC(result, "what init returns");

static int __init result_init(void)
{
	pr_info("returning %d\n", result);
	return result;
}

static void __exit result_exit(void)
{
	pr_info("exit\n");
}

module_init(result_init);
module_exit(result_exit);
MODULE_LICENSE("GPL");
