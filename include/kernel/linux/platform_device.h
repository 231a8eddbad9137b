/* SPDX-License-Identifier: MIT */
/* Platform devices: those that a module makes, since there are no others. See device.h. */
#ifndef _LINUX_PLATFORM_DEVICE_H
#define _LINUX_PLATFORM_DEVICE_H

#include <linux/dev_printk.h>
#include <linux/device.h>
#include <linux/ioport.h>
#include <linux/mod_devicetable.h>
#include <linux/pid.h>
#include <linux/socket.h>
#include <usermm/compiler.h>

#define PLATFORM_DEVID_NONE (-1)
#define PLATFORM_DEVID_AUTO (-2)
#define DMA_BIT_MASK_32 0xffffffffULL

struct mfd_cell;

struct platform_device {
	const char *name;
	int id;
	bool id_auto;
	struct device dev;
	u64 platform_dma_mask;
	u32 num_resources;
	struct resource *resource;
	const struct platform_device_id *id_entry;
	const char *driver_override;
	const struct mfd_cell *mfd_cell;	/* mfd/core.h */
};

struct platform_device_info {
	struct device *parent;
	const char *name;
	int id;
	const struct resource *res;
	unsigned int num_res;
	const void *data;
	size_t size_data;
	u64 dma_mask;
};

struct platform_driver {
	int (*probe)(struct platform_device *pdev);
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 11, 0)
	void (*remove)(struct platform_device *pdev);
#else
	int (*remove)(struct platform_device *pdev);
#endif
	void (*remove_new)(struct platform_device *pdev);	/* 6.3 to 6.13 */
	void (*shutdown)(struct platform_device *pdev);
	int (*suspend)(struct platform_device *pdev, pm_message_t state);
	int (*resume)(struct platform_device *pdev);
	struct device_driver driver;
	const struct platform_device_id *id_table;
	bool prevent_deferred_probe;
};

USERMM_BEGIN_DECLS

extern const struct bus_type platform_bus_type USERMM_API(platform_bus_type);
int usermm_platform_driver_register(struct platform_driver *driver)
	__attribute__((visibility("default")));
void platform_driver_unregister(struct platform_driver *driver)
	USERMM_API(platform_driver_unregister);
/* -ENODEV if no device is bound at once. */
int platform_driver_probe(struct platform_driver *driver,
			  int (*probe)(struct platform_device *pdev))
	USERMM_API(platform_driver_probe);
struct platform_device *platform_device_alloc(const char *name, int id)
	USERMM_API(platform_device_alloc);
int platform_device_add(struct platform_device *pdev) USERMM_API(platform_device_add);
void platform_device_del(struct platform_device *pdev) USERMM_API(platform_device_del);
void platform_device_put(struct platform_device *pdev) USERMM_API(platform_device_put);
int platform_device_register(struct platform_device *pdev) USERMM_API(platform_device_register);
void platform_device_unregister(struct platform_device *pdev)
	USERMM_API(platform_device_unregister);
int platform_device_add_data(struct platform_device *pdev, const void *data, size_t size)
	USERMM_API(platform_device_add_data);
int platform_device_add_resources(struct platform_device *pdev, const struct resource *resources,
				  unsigned int nr) USERMM_API(platform_device_add_resources);
struct platform_device *
platform_device_register_full(const struct platform_device_info *info)
	USERMM_API(platform_device_register_full);
struct platform_device *
platform_device_register_resndata(struct device *parent, const char *name, int id,
				  const struct resource *resources, unsigned int nr,
				  const void *data, size_t size)
	USERMM_API(platform_device_register_resndata);
struct resource *platform_get_resource(struct platform_device *pdev, unsigned int type,
				       unsigned int number) USERMM_API(platform_get_resource);
int platform_get_irq(struct platform_device *pdev, unsigned int number)
	USERMM_API(platform_get_irq);
int platform_get_irq_optional(struct platform_device *pdev, unsigned int number)
	USERMM_API(platform_get_irq_optional);
/* The same by the resource's name: NULL, -ENXIO. */
struct resource *platform_get_resource_byname(struct platform_device *pdev, unsigned int type,
					      const char *name)
	USERMM_API(platform_get_resource_byname);
int platform_get_irq_byname(struct platform_device *pdev, const char *name)
	USERMM_API(platform_get_irq_byname);
int platform_get_irq_byname_optional(struct platform_device *pdev, const char *name)
	USERMM_API(platform_get_irq_byname_optional);
/* devm_ioremap_resource() of the device's n-th memory resource. */
void __iomem *devm_platform_ioremap_resource(struct platform_device *pdev, unsigned int number)
	USERMM_API(devm_platform_ioremap_resource);

USERMM_END_DECLS

#define to_platform_device(device) container_of(device, struct platform_device, dev)
#define to_platform_driver(driver_ptr) \
	container_of(driver_ptr, struct platform_driver, driver)
#define platform_get_drvdata(pdev) dev_get_drvdata(&(pdev)->dev)
#define platform_set_drvdata(pdev, data) dev_set_drvdata(&(pdev)->dev, data)
#define platform_get_device_id(pdev) ((pdev)->id_entry)
#define platform_driver_register(driver_ptr) \
	((driver_ptr)->driver.owner = THIS_MODULE, usermm_platform_driver_register(driver_ptr))
#define module_platform_driver(driver) \
	module_driver(driver, platform_driver_register, platform_driver_unregister)
#define builtin_platform_driver(driver) module_platform_driver(driver)

static inline struct platform_device *platform_device_register_simple(
	const char *name, int id, const struct resource *resources, unsigned int nr)
{
	return platform_device_register_resndata(NULL, name, id, resources, nr, NULL, 0);
}

static inline struct platform_device *platform_device_register_data(
	struct device *parent, const char *name, int id, const void *data, size_t size)
{
	return platform_device_register_resndata(parent, name, id, NULL, 0, data, size);
}

#endif
