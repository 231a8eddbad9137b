// SPDX-License-Identifier: MIT
/* Devices whose driver is a program: see linux/uio_driver.h. cf. Linux drivers/uio/uio.c. */
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/poll.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/uio_driver.h>

#include "class_devices.h"

static DEVICE_KIND(devices, "uio", "uio");

struct uio_device {
	struct device *dev;
	struct cdev *cdev;
	dev_t devt;
	struct uio_info *info;
	wait_queue_head_t wait;
	atomic_t nr_events;
};

/* An open file: how many events it has seen. */
struct listener {
	struct uio_device *device;
	int nr_seen;
};

static ssize_t name_show(struct device *dev, struct device_attribute *attr, char *buffer)
{
	const struct uio_device *device = dev_get_drvdata(dev);

	(void)attr;
	return sysfs_emit(buffer, "%s\n", device->info->name);
}
static DEVICE_ATTR_RO(name);

static ssize_t version_show(struct device *dev, struct device_attribute *attr, char *buffer)
{
	const struct uio_device *device = dev_get_drvdata(dev);

	(void)attr;
	return sysfs_emit(buffer, "%s\n", device->info->version);
}
static DEVICE_ATTR_RO(version);

static ssize_t event_show(struct device *dev, struct device_attribute *attr, char *buffer)
{
	struct uio_device *device = dev_get_drvdata(dev);

	(void)attr;
	return sysfs_emit(buffer, "%u\n", (unsigned int)atomic_read(&device->nr_events));
}
static DEVICE_ATTR_RO(event);

static struct attribute *uio_attrs[] = {
	&dev_attr_name.attr, &dev_attr_version.attr, &dev_attr_event.attr, NULL,
};
ATTRIBUTE_GROUPS(uio);

/* Files find their device by its number. */
static DEFINE_MUTEX(lock);
static DEFINE_IDR(by_number);		/* Sync: lock */

static int uio_open(struct inode *inode, struct file *file)
{
	struct listener *listener = kzalloc(sizeof(*listener), GFP_KERNEL);
	int error = 0;

	if (!listener)
		return -ENOMEM;
	mutex_lock(&lock);
	listener->device = idr_find(&by_number, inode->i_rdev);
	if (!listener->device)
		error = -ENODEV;
	else if (listener->device->info->open)
		error = listener->device->info->open(listener->device->info, inode);
	mutex_unlock(&lock);
	if (error) {
		kfree(listener);
		return error;
	}
	listener->nr_seen = atomic_read(&listener->device->nr_events);
	file->private_data = listener;
	return 0;
}

static int uio_release(struct inode *inode, struct file *file)
{
	struct listener *listener = file->private_data;
	struct uio_info *info = listener->device->info;
	int error = info->release ? info->release(info, inode) : 0;

	kfree(listener);
	return error;
}

static __poll_t uio_poll(struct file *file, poll_table *table)
{
	struct listener *listener = file->private_data;

	if (!listener->device->info->irq)
		return (__force __poll_t)-EIO;
	poll_wait(file, &listener->device->wait, table);
	return listener->nr_seen != atomic_read(&listener->device->nr_events) ?
	       EPOLLIN | EPOLLRDNORM : 0;
}

static ssize_t uio_read(struct file *file, char __user *buffer, size_t n, loff_t *pos)
{
	struct listener *listener = file->private_data;
	struct uio_device *device = listener->device;
	int nr;

	(void)pos;
	if (!device->info->irq)
		return -EIO;
	if (n != sizeof(s32))
		return -EINVAL;
	if (file->f_flags & O_NONBLOCK && listener->nr_seen == atomic_read(&device->nr_events))
		return -EAGAIN;
	if (wait_event_interruptible(device->wait,
				     (nr = atomic_read(&device->nr_events)) != listener->nr_seen))
		return -ERESTARTSYS;
	if (copy_to_user(buffer, &nr, sizeof(nr)))
		return -EFAULT;
	listener->nr_seen = nr;
	return sizeof(nr);
}

static ssize_t uio_write(struct file *file, const char __user *buffer, size_t n, loff_t *pos)
{
	struct listener *listener = file->private_data;
	struct uio_info *info = listener->device->info;
	s32 on;

	(void)pos;
	if (!info->irq)
		return -EIO;
	if (n != sizeof(on))
		return -EINVAL;
	if (!info->irqcontrol)
		return -ENOSYS;
	if (copy_from_user(&on, buffer, n))
		return -EFAULT;
	return info->irqcontrol(info, on) ?: (ssize_t)sizeof(on);
}

static const struct file_operations uio_operations = {
	.open = uio_open, .release = uio_release, .read = uio_read, .write = uio_write,
	.poll = uio_poll, .llseek = noop_llseek,
};

static irqreturn_t handle(int irq, void *data)
{
	struct uio_device *device = data;
	irqreturn_t result = device->info->handler(irq, device->info);

	if (result == IRQ_HANDLED)
		uio_event_notify(device->info);
	return result;
}

void uio_event_notify(struct uio_info *info)
{
	struct uio_device *device = info->uio_dev;

	atomic_inc(&device->nr_events);
	wake_up_interruptible(&device->wait);
}

/* The file first: it must have its driver when the device appears in /dev. */
static int add_file(struct uio_device *device)
{
	int error = alloc_chrdev_region(&device->devt, 0, 1, "uio");

	if (error)
		return error;
	mutex_lock(&lock);
	error = idr_alloc(&by_number, device, (int)device->devt, (int)device->devt + 1,
			  GFP_KERNEL);
	mutex_unlock(&lock);
	device->cdev = error < 0 ? NULL : cdev_alloc();
	if (device->cdev) {
		device->cdev->ops = &uio_operations;
		error = cdev_add(device->cdev, device->devt, 1);
	}
	return error < 0 ? error : device->cdev ? 0 : -ENOMEM;
}

static void drop_file(struct uio_device *device)
{
	if (device->cdev)
		cdev_del(device->cdev);
	mutex_lock(&lock);
	idr_remove(&by_number, device->devt);
	mutex_unlock(&lock);
	if (device->devt)
		unregister_chrdev_region(device->devt, 1);
	kfree(device);
}

int __uio_register_device(struct module *owner, struct device *parent, struct uio_info *info)
{
	struct uio_device *device;
	int error;

	(void)owner;
	if (!parent || !info || !info->name || !info->version)
		return -EINVAL;
	device = kzalloc(sizeof(*device), GFP_KERNEL);
	if (!device)
		return -ENOMEM;
	device->info = info;
	init_waitqueue_head(&device->wait);
	info->uio_dev = device;
	error = add_file(device);
	if (!error) {
		device->dev = kind_add(&devices, parent, device, uio_groups, NULL, device->devt);
		error = IS_ERR(device->dev) ? (int)PTR_ERR(device->dev) : 0;
	}
	if (!error && info->irq > 0) {
		error = request_irq((unsigned int)info->irq, handle, info->irq_flags, info->name,
				    device);
		if (error)
			kind_remove(&devices, device->dev);
	}
	if (error) {
		info->uio_dev = NULL;
		drop_file(device);
	}
	return error;
}

void uio_unregister_device(struct uio_info *info)
{
	struct uio_device *device = info ? info->uio_dev : NULL;

	if (!device)
		return;
	if (info->irq > 0)
		free_irq((unsigned int)info->irq, device);
	kind_remove(&devices, device->dev);
	info->uio_dev = NULL;
	drop_file(device);
}

static void unregister_managed(void *info)
{
	uio_unregister_device(info);
}

int __devm_uio_register_device(struct module *owner, struct device *parent,
			       struct uio_info *info)
{
	int error = __uio_register_device(owner, parent, info);

	return error ? error : devm_add_action_or_reset(parent, unregister_managed, info);
}
