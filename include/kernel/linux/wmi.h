/* SPDX-License-Identifier: MIT */
/* Drivers of a laptop's WMI devices. There is no such device, so probe() is never called. */
#ifndef _LINUX_WMI_H
#define _LINUX_WMI_H

#include <linux/acpi.h>
#include <linux/device.h>
#include <linux/mod_devicetable.h>
#include <linux/module.h>
#include <linux/version.h>
#include <usermm/compiler.h>

struct wmi_device {
	struct device dev;
	bool setable;
};

struct wmi_driver {
	struct device_driver driver;
	const struct wmi_device_id *id_table;
	bool no_notify_data, no_singleton;
#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 3, 0)
	int (*probe)(struct wmi_device *device, const void *context);
#else
	int (*probe)(struct wmi_device *device);
#endif
#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 12, 0)
	void (*remove)(struct wmi_device *device);
#else
	int (*remove)(struct wmi_device *device);
#endif
	void (*notify)(struct wmi_device *device, union acpi_object *data);
};

extern const struct bus_type usermm_wmi_bus_type __attribute__((visibility("default")));

static inline int __wmi_driver_register(struct wmi_driver *driver, struct module *owner)
{
	driver->driver.owner = owner;
	driver->driver.bus = &usermm_wmi_bus_type;
	return driver_register(&driver->driver);
}

static inline void wmi_driver_unregister(struct wmi_driver *driver)
{
	driver_unregister(&driver->driver);
}

#define wmi_driver_register(wmi_driver_ptr) __wmi_driver_register(wmi_driver_ptr, THIS_MODULE)
#define module_wmi_driver(wmi_driver) \
	module_driver(wmi_driver, wmi_driver_register, wmi_driver_unregister)
#define to_wmi_device(device) container_of(device, struct wmi_device, dev)
#define wmidev_evaluate_method(device, instance, method, in, out) \
	((void)(device), wmi_evaluate_method(NULL, instance, method, in, out))
#define wmidev_block_query(device, instance) \
	((void)(device), (void)(instance), (union acpi_object *)NULL)
#define wmidev_block_set(device, instance, in) \
	((void)(device), wmi_set_block(NULL, instance, in))
#define wmidev_instance_count(device) ((void)(device), (u8)0)

#endif
