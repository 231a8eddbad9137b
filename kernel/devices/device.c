// SPDX-License-Identifier: MIT
/*
 * Devices, their folders in /sys and files in /dev; see linux/device.h. cf. Linux
 * drivers/base/core.c.
 */
#include <linux/device.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/mutex.h>
#include <linux/slab.h>

#include "bus.h"
#include "files/files.h"

static void release(struct kobject *kobj)
{
	struct device *dev = kobj_to_dev(kobj);

	devres_release_all(dev);
	if (dev->release)
		dev->release(dev);
	else if (dev->type && dev->type->release)
		dev->type->release(dev);
	else if (dev->class && dev->class->dev_release)
		dev->class->dev_release(dev);
	else
		WARN(1, "Device '%s' does not have a release() function, it is broken and must be "
		     "fixed. See Documentation/core-api/kobject.rst.\n", dev_name(dev));
}

static ssize_t show(struct kobject *kobj, struct attribute *attr, char *buffer)
{
	struct device_attribute *attribute = container_of(attr, struct device_attribute, attr);

	return attribute->show ? attribute->show(kobj_to_dev(kobj), attribute, buffer) : -EIO;
}

static ssize_t store(struct kobject *kobj, struct attribute *attr, const char *buffer, size_t n)
{
	struct device_attribute *attribute = container_of(attr, struct device_attribute, attr);

	return attribute->store ? attribute->store(kobj_to_dev(kobj), attribute, buffer, n) : -EIO;
}

static const struct sysfs_ops device_sysfs_ops = { .show = show, .store = store };
static const struct kobj_type device_type = {
	.release = release, .sysfs_ops = &device_sysfs_ops,
};

/* A device without a parent lies in the folder of its class. */
bool device_home(const struct kobject *kobj, char *path, size_t size)
{
	const struct device *dev = kobj_to_dev(kobj);

	if (kobj->ktype != &device_type)
		return false;
	snprintf(path, size, dev->class ? SYS_PATH "/devices/virtual/%s" : SYS_PATH "/devices",
		 dev->class ? dev->class->name : "");
	return true;
}

void device_initialize(struct device *dev)
{
	kobject_init(&dev->kobj, &device_type);
	INIT_LIST_HEAD(&dev->dma_pools);
	mutex_init(&dev->mutex);
	spin_lock_init(&dev->devres_lock);
	INIT_LIST_HEAD(&dev->devres_head);
	INIT_LIST_HEAD(&dev->created);
	INIT_LIST_HEAD(&dev->usermm_list);
	dev->numa_node = NUMA_NO_NODE;
}

/* Sets the device's name from init_name, if it has one. */
static int take_name(struct device *dev)
{
	int error;

	if (!dev->init_name)
		return 0;
	error = kobject_set_name(&dev->kobj, "%s", dev->init_name);
	if (!error)
		dev->init_name = NULL;
	return error;
}

static ssize_t dev_show(struct device *dev, struct device_attribute *attr, char *buffer)
{
	(void)attr;
	return sysfs_emit(buffer, "%u:%u\n", MAJOR(dev->devt), MINOR(dev->devt));
}
static DEVICE_ATTR_RO(dev);

/* The name of the file in /dev, kmalloc()ed, where a '!' stands for '/'. */
static char *file_name(struct device *dev, umode_t *mode)
{
	char *name = NULL;

	*mode = dev->usermm_mode;
	if (dev->usermm_nodename)
		return kstrdup(dev->usermm_nodename, GFP_KERNEL);
	if (dev->class && dev->class->devnode)
		name = dev->class->devnode(dev, mode);
	if (!name)
		name = kstrdup(dev_name(dev), GFP_KERNEL);
	for (char *c = name; c && *c; c++)
		if (*c == '!')
			*c = '/';
	return name;
}

static int add_file(struct device *dev)
{
	struct file_node *node;
	umode_t mode;
	char *name;
	int error = device_create_file(dev, &dev_attr_dev);

	if (error)
		return error;
	name = file_name(dev, &mode);
	if (!name)
		return -ENOMEM;
	node = node_create_device(node_base(DEV_PATH), name,
				  S_IFCHR | ((mode & 0777) ? (mode & 0777) : 0600), dev->devt);
	kfree(name);
	if (IS_ERR(node))
		return (int)PTR_ERR(node);
	dev->usermm_node = kernfs_of_node(node);
	return 0;
}

/* The class's and the bus's folders have links to the device's own. */
static int add_links(struct device *dev)
{
	char path[PATH_MAX];
	int error = 0;

	if ((!dev->class && !dev->bus) ||
	    !node_path(node_of_kernfs(dev->kobj.sd), path, sizeof(path)))
		return 0;
	if (dev->class)
		error = PTR_ERR_OR_ZERO(node_create_link(class_folder(dev->class), dev_name(dev),
							 path));
	if (error || !dev->bus)
		return error;
	error = PTR_ERR_OR_ZERO(node_create_link(bus_folder(dev->bus, "/devices"), dev_name(dev),
						 path));
	if (error && dev->class)
		node_remove(node_child(class_folder(dev->class), dev_name(dev)));
	return error;
}

static int add_attributes(struct device *dev)
{
	int error = 0;

	if (dev->class)
		error = device_add_groups(dev, dev->class->dev_groups);
	if (!error && dev->type)
		error = device_add_groups(dev, dev->type->groups);
	if (!error)
		error = device_add_groups(dev, dev->groups);
	if (!error && dev->devt)
		error = add_file(dev);
	return error;
}

static void remove_files(struct device *dev)
{
	node_remove(node_of_kernfs(dev->usermm_node));
	dev->usermm_node = NULL;
	if (dev->class)
		node_remove(node_child(class_folder(dev->class), dev_name(dev)));
	if (dev->bus)
		node_remove(node_child(bus_folder(dev->bus, "/devices"), dev_name(dev)));
}

int device_add(struct device *dev)
{
	int error;

	if (!get_device(dev))
		return -EINVAL;
	error = take_name(dev);
	if (!error)
		error = kobject_add(&dev->kobj, dev->parent ? &dev->parent->kobj : NULL, NULL);
	if (!error) {
		error = bus_may_add_device(dev);
		if (!error)
			error = add_links(dev);
		if (!error) {
			error = add_attributes(dev);
			if (error)
				remove_files(dev);
		}
		if (error)
			kobject_del(&dev->kobj);
	}
	if (error) {
		put_device(dev);
		return error;
	}
	if (dev->parent && dev->numa_node == NUMA_NO_NODE)
		dev->numa_node = dev->parent->numa_node;
	bus_add_device(dev);
	return 0;
}

void device_del(struct device *dev)
{
	remove_files(dev);
	bus_remove_device(dev);
	devres_release_all(dev);
	kobject_del(&dev->kobj);
	put_device(dev);	/* the reference of device_add() */
}

int device_register(struct device *dev)
{
	device_initialize(dev);
	return device_add(dev);
}

void device_unregister(struct device *dev)
{
	device_del(dev);
	put_device(dev);
}

struct device *get_device(struct device *dev)
{
	if (dev)
		kobject_get(&dev->kobj);
	return dev;
}

void put_device(struct device *dev)
{
	if (dev)
		kobject_put(&dev->kobj);
}

int dev_set_name(struct device *dev, const char *format, ...)
{
	va_list args;
	char *name;

	va_start(args, format);
	name = kvasprintf(GFP_KERNEL, format, args);
	va_end(args);
	if (!name)
		return -ENOMEM;
	kfree(dev->kobj.name);
	dev->kobj.name = name;
	return 0;
}

const char *dev_driver_string(const struct device *dev)
{
	if (!dev)
		return "(NULL";
	if (dev->driver)
		return dev->driver->name;
	if (dev->bus)
		return dev->bus->name;
	return dev->class ? dev->class->name : "";
}

static DEFINE_SPINLOCK(created_lock);
static LIST_HEAD(created);		/* Sync: created_lock */

static void free_created(struct device *dev)
{
	kfree(dev);
}

struct make {
	const struct class *class;
	struct device *parent;
	dev_t devt;
	void *data;
	const struct attribute_group **groups;
	const char *nodename;
	umode_t mode;
};

static struct device *create(const struct make *make, const char *format, va_list args)
{
	struct device *dev;
	int error;

	if (IS_ERR_OR_NULL(make->class))
		return ERR_PTR(-ENODEV);
	dev = kzalloc(sizeof(*dev), GFP_KERNEL);
	if (!dev)
		return ERR_PTR(-ENOMEM);
	device_initialize(dev);
	dev->class = make->class;
	dev->parent = make->parent;
	dev->devt = make->devt;
	dev->driver_data = make->data;
	dev->groups = make->groups;
	dev->usermm_nodename = make->nodename;
	dev->usermm_mode = make->mode;
	dev->release = free_created;
	dev->kobj.name = kvasprintf(GFP_KERNEL, format, args);
	error = dev->kobj.name ? device_add(dev) : -ENOMEM;
	if (error) {
		put_device(dev);
		return ERR_PTR(error);
	}
	spin_lock(&created_lock);
	list_add(&dev->created, &created);
	spin_unlock(&created_lock);
	return dev;
}

struct device *usermm_device_make(const struct class *class, struct device *parent, dev_t devt,
				    void *data, const struct attribute_group **groups,
				    const char *nodename, umode_t mode, const char *format, ...)
{
	const struct make make = { class, parent, devt, data, groups, nodename, mode };
	struct device *dev;
	va_list args;

	va_start(args, format);
	dev = create(&make, format, args);
	va_end(args);
	return dev;
}

struct device *device_create_with_groups(const struct class *class, struct device *parent,
					 dev_t devt, void *data,
					 const struct attribute_group **groups,
					 const char *format, ...)
{
	const struct make make = { class, parent, devt, data, groups, NULL, 0 };
	struct device *dev;
	va_list args;

	va_start(args, format);
	dev = create(&make, format, args);
	va_end(args);
	return dev;
}

struct device *device_create(const struct class *class, struct device *parent, dev_t devt,
			     void *data, const char *format, ...)
{
	const struct make make = { class, parent, devt, data, NULL, NULL, 0 };
	struct device *dev;
	va_list args;

	va_start(args, format);
	dev = create(&make, format, args);
	va_end(args);
	return dev;
}

static struct device *take_created(const struct class *class, dev_t devt)
{
	struct device *dev, *found = NULL;

	spin_lock(&created_lock);
	list_for_each_entry(dev, &created, created) {
		if (dev->class == class && dev->devt == devt) {
			list_del(&dev->created);
			found = dev;
			break;
		}
	}
	spin_unlock(&created_lock);
	return found;
}

void device_destroy(const struct class *class, dev_t devt)
{
	struct device *dev = take_created(class, devt);

	if (dev)
		device_unregister(dev);
}

struct device *class_find_device_by_devt(const struct class *class, dev_t devt)
{
	return class_find_device(class, NULL, &devt, device_match_devt);
}

int device_create_file(struct device *dev, const struct device_attribute *attr)
{
	return dev ? sysfs_create_file(&dev->kobj, &attr->attr) : 0;
}

void device_remove_file(struct device *dev, const struct device_attribute *attr)
{
	if (dev)
		sysfs_remove_file(&dev->kobj, &attr->attr);
}

int device_create_bin_file(struct device *dev, const struct bin_attribute *attr)
{
	return dev ? sysfs_create_bin_file(&dev->kobj, attr) : -EINVAL;
}

void device_remove_bin_file(struct device *dev, const struct bin_attribute *attr)
{
	if (dev)
		sysfs_remove_bin_file(&dev->kobj, attr);
}

int device_add_groups(struct device *dev, const struct attribute_group **groups)
{
	return sysfs_create_groups(&dev->kobj, groups);
}

void device_remove_groups(struct device *dev, const struct attribute_group **groups)
{
	sysfs_remove_groups(&dev->kobj, groups);
}

/* The object's folder goes with the device, and the group with it. */
int devm_device_add_group(struct device *dev, const struct attribute_group *group)
{
	return sysfs_create_group(&dev->kobj, group);
}

#define VARIABLE(kind, type, format, parse)						\
ssize_t device_show_##kind(struct device *dev, struct device_attribute *attr, char *buffer) \
{											\
	(void)dev;									\
	return sysfs_emit(buffer, format "\n",						\
			  *(type *)container_of(attr, struct dev_ext_attribute, attr)->var); \
}											\
ssize_t device_store_##kind(struct device *dev, struct device_attribute *attr,		\
			    const char *buffer, size_t count)				\
{											\
	type value;									\
	int error = parse;								\
											\
	(void)dev;									\
	if (error)									\
		return error;								\
	*(type *)container_of(attr, struct dev_ext_attribute, attr)->var = value;	\
	return (ssize_t)count;								\
}

VARIABLE(ulong, unsigned long, "%#lx", kstrtoul(buffer, 0, &value))
VARIABLE(int, int, "%d", kstrtoint(buffer, 0, &value))
VARIABLE(bool, bool, "%d", kstrtobool(buffer, &value))
