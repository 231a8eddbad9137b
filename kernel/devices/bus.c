// SPDX-License-Identifier: MIT
/*
 * Buses, which join devices and drivers; and the platform bus. cf. Linux drivers/base/dd.c and
 * drivers/base/platform.c.
 */
#include <linux/device.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/platform_device.h>
#include <linux/slab.h>

#include "bus.h"
#include "files/files.h"

static DEFINE_MUTEX(lock);
static LIST_HEAD(devices);		/* Sync: lock */
static LIST_HEAD(drivers);		/* Sync: lock */

static struct file_node *bus_folder(const struct bus_type *bus)
{
	char path[128];

	snprintf(path, sizeof(path), SYS_PATH "/bus/%s", bus->name);
	return node_base(path);
}

int bus_register(const struct bus_type *bus)
{
	return IS_ERR_OR_NULL(bus_folder(bus)) ? -ENOMEM : 0;
}

void bus_unregister(const struct bus_type *bus)
{
	(void)bus;
}

static bool matches(struct device *dev, struct device_driver *driver)
{
	return dev->bus && dev->bus == driver->bus &&
	       (!dev->bus->match || dev->bus->match(dev, driver) > 0);
}

/* 1 if the device is bound now; 0 if the driver does not want it; or -errno. */
static int probe(struct device *dev, struct device_driver *driver)
{
	int error = 0;

	dev->driver = driver;
	if (dev->bus->probe)
		error = dev->bus->probe(dev);
	else if (driver->probe)
		error = driver->probe(dev);
	if (!error)
		error = sysfs_create_groups(&dev->kobj, driver->dev_groups);
	if (!error)
		return 1;
	dev->driver = NULL;
	dev_set_drvdata(dev, NULL);
	devres_release_all(dev);
	if (error == -ENODEV || error == -ENXIO || error == -EPROBE_DEFER)
		return 0;
	dev_err(dev, "probe with driver %s failed with error %d\n", driver->name, error);
	return error;
}

static void unbind(struct device *dev)
{
	struct device_driver *driver = dev->driver;

	if (!driver)
		return;
	sysfs_remove_groups(&dev->kobj, driver->dev_groups);
	if (dev->bus && dev->bus->remove)	/* KUnit's devices have a driver alone */
		dev->bus->remove(dev);
	else if (driver->remove)
		driver->remove(dev);
	dev->driver = NULL;
	dev_set_drvdata(dev, NULL);
	devres_release_all(dev);
}

/* A probe function may add devices, so the lock is not held while it runs. */
int device_attach(struct device *dev)
{
	struct device_driver *driver, *found = NULL;

	if (dev->driver)
		return 1;
	mutex_lock(&lock);
	list_for_each_entry(driver, &drivers, usermm_list)
		if (!found && matches(dev, driver))
			found = driver;
	mutex_unlock(&lock);
	return found ? probe(dev, found) : 0;
}

void device_release_driver(struct device *dev)
{
	unbind(dev);
}

void bus_add_device(struct device *dev)
{
	mutex_lock(&lock);
	list_add_tail(&dev->usermm_list, &devices);
	mutex_unlock(&lock);
	if (dev->bus)
		device_attach(dev);
}

void bus_remove_device(struct device *dev)
{
	unbind(dev);
	mutex_lock(&lock);
	list_del_init(&dev->usermm_list);
	mutex_unlock(&lock);
}

/* The first device behind `start` for which the test holds, with a reference; or NULL. */
static struct device *next_device(struct device *start,
				  bool (*test)(struct device *dev, const void *data),
				  const void *data)
{
	bool passed = !start;
	struct device *dev, *found = NULL;

	mutex_lock(&lock);
	list_for_each_entry(dev, &devices, usermm_list) {
		if (!found && passed && test(dev, data))
			found = get_device(dev);
		passed |= dev == start;
	}
	mutex_unlock(&lock);
	return found;
}

static int for_each(struct device *start, bool (*test)(struct device *dev, const void *data),
		    const void *tested, void *data, int (*function)(struct device *, void *))
{
	struct device *dev = start, *next;
	int result = 0;

	while (!result && (next = next_device(dev, test, tested))) {
		result = function(next, data);
		if (dev != start)
			put_device(dev);
		dev = next;
	}
	if (dev != start)
		put_device(dev);
	return result;
}

static bool is_on_bus(struct device *dev, const void *bus)
{
	return dev->bus == bus;
}

static bool is_bound_to(struct device *dev, const void *driver)
{
	return dev->driver == driver;
}

static bool is_child_of(struct device *dev, const void *parent)
{
	return dev->parent == parent;
}

static bool may_bind(struct device *dev, const void *driver)
{
	return !dev->driver && matches(dev, (struct device_driver *)driver);
}

int bus_for_each_dev(const struct bus_type *bus, struct device *start, void *data,
		     int (*function)(struct device *dev, void *data))
{
	return for_each(start, is_on_bus, bus, data, function);
}

int driver_for_each_device(struct device_driver *driver, struct device *start, void *data,
			   int (*function)(struct device *dev, void *data))
{
	return for_each(start, is_bound_to, driver, data, function);
}

int device_for_each_child(struct device *parent, void *data,
			  int (*function)(struct device *dev, void *data))
{
	return for_each(NULL, is_child_of, parent, data, function);
}

struct device *device_find_child(struct device *parent, const void *data,
				 int (*match)(struct device *dev, const void *data))
{
	struct device *dev = NULL, *next;

	while ((next = next_device(dev, is_child_of, parent))) {
		put_device(dev);
		if (match(next, data))
			return next;
		dev = next;
	}
	put_device(dev);
	return NULL;
}

static int bind(struct device *dev, void *driver)
{
	probe(dev, driver);
	return 0;
}

static ssize_t driver_show(struct kobject *kobj, struct attribute *attr, char *buffer)
{
	struct driver_attribute *attribute = container_of(attr, struct driver_attribute, attr);
	struct device_driver *driver = container_of(kobj, struct device_driver, usermm_kobj);

	return attribute->show ? attribute->show(driver, buffer) : -EIO;
}

static ssize_t driver_store(struct kobject *kobj, struct attribute *attr, const char *buffer,
			    size_t n)
{
	struct driver_attribute *attribute = container_of(attr, struct driver_attribute, attr);
	struct device_driver *driver = container_of(kobj, struct device_driver, usermm_kobj);

	return attribute->store ? attribute->store(driver, buffer, n) : -EIO;
}

static int add_folder(struct device_driver *driver)
{
	static const struct sysfs_ops operations = { .show = driver_show, .store = driver_store };
	static const struct kobj_type type = { .sysfs_ops = &operations };
	struct file_node *node;
	char path[128];

	snprintf(path, sizeof(path), SYS_PATH "/bus/%s/drivers", driver->bus->name);
	node = node_create(node_base(path), driver->name, S_IFDIR | 0755, NULL, NULL);
	if (IS_ERR(node))
		return PTR_ERR(node) == -EEXIST ? -EBUSY : (int)PTR_ERR(node);
	driver->usermm_kobj = (struct kobject){
		.name = driver->name, .ktype = &type, .sd = (struct kernfs_node *)node,
	};
	return sysfs_create_groups(&driver->usermm_kobj, driver->groups);
}

int driver_register(struct device_driver *driver)
{
	int error;

	if (!driver->bus || !driver->name)
		return -EINVAL;
	error = add_folder(driver);
	if (error) {
		if (error == -EBUSY)
			pr_err("Error: Driver '%s' is already registered, aborting...\n",
			       driver->name);
		return error;
	}
	mutex_lock(&lock);
	list_add_tail(&driver->usermm_list, &drivers);
	mutex_unlock(&lock);
	for_each(NULL, may_bind, driver, driver, bind);
	return 0;
}

static int unbind_one(struct device *dev, void *unused)
{
	(void)unused;
	unbind(dev);
	return 0;
}

void driver_unregister(struct device_driver *driver)
{
	mutex_lock(&lock);
	list_del_init(&driver->usermm_list);
	mutex_unlock(&lock);
	for_each(NULL, is_bound_to, driver, NULL, unbind_one);
	node_remove((struct file_node *)driver->usermm_kobj.sd);
	driver->usermm_kobj.sd = NULL;
}

int driver_create_file(const struct device_driver *driver, const struct driver_attribute *attr)
{
	return sysfs_create_file((struct kobject *)&driver->usermm_kobj, &attr->attr);
}

void driver_remove_file(const struct device_driver *driver, const struct driver_attribute *attr)
{
	sysfs_remove_file((struct kobject *)&driver->usermm_kobj, &attr->attr);
}

/* The platform bus: devices and drivers of the same name. */

static const struct platform_device_id *find_id(const struct platform_driver *driver,
						const struct platform_device *pdev)
{
	for (const struct platform_device_id *id = driver->id_table; id && id->name[0]; id++)
		if (!strcmp(id->name, pdev->name))
			return id;
	return NULL;
}

static int platform_match(struct device *dev, const struct device_driver *driver)
{
	struct platform_device *pdev = to_platform_device(dev);
	const struct platform_driver *pdrv = to_platform_driver(driver);

	if (pdev->driver_override)
		return !strcmp(pdev->driver_override, driver->name);
	if (pdrv->id_table) {
		pdev->id_entry = find_id(pdrv, pdev);
		return pdev->id_entry != NULL;
	}
	return !strcmp(pdev->name, driver->name);
}

static int platform_probe(struct device *dev)
{
	const struct platform_driver *driver = to_platform_driver(dev->driver);

	return driver->probe ? driver->probe(to_platform_device(dev)) : 0;
}

static void platform_remove(struct device *dev)
{
	const struct platform_driver *driver = to_platform_driver(dev->driver);

	if (driver->remove)
		driver->remove(to_platform_device(dev));
	else if (driver->remove_new)
		driver->remove_new(to_platform_device(dev));
}

const struct bus_type platform_bus_type = {
	.name = "platform", .match = platform_match, .probe = platform_probe,
	.remove = platform_remove,
};

int usermm_platform_driver_register(struct platform_driver *driver)
{
	driver->driver.bus = &platform_bus_type;
	return driver_register(&driver->driver);
}

void platform_driver_unregister(struct platform_driver *driver)
{
	driver_unregister(&driver->driver);
}

int platform_driver_probe(struct platform_driver *driver,
			  int (*probe_function)(struct platform_device *pdev))
{
	struct device *dev;
	int error;

	driver->probe = probe_function;
	error = usermm_platform_driver_register(driver);
	if (error)
		return error;
	dev = next_device(NULL, is_bound_to, &driver->driver);
	put_device(dev);
	if (dev)
		return 0;
	platform_driver_unregister(driver);
	return -ENODEV;
}

static void free_platform(struct device *dev)
{
	struct platform_device *pdev = to_platform_device(dev);

	kfree(pdev->dev.platform_data);
	kfree(pdev->resource);
	kfree(pdev->driver_override);
	kfree(pdev);
}

/* The name lies behind the structure. */
struct platform_device *platform_device_alloc(const char *name, int id)
{
	struct platform_device *pdev = kzalloc(sizeof(*pdev) + strlen(name) + 1, GFP_KERNEL);

	if (!pdev)
		return NULL;
	pdev->name = strcpy((char *)(pdev + 1), name);
	pdev->id = id;
	device_initialize(&pdev->dev);
	pdev->dev.release = free_platform;
	return pdev;
}

int platform_device_add(struct platform_device *pdev)
{
	static int next_auto;
	int error;

	pdev->dev.bus = &platform_bus_type;
	if (pdev->id == PLATFORM_DEVID_NONE)
		error = dev_set_name(&pdev->dev, "%s", pdev->name);
	else if (pdev->id == PLATFORM_DEVID_AUTO)
		error = dev_set_name(&pdev->dev, "%s.%d.auto", pdev->name,
				     __atomic_fetch_add(&next_auto, 1, __ATOMIC_RELAXED));
	else
		error = dev_set_name(&pdev->dev, "%s.%d", pdev->name, pdev->id);
	if (!pdev->dev.dma_mask) {
		pdev->platform_dma_mask = DMA_BIT_MASK_32;
		pdev->dev.dma_mask = &pdev->platform_dma_mask;
		pdev->dev.coherent_dma_mask = DMA_BIT_MASK_32;
	}
	return error ? error : device_add(&pdev->dev);
}

void platform_device_del(struct platform_device *pdev)
{
	if (!IS_ERR_OR_NULL(pdev))
		device_del(&pdev->dev);
}

void platform_device_put(struct platform_device *pdev)
{
	if (!IS_ERR_OR_NULL(pdev))
		put_device(&pdev->dev);
}

int platform_device_register(struct platform_device *pdev)
{
	device_initialize(&pdev->dev);
	return platform_device_add(pdev);
}

void platform_device_unregister(struct platform_device *pdev)
{
	platform_device_del(pdev);
	platform_device_put(pdev);
}

int platform_device_add_data(struct platform_device *pdev, const void *data, size_t size)
{
	void *copy = data ? kmemdup(data, size, GFP_KERNEL) : NULL;

	if (data && !copy)
		return -ENOMEM;
	kfree(pdev->dev.platform_data);
	pdev->dev.platform_data = copy;
	return 0;
}

int platform_device_add_resources(struct platform_device *pdev, const struct resource *resources,
				  unsigned int nr)
{
	struct resource *copy = NULL;

	if (resources) {
		copy = kmemdup(resources, sizeof(*copy) * nr, GFP_KERNEL);
		if (!copy)
			return -ENOMEM;
	}
	kfree(pdev->resource);
	pdev->resource = copy;
	pdev->num_resources = nr;
	return 0;
}

struct platform_device *
platform_device_register_full(const struct platform_device_info *info)
{
	struct platform_device *pdev = platform_device_alloc(info->name, info->id);
	int error;

	if (!pdev)
		return ERR_PTR(-ENOMEM);
	pdev->dev.parent = info->parent;
	error = platform_device_add_resources(pdev, info->res, info->num_res);
	if (!error)
		error = platform_device_add_data(pdev, info->data, info->size_data);
	if (!error)
		error = platform_device_add(pdev);
	if (!error)
		return pdev;
	platform_device_put(pdev);
	return ERR_PTR(error);
}

struct platform_device *
platform_device_register_resndata(struct device *parent, const char *name, int id,
				  const struct resource *resources, unsigned int nr,
				  const void *data, size_t size)
{
	return platform_device_register_full(&(const struct platform_device_info){
		.parent = parent, .name = name, .id = id, .res = resources, .num_res = nr,
		.data = data, .size_data = size,
	});
}

struct resource *platform_get_resource(struct platform_device *pdev, unsigned int type,
				       unsigned int number)
{
	for (u32 i = 0; i < pdev->num_resources; i++)
		if ((pdev->resource[i].flags & IORESOURCE_TYPE_BITS) == type && !number--)
			return &pdev->resource[i];
	return NULL;
}

int platform_get_irq_optional(struct platform_device *pdev, unsigned int number)
{
	const struct resource *resource = platform_get_resource(pdev, IORESOURCE_IRQ, number);

	return resource ? (int)resource->start : -ENXIO;
}

int platform_get_irq(struct platform_device *pdev, unsigned int number)
{
	int irq = platform_get_irq_optional(pdev, number);

	return irq < 0 ? dev_err_probe(&pdev->dev, irq, "IRQ index %u not found\n", number) : irq;
}
