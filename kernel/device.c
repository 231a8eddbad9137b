// SPDX-License-Identifier: MIT
/* Devices without a bus; see linux/device.h. cf. Linux drivers/base/core.c. */
#include <linux/device.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/miscdevice.h>

static void release(struct kobject *kobj)
{
	struct device *dev = kobj_to_dev(kobj);

	devres_release_all(dev);
	if (dev->release)
		dev->release(dev);
	else
		WARN(1, "Device '%s' does not have a release() function, it is broken and must be "
		     "fixed. See Documentation/core-api/kobject.rst.\n", dev_name(dev));
}

static const struct kobj_type device_type = { .release = release };

void device_initialize(struct device *dev)
{
	kobject_init(&dev->kobj, &device_type);
	INIT_LIST_HEAD(&dev->dma_pools);
	mutex_init(&dev->mutex);
	spin_lock_init(&dev->devres_lock);
	INIT_LIST_HEAD(&dev->devres_head);
	INIT_LIST_HEAD(&dev->created);
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

int device_add(struct device *dev)
{
	int error;

	if (!get_device(dev))
		return -EINVAL;
	error = take_name(dev);
	if (!error)
		error = kobject_add(&dev->kobj, dev->parent ? &dev->parent->kobj : NULL, NULL);
	if (error)
		put_device(dev);
	else if (dev->parent && dev->numa_node == NUMA_NO_NODE)
		dev->numa_node = dev->parent->numa_node;
	return error;
}

void device_del(struct device *dev)
{
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
	if (dev->driver)
		return dev->driver->name;
	if (dev->bus)
		return dev->bus->name;
	return dev->class ? dev->class->name : "";
}

struct class *usermm_class_create(const char *name)
{
	struct class *class = kzalloc(sizeof(*class), GFP_KERNEL);

	if (!class)
		return ERR_PTR(-ENOMEM);
	class->name = name;
	return class;
}

void class_destroy(const struct class *class)
{
	if (!IS_ERR_OR_NULL(class))
		kfree(class);
}

static DEFINE_SPINLOCK(created_lock);
static LIST_HEAD(created);		/* Sync: created_lock */

static void free_created(struct device *dev)
{
	kfree(dev);
}

struct device *device_create(const struct class *class, struct device *parent, dev_t devt,
			     void *data, const char *format, ...)
{
	struct device *dev;
	va_list args;
	int error;

	if (IS_ERR_OR_NULL(class))
		return ERR_PTR(-ENODEV);
	dev = kzalloc(sizeof(*dev), GFP_KERNEL);
	if (!dev)
		return ERR_PTR(-ENOMEM);
	device_initialize(dev);
	dev->class = class;
	dev->parent = parent;
	dev->devt = devt;
	dev->driver_data = data;
	dev->release = free_created;
	va_start(args, format);
	dev->kobj.name = kvasprintf(GFP_KERNEL, format, args);
	va_end(args);
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

/* --- Misc devices -------------------------------------------------------------------- */

#define MISC_MAJOR_NUMBER 10

static const struct class misc_class = { .name = "misc" };

static dev_t misc_number(const struct miscdevice *misc)
{
	return MKDEV(MISC_MAJOR_NUMBER, misc->minor);
}

static bool is_created(const struct class *class, dev_t devt)
{
	const struct device *dev;
	bool found = false;

	spin_lock(&created_lock);
	list_for_each_entry(dev, &created, created)
		found |= dev->class == class && dev->devt == devt;
	spin_unlock(&created_lock);
	return found;
}

/* As in Linux, a minor above MISC_DYNAMIC_MINOR was chosen here, and ends with its device. */
static void forget_minor(struct miscdevice *misc)
{
	if (misc->minor > MISC_DYNAMIC_MINOR)
		misc->minor = MISC_DYNAMIC_MINOR;
}

int misc_register(struct miscdevice *misc)
{
	static atomic_t last_minor = ATOMIC_INIT(MISC_DYNAMIC_MINOR);
	struct device *dev;

	if (misc->minor == MISC_DYNAMIC_MINOR)
		misc->minor = atomic_inc_return(&last_minor);
	else if (is_created(&misc_class, misc_number(misc)))
		return -EBUSY;
	dev = device_create(&misc_class, misc->parent, misc_number(misc), misc, "%s",
			    misc->name);
	if (IS_ERR(dev)) {
		forget_minor(misc);
		return PTR_ERR(dev);
	}
	misc->this_device = dev;
	return 0;
}

void misc_deregister(struct miscdevice *misc)
{
	device_destroy(&misc_class, misc_number(misc));
	forget_minor(misc);
}
