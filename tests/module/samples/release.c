// SPDX-License-Identifier: MIT
/* The version as a text and as a number. */
#include <linux/module.h>
#include <linux/utsname.h>
#include <linux/version.h>
#include <generated/utsrelease.h>

static int __init release_init(void)
{
	pr_info("%s %s %d.%d.%d\n", UTS_RELEASE, utsname()->release, LINUX_VERSION_MAJOR,
		LINUX_VERSION_PATCHLEVEL, LINUX_VERSION_SUBLEVEL);
	return 0;
}

static void __exit release_exit(void)
{
}

module_init(release_init);
module_exit(release_exit);
MODULE_LICENSE("GPL");
