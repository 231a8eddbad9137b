/* SPDX-License-Identifier: MIT */
/* Devices and drivers of a case. They are freed when the case ends. */
#ifndef _KUNIT_DEVICE_H
#define _KUNIT_DEVICE_H

#include <kunit/resource.h>
#include <kunit/test.h>
#include <linux/device.h>
#include <linux/err.h>
#include <linux/slab.h>

static inline void usermm_kunit_device_release(struct device *dev)
{
	kfree(dev);
}

static inline void usermm_kunit_device_unregister(void *dev)
{
	device_unregister((struct device *)dev);
}

/* The driver is only a name: it probes nothing. */
static inline struct device_driver *kunit_driver_create(struct kunit *test, const char *name)
{
	struct device_driver *driver = (struct device_driver *)
		kunit_kzalloc(test, sizeof(*driver), GFP_KERNEL);

	if (!driver)
		return (struct device_driver *)ERR_PTR(-ENOMEM);
	driver->name = kunit_kstrdup(test, name, GFP_KERNEL);
	return driver->name ? driver : (struct device_driver *)ERR_PTR(-ENOMEM);
}

static inline struct device *
kunit_device_register_with_driver(struct kunit *test, const char *name,
				  const struct device_driver *driver)
{
	struct device *dev = (struct device *)kzalloc(sizeof(*dev), GFP_KERNEL);
	int error;

	if (!dev)
		return (struct device *)ERR_PTR(-ENOMEM);
	dev->release = usermm_kunit_device_release;
	dev->driver = (struct device_driver *)driver;
	device_initialize(dev);
	error = dev_set_name(dev, "%s.%s", test->name, name);
	if (!error)
		error = device_add(dev);
	if (error) {
		put_device(dev);
		return (struct device *)ERR_PTR(error);
	}
	error = kunit_add_action_or_reset(test, usermm_kunit_device_unregister, dev);
	return error ? (struct device *)ERR_PTR(error) : dev;
}

static inline struct device *kunit_device_register(struct kunit *test, const char *name)
{
	struct device_driver *driver = kunit_driver_create(test, name);

	if (IS_ERR(driver))
		return (struct device *)driver;
	return kunit_device_register_with_driver(test, name, driver);
}

static inline void kunit_device_unregister(struct kunit *test, struct device *dev)
{
	kunit_release_action(test, usermm_kunit_device_unregister, dev);
}

#endif
