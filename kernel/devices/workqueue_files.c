// SPDX-License-Identifier: MIT
/*
 * The files of a work queue (WQ_SYSFS): /sys/bus/workqueue/devices/NAME. max_active counts at once.
 * nice, affinity_scope and affinity_strict keep what is written and change nothing: threads of the
 * host run the items. cf. Linux kernel/workqueue.c
 */
#include <linux/device.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/kstrtox.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#include "base/linux_version.h"
#include "bus.h"
#include "sched/work.h"

struct queue_device {
	struct device dev;
	struct workqueue_struct *queue;
	bool unbound;
	/* Sync: relaxed */
	int nice, scope, strict;
};

enum { SCOPE_DEFAULT, SCOPE_CPU, SCOPE_SMT, SCOPE_CACHE, SCOPE_CACHE_SHARD };
static const char *const scopes[] = {
	"default", "cpu", "smt", "cache", "cache_shard", "numa", "system",
};

static struct queue_device *of_device(struct device *dev)
{
	return container_of(dev, struct queue_device, dev);
}

static ssize_t per_cpu_show(struct device *dev, struct device_attribute *attr, char *buffer)
{
	(void)attr;
	return sysfs_emit(buffer, "%d\n", !of_device(dev)->unbound);
}
static DEVICE_ATTR_RO(per_cpu);

static ssize_t max_active_show(struct device *dev, struct device_attribute *attr, char *buffer)
{
	(void)attr;
	return sysfs_emit(buffer, "%u\n", usermm_workqueue_max_active(of_device(dev)->queue));
}

static ssize_t max_active_store(struct device *dev, struct device_attribute *attr,
				const char *text, size_t n)
{
	int value;

	(void)attr;
	if (sscanf(text, "%d", &value) != 1 || value <= 0)
		return -EINVAL;
	workqueue_set_max_active(of_device(dev)->queue, value);
	return (ssize_t)n;
}
static DEVICE_ATTR_RW(max_active);

static ssize_t nice_show(struct device *dev, struct device_attribute *attr, char *buffer)
{
	(void)attr;
	return sysfs_emit(buffer, "%d\n", READ_ONCE(of_device(dev)->nice));
}

static ssize_t nice_store(struct device *dev, struct device_attribute *attr, const char *text,
			  size_t n)
{
	int value;

	(void)attr;
	if (sscanf(text, "%d", &value) != 1 || value < -20 || value > 19)
		return -EINVAL;
	WRITE_ONCE(of_device(dev)->nice, value);
	return (ssize_t)n;
}
static DEVICE_ATTR_RW(nice);

/* The queue has the default of all queues: the least that shares a cache. */
static ssize_t affinity_scope_show(struct device *dev, struct device_attribute *attr, char *buffer)
{
	int scope = READ_ONCE(of_device(dev)->scope);

	(void)attr;
	if (scope == SCOPE_DEFAULT)
		return sysfs_emit(buffer, "%s (%s)\n", scopes[scope],
				  scopes[linux_since(7, 1) ? SCOPE_CACHE_SHARD : SCOPE_CACHE]);
	return sysfs_emit(buffer, "%s\n", scopes[scope]);
}

static ssize_t affinity_scope_store(struct device *dev, struct device_attribute *attr,
				    const char *text, size_t n)
{
	int scope = __sysfs_match_string(scopes, ARRAY_SIZE(scopes), text);

	(void)attr;
	if (scope < 0)
		return scope;
	WRITE_ONCE(of_device(dev)->scope, scope);
	return (ssize_t)n;
}
static DEVICE_ATTR_RW(affinity_scope);

static ssize_t affinity_strict_show(struct device *dev, struct device_attribute *attr,
				    char *buffer)
{
	(void)attr;
	return sysfs_emit(buffer, "%d\n", READ_ONCE(of_device(dev)->strict));
}

static ssize_t affinity_strict_store(struct device *dev, struct device_attribute *attr,
				     const char *text, size_t n)
{
	int value;

	(void)attr;
	if (sscanf(text, "%d", &value) != 1)
		return -EINVAL;
	WRITE_ONCE(of_device(dev)->strict, value != 0);
	return (ssize_t)n;
}
static DEVICE_ATTR_RW(affinity_strict);

static struct attribute *queue_attrs[] = {
	&dev_attr_per_cpu.attr, &dev_attr_max_active.attr, &dev_attr_nice.attr,
	&dev_attr_affinity_scope.attr, &dev_attr_affinity_strict.attr, NULL,
};

/* A queue of every CPU has the first two only. */
static umode_t is_visible(struct kobject *kobj, struct attribute *attr, int number)
{
	return number < 2 || of_device(kobj_to_dev(kobj))->unbound ? attr->mode : 0;
}

static const struct attribute_group queue_group = {
	.attrs = queue_attrs, .is_visible = is_visible,
};
static const struct attribute_group *queue_groups[] = { &queue_group, NULL };
const struct bus_type workqueue_bus = { .name = "workqueue" };

static void release(struct device *dev)
{
	kfree(of_device(dev));
}

struct device *usermm_workqueue_device(struct workqueue_struct *queue, const char *name,
				       bool unbound)
{
	struct queue_device *device = kzalloc(sizeof(*device), GFP_KERNEL);
	int error;

	if (!device)
		return ERR_PTR(-ENOMEM);
	device->queue = queue;
	device->unbound = unbound;
	device->dev.bus = &workqueue_bus;
	device->dev.groups = queue_groups;
	device->dev.release = release;
	device_initialize(&device->dev);
	error = dev_set_name(&device->dev, "%s", name);
	if (!error)
		error = device_add(&device->dev);
	if (!error)
		return &device->dev;
	put_device(&device->dev);
	return ERR_PTR(error);
}
