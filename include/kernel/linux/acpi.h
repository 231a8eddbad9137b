/* SPDX-License-Identifier: MIT */
/* As without CONFIG_ACPI: nothing is found. */
#ifndef _LINUX_ACPI_H
#define _LINUX_ACPI_H

#include <linux/dev_printk.h>
#include <linux/device.h>
#include <linux/errno.h>
#include <linux/io.h>
#include <linux/ioport.h>
#include <linux/mod_devicetable.h>
#include <linux/pid.h>
#include <linux/property.h>
#include <linux/socket.h>
#include <linux/types.h>

typedef void *acpi_handle;
typedef u32 acpi_status;
typedef char *acpi_string;

#define AE_OK 0
#define AE_ERROR 1
#define AE_NOT_FOUND 5
#define ACPI_FULL_PATHNAME 0
#define ACPI_SINGLE_NAME 1
#define ACPI_SUCCESS(status) (!(status))
#define ACPI_FAILURE(status) ((status) != 0)
#define ACPI_ALLOCATE_BUFFER ((acpi_size)-1)
#define ACPI_TYPE_INTEGER 1
#define ACPI_TYPE_STRING 2
#define ACPI_TYPE_BUFFER 3
#define ACPI_TYPE_PACKAGE 4
typedef size_t acpi_size;

union acpi_object {
	u32 type;
	struct {
		u32 type;
		u64 value;
	} integer;
	struct {
		u32 type, length;
		char *pointer;
	} string;
	struct {
		u32 type, length;
		u8 *pointer;
	} buffer;
	struct {
		u32 type, count;
		union acpi_object *elements;
	} package;
};

struct acpi_object_list {
	u32 count;
	union acpi_object *pointer;
};

struct acpi_buffer {
	acpi_size length;
	void *pointer;
};

struct acpi_device {
	acpi_handle handle;
	void *driver_data;
	struct device dev;
};

static inline acpi_handle acpi_device_handle(struct acpi_device *device)
{
	return device ? device->handle : NULL;
}

#define acpi_driver_data(device) ((device)->driver_data)
#define to_acpi_device(device) container_of(device, struct acpi_device, dev)

struct acpi_device_ops {
	int (*add)(struct acpi_device *device);
	void (*remove)(struct acpi_device *device);
	void (*notify)(struct acpi_device *device, u32 event);
};

struct acpi_driver {
	char name[80], class[80];
	const struct acpi_device_id *ids;
	unsigned int flags;
	struct acpi_device_ops ops;
	struct device_driver drv;
	struct module *owner;
};

#define acpi_disabled 1
#define ACPI_PTR(pointer) NULL
#define ACPI_COMPANION(dev) ((void)(dev), (struct acpi_device *)NULL)
#define ACPI_HANDLE(dev) ((void)(dev), (acpi_handle)NULL)
#define acpi_bus_register_driver(driver) ((void)(driver), -ENODEV)
#define acpi_bus_unregister_driver(driver) ((void)(driver))
#define module_acpi_driver(driver) \
	module_driver(driver, acpi_bus_register_driver, acpi_bus_unregister_driver)
#define acpi_get_handle(parent, path, handle) \
	((void)(parent), (void)(path), (void)(handle), (acpi_status)AE_NOT_FOUND)
#define acpi_get_name(handle, kind, buffer) \
	((void)(handle), (void)(kind), (void)(buffer), (acpi_status)AE_NOT_FOUND)
#define acpi_format_exception(status) \
	((status) == AE_OK ? "AE_OK" : (status) == AE_NOT_FOUND ? "AE_NOT_FOUND" : "AE_ERROR")
#define acpi_evaluate_object(handle, path, arguments, result) \
	((void)(handle), (void)(path), (void)(arguments), (void)(result), \
	 (acpi_status)AE_NOT_FOUND)
#define acpi_evaluate_integer(handle, path, arguments, result) \
	acpi_evaluate_object(handle, path, arguments, result)
#define acpi_match_device(ids, dev) \
	((void)(ids), (void)(dev), (const struct acpi_device_id *)NULL)

/* A laptop's WMI methods, by the GUIDs of its devices: see linux/wmi.h. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0)
typedef void (*wmi_notify_handler)(union acpi_object *data, void *context);
#else
typedef void (*wmi_notify_handler)(u32 value, void *context);
#endif

static inline bool wmi_has_guid(const char *guid)
{
	(void)guid;
	return false;
}

static inline int wmi_instance_count(const char *guid)
{
	(void)guid;
	return -ENODEV;
}

static inline acpi_status wmi_evaluate_method(const char *guid, u8 instance, u32 method,
					      const struct acpi_buffer *in,
					      struct acpi_buffer *out)
{
	(void)guid, (void)instance, (void)method, (void)in, (void)out;
	return AE_ERROR;
}

static inline acpi_status wmi_query_block(const char *guid, u8 instance, struct acpi_buffer *out)
{
	(void)guid, (void)instance, (void)out;
	return AE_ERROR;
}

static inline acpi_status wmi_set_block(const char *guid, u8 instance,
					const struct acpi_buffer *in)
{
	(void)guid, (void)instance, (void)in;
	return AE_ERROR;
}

static inline acpi_status wmi_install_notify_handler(const char *guid, wmi_notify_handler handler,
						     void *data)
{
	(void)guid, (void)handler, (void)data;
	return AE_ERROR;
}

static inline acpi_status wmi_remove_notify_handler(const char *guid)
{
	(void)guid;
	return AE_ERROR;
}

static inline char *wmi_get_acpi_device_uid(const char *guid)
{
	(void)guid;
	return NULL;
}

#define acpi_dev_found(id) ((void)(id), false)
#define acpi_dev_present(id, uid, hrv) ((void)(id), (void)(uid), (void)(hrv), false)

#endif
