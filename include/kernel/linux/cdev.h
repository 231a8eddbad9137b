/* SPDX-License-Identifier: MIT */
/* Character devices. Registering succeeds, but nobody can open them; see also fs.h. */
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
	struct list_head list;
	dev_t dev;
	unsigned int count;
};

static inline void cdev_init(struct cdev *cdev, const struct file_operations *operations)
{
	*cdev = (struct cdev){ .ops = operations };
	INIT_LIST_HEAD(&cdev->list);
}

static inline int cdev_add(struct cdev *cdev, dev_t dev, unsigned int count)
{
	cdev->dev = dev;
	cdev->count = count;
	return 0;
}

static inline void cdev_del(struct cdev *cdev)
{
	(void)cdev;
}

#endif
