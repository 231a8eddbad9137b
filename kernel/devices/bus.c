// SPDX-License-Identifier: MIT
/*
 * Buses, which join devices and drivers. cf. Linux drivers/base/dd.c.
 */
#include <stdlib.h>

#include <linux/device.h>
#include <linux/err.h>
#include <linux/hid.h>
#include <linux/i2c.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/pci.h>
#include <linux/platform_device.h>
#include <linux/rpmsg.h>
#include <linux/serio.h>
#include <linux/slab.h>
#include <linux/spi/spi.h>
#include <linux/usb.h>
#include <linux/wmi.h>

#include "bus.h"
#include "files/files.h"

static DEFINE_MUTEX(lock);
static LIST_HEAD(devices);		/* Sync: lock */
static LIST_HEAD(drivers);		/* Sync: lock */

/*
 * Buses of machines that this one is not: drivers can be registered, and no device is on them. See
 * linux/pci.h, linux/usb.h, linux/hid.h and so on.
 */
const struct bus_type pci_bus_type = { .name = "pci" };
const struct bus_type usb_bus_type = { .name = "usb" };
const struct bus_type hid_bus_type = { .name = "hid" };
const struct bus_type rpmsg_bus_type = { .name = "rpmsg" };
const struct bus_type serio_bus = { .name = "serio" };
const struct bus_type usermm_wmi_bus_type = { .name = "wmi" };

/* Linux registers these. */
static const struct bus_type *const own_buses[] = {
	&platform_bus_type, &spi_bus_type, &i2c_bus_type, &pci_bus_type, &usb_bus_type,
	&hid_bus_type, &rpmsg_bus_type, &serio_bus, &usermm_wmi_bus_type, &workqueue_bus,
};

/* A bus that was registered. It is not part of bus_type, which may be constant. */
struct registered {
	struct list_head list;
	const struct bus_type *bus;
};

static LIST_HEAD(all_registered);	/* Sync: lock */

/* Call it under the lock. NULL: the bus is not registered. */
static struct registered *find_registered(const struct bus_type *bus)
{
	struct registered *registered;

	list_for_each_entry(registered, &all_registered, list)
		if (registered->bus == bus)
			return registered;
	return NULL;
}

bool bus_is_registered(const struct bus_type *bus)
{
	bool found;

	for (unsigned int i = 0; i < ARRAY_SIZE(own_buses); i++)
		if (own_buses[i] == bus)
			return true;
	mutex_lock(&lock);
	found = find_registered(bus);
	mutex_unlock(&lock);
	return found;
}

/* Call it under the lock. */
static bool is_taken(const char *name)
{
	struct registered *registered;

	for (unsigned int i = 0; i < ARRAY_SIZE(own_buses); i++)
		if (!strcmp(own_buses[i]->name, name))
			return true;
	list_for_each_entry(registered, &all_registered, list)
		if (!strcmp(registered->bus->name, name))
			return true;
	return false;
}

/* Who wants to know of a bus. bus_type may be constant, so it cannot have a list of its own. */
struct listeners {
	struct list_head list;
	const struct bus_type *bus;
	struct blocking_notifier_head head;
};

static LIST_HEAD(all_listeners);	/* Sync: lock; an entry stays */

static struct listeners *find_listeners(const struct bus_type *bus)
{
	struct listeners *listeners, *found = NULL;

	mutex_lock(&lock);
	list_for_each_entry(listeners, &all_listeners, list)
		if (listeners->bus == bus)
			found = listeners;
	mutex_unlock(&lock);
	return found;
}

static void notify(struct device *dev, unsigned long what)
{
	struct listeners *listeners = dev->bus ? find_listeners(dev->bus) : NULL;

	if (listeners)
		blocking_notifier_call_chain(&listeners->head, what, dev);
}

int bus_register_notifier(const struct bus_type *bus, struct notifier_block *block)
{
	struct listeners *listeners = find_listeners(bus);

	if (!bus_is_registered(bus))
		return -EINVAL;
	if (!listeners) {
		listeners = calloc(1, sizeof(*listeners));	/* not the module's: it stays */
		if (!listeners)
			return -ENOMEM;
		listeners->bus = bus;
		BLOCKING_INIT_NOTIFIER_HEAD(&listeners->head);
		mutex_lock(&lock);
		list_add(&listeners->list, &all_listeners);
		mutex_unlock(&lock);
	}
	return blocking_notifier_chain_register(&listeners->head, block);
}

int bus_unregister_notifier(const struct bus_type *bus, struct notifier_block *block)
{
	struct listeners *listeners = find_listeners(bus);

	if (!bus_is_registered(bus))
		return -EINVAL;
	return listeners ? blocking_notifier_chain_unregister(&listeners->head, block) : -ENOENT;
}

struct file_node *bus_folder(const struct bus_type *bus, const char *part)
{
	char path[128];

	snprintf(path, sizeof(path), SYS_PATH "/bus/%s%s", bus->name, part);
	return node_base(path);
}

int bus_register(const struct bus_type *bus)
{
	struct registered *registered = calloc(1, sizeof(*registered));	/* not the module's */
	bool taken;

	if (!registered || IS_ERR_OR_NULL(bus_folder(bus, ""))) {
		free(registered);
		return -ENOMEM;
	}
	registered->bus = bus;
	mutex_lock(&lock);
	taken = is_taken(bus->name);
	if (!taken)
		list_add(&registered->list, &all_registered);
	mutex_unlock(&lock);
	if (!taken)
		return 0;
	free(registered);
	sysfs_say_name_is_taken(bus->name);
	return -EEXIST;
}

/* Its listeners go as well, as in Linux. */
void bus_unregister(const struct bus_type *bus)
{
	struct listeners *listeners = find_listeners(bus);
	struct registered *registered;

	mutex_lock(&lock);
	registered = find_registered(bus);
	if (registered)
		list_del(&registered->list);
	mutex_unlock(&lock);
	if (registered && listeners)
		BLOCKING_INIT_NOTIFIER_HEAD(&listeners->head);
	free(registered);
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
	notify(dev, BUS_NOTIFY_BIND_DRIVER);
	if (dev->bus->probe)
		error = dev->bus->probe(dev);
	else if (driver->probe)
		error = driver->probe(dev);
	if (!error)
		error = sysfs_create_groups(&dev->kobj, driver->dev_groups);
	if (!error) {
		notify(dev, BUS_NOTIFY_BOUND_DRIVER);
		return 1;
	}
	notify(dev, BUS_NOTIFY_DRIVER_NOT_BOUND);
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
	notify(dev, BUS_NOTIFY_UNBIND_DRIVER);
	sysfs_remove_groups(&dev->kobj, driver->dev_groups);
	if (dev->bus && dev->bus->remove)	/* KUnit's devices have a driver alone */
		dev->bus->remove(dev);
	else if (driver->remove)
		driver->remove(dev);
	dev->driver = NULL;
	dev_set_drvdata(dev, NULL);
	devres_release_all(dev);
	notify(dev, BUS_NOTIFY_UNBOUND_DRIVER);
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

int bus_may_add_device(const struct device *dev)
{
	if (!dev->bus || bus_is_registered(dev->bus))
		return 0;
	pr_err("bus_add_device: cannot add device '%s' to unregistered bus '%s'\n",
	       dev_name(dev), dev->bus->name);
	return -EINVAL;
}

void bus_add_device(struct device *dev)
{
	mutex_lock(&lock);
	list_add_tail(&dev->usermm_list, &devices);
	mutex_unlock(&lock);
	notify(dev, BUS_NOTIFY_ADD_DEVICE);
	if (dev->bus)
		device_attach(dev);
}

void bus_remove_device(struct device *dev)
{
	notify(dev, BUS_NOTIFY_DEL_DEVICE);
	unbind(dev);
	mutex_lock(&lock);
	list_del_init(&dev->usermm_list);
	mutex_unlock(&lock);
	notify(dev, BUS_NOTIFY_REMOVED_DEVICE);
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

static bool is_of_class(struct device *dev, const void *class)
{
	return dev->class == class;
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

struct search {
	const void *data;
	int (*match)(struct device *dev, const void *data);
	struct device *found;
};

static int take_match(struct device *dev, void *data)
{
	struct search *search = data;

	if (!search->match(dev, search->data))
		return 0;
	search->found = get_device(dev);
	return 1;
}

struct device *bus_find_device(const struct bus_type *bus, struct device *start, const void *data,
			       int (*match)(struct device *dev, const void *data))
{
	struct search search = { .data = data, .match = match };

	bus_for_each_dev(bus, start, &search, take_match);
	return search.found;
}

static bool is_ready(const struct class *class, const char *caller)
{
	return class && !WARN(!class_is_registered(class),
			      "%s called for class '%s' before it was initialized", caller,
			      class->name);
}

int class_for_each_device(const struct class *class, const struct device *start, void *data,
			  int (*function)(struct device *dev, void *data))
{
	if (!is_ready(class, __func__))
		return -EINVAL;
	return for_each((struct device *)start, is_of_class, class, data, function);
}

struct device *class_find_device(const struct class *class, const struct device *start,
				 const void *data,
				 int (*match)(struct device *dev, const void *data))
{
	struct search search = { .data = data, .match = match };

	if (is_ready(class, __func__))
		for_each((struct device *)start, is_of_class, class, &search, take_match);
	return search.found;
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

static void remove_folder(struct device_driver *driver)
{
	node_remove(node_of_kernfs(driver->usermm_kobj.sd));
	driver->usermm_kobj.sd = NULL;
}

static int add_folder(struct device_driver *driver)
{
	static const struct sysfs_ops operations = { .show = driver_show, .store = driver_store };
	static const struct kobj_type type = { .sysfs_ops = &operations };
	struct file_node *node;
	int error;

	node = node_create(bus_folder(driver->bus, "/drivers"), driver->name, S_IFDIR | 0755, NULL,
			   NULL);
	if (IS_ERR(node))
		return PTR_ERR(node) == -EEXIST ? -EBUSY : (int)PTR_ERR(node);
	driver->usermm_kobj = (struct kobject){
		.name = driver->name, .ktype = &type, .sd = kernfs_of_node(node),
	};
	error = sysfs_create_groups(&driver->usermm_kobj, driver->groups);
	if (error)
		remove_folder(driver);
	return error;
}

int driver_register(struct device_driver *driver)
{
	int error;

	if (!driver->bus || !driver->name)
		return -EINVAL;
	if (!bus_is_registered(driver->bus)) {
		pr_err("Driver '%s' was unable to register with bus_type '%s' because the bus was "
		       "not initialized.\n", driver->name, driver->bus->name);
		return -EINVAL;
	}
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
	if (!driver || !driver->usermm_kobj.sd) {
		WARN(1, "Unexpected driver unregister!\n");
		return;
	}
	mutex_lock(&lock);
	list_del_init(&driver->usermm_list);
	mutex_unlock(&lock);
	for_each(NULL, is_bound_to, driver, NULL, unbind_one);
	remove_folder(driver);
}

int driver_create_file(const struct device_driver *driver, const struct driver_attribute *attr)
{
	return sysfs_create_file((struct kobject *)&driver->usermm_kobj, &attr->attr);
}

void driver_remove_file(const struct device_driver *driver, const struct driver_attribute *attr)
{
	sysfs_remove_file((struct kobject *)&driver->usermm_kobj, &attr->attr);
}
