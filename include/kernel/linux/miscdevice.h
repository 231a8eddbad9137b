/* SPDX-License-Identifier: MIT */
/* Misc devices. They have a device of the class "misc", but nobody can open them. */
#ifndef KERNEL_LINUX_MISCDEVICE_H
#define KERNEL_LINUX_MISCDEVICE_H

#include <linux/device.h>
#include <linux/fs.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/types.h>

#define MISC_DYNAMIC_MINOR 255

struct miscdevice {
	int minor;
	const char *name;
	const struct file_operations *fops;
	struct list_head list;
	struct device *parent;
	struct device *this_device;
	const struct attribute_group **groups;
	const char *nodename;
	umode_t mode;
};

USERMM_BEGIN_DECLS

/* Makes this_device, and chooses a minor for MISC_DYNAMIC_MINOR; or a negative errno. */
int misc_register(struct miscdevice *misc) USERMM_API(misc_register);
void misc_deregister(struct miscdevice *misc) USERMM_API(misc_deregister);

USERMM_END_DECLS

#endif
