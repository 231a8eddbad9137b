/* SPDX-License-Identifier: MIT */
/* Misc devices: /dev/NAME, and a device of the class misc. */
#ifndef KERNEL_LINUX_MISCDEVICE_H
#define KERNEL_LINUX_MISCDEVICE_H

#include <linux/device.h>
#include <linux/fs.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/types.h>
#include <usermm/compiler.h>

#define MISC_MAJOR 10
#define MISC_DYNAMIC_MINOR 255

struct miscdevice {
	int minor;
	const char *name;
	const struct file_operations *fops;
	struct list_head list;		/* Sync: misc.c's lock */
	struct device *parent;
	struct device *this_device;
	const struct attribute_group **groups;
	const char *nodename;
	umode_t mode;			/* 0: 0600 */
};

USERMM_BEGIN_DECLS

/* 0; -EBUSY if the minor is taken; -EINVAL without a name or operations. */
int misc_register(struct miscdevice *misc) USERMM_API(misc_register);
void misc_deregister(struct miscdevice *misc) USERMM_API(misc_deregister);

USERMM_END_DECLS

#define module_misc_device(misc) module_driver(misc, misc_register, misc_deregister)
#define builtin_misc_device(misc) module_misc_device(misc)
#define MODULE_ALIAS_MISCDEV(minor) MODULE_ALIAS("char-major-10-" #minor)

#endif
