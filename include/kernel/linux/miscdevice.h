/* SPDX-License-Identifier: MIT */
/* Misc devices. Registering succeeds, but nobody can open them. */
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

#define misc_register(device) ((void)(device), 0)
#define misc_deregister(device) ((void)(device))

#endif
