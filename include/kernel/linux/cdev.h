/* SPDX-License-Identifier: MIT */
/* Character devices. Their files in /dev come from device_create(), or from mknod of a program. */
#ifndef KERNEL_LINUX_CDEV_H
#define KERNEL_LINUX_CDEV_H

#include <linux/device.h>
#include <linux/device/devres.h>
#include <linux/error-injection.h>
#include <linux/fs.h>
#include <linux/kdev_t.h>
#include <linux/kmod.h>
#include <linux/kobject.h>
#include <linux/moduleparam.h>
#include <linux/sched/task_stack.h>
#include <linux/sched/topology.h>
#include <linux/types.h>

struct cdev {
	struct kobject kobj;
	struct module *owner;
	const struct file_operations *ops;
	struct list_head list;		/* of those that were added. Sync: char_dev.c's lock */
	dev_t dev;
	unsigned int count;
};

USERMM_BEGIN_DECLS

void cdev_init(struct cdev *cdev, const struct file_operations *operations)
	USERMM_API(cdev_init);
/* A cdev that cdev_del() frees; NULL without memory. */
struct cdev *cdev_alloc(void) USERMM_API(cdev_alloc);
/* 0; -EBUSY if another cdev has one of the numbers. From now on the device can be opened. */
int cdev_add(struct cdev *cdev, dev_t dev, unsigned int count) USERMM_API(cdev_add);
/* Files that are open stay so, with the cdev's operations. */
void cdev_del(struct cdev *cdev) USERMM_API(cdev_del);
void cdev_set_parent(struct cdev *cdev, struct kobject *parent) USERMM_API(cdev_set_parent);
/*
 * Calls cdev_add() and device_add(). If one fails, neither has an effect. cdev_device_del() undoes
 * both.
 */
int cdev_device_add(struct cdev *cdev, struct device *dev) USERMM_API(cdev_device_add);
void cdev_device_del(struct cdev *cdev, struct device *dev) USERMM_API(cdev_device_del);

USERMM_END_DECLS

#endif
