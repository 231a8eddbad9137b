// SPDX-License-Identifier: MIT
/* Of the same file name as another; init and exit by their names, as before Linux 2.4. */
#include <linux/module.h>

int init_module(void);
void cleanup_module(void);

int init_module(void)
{
	pr_info("elsewhere: loaded\n");
	return 0;
}

void cleanup_module(void)
{
	pr_info("elsewhere: unloaded\n");
}
MODULE_LICENSE("GPL");
