// SPDX-License-Identifier: MIT
/*
 * The platform bus: devices that modules make, and drivers of the same name. cf. Linux
 * drivers/base/platform.c.
 */
#include <linux/device.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/platform_device.h>
#include <linux/slab.h>

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

static int is_one(struct device *dev, void *unused)
{
	(void)dev;
	(void)unused;
	return 1;
}

int platform_driver_probe(struct platform_driver *driver,
			  int (*probe_function)(struct platform_device *pdev))
{
	int error;

	driver->probe = probe_function;
	error = usermm_platform_driver_register(driver);
	if (error)
		return error;
	if (driver_for_each_device(&driver->driver, NULL, NULL, is_one))
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

struct resource *platform_get_resource_byname(struct platform_device *pdev, unsigned int type,
					      const char *name)
{
	for (u32 i = 0; i < pdev->num_resources; i++) {
		struct resource *resource = &pdev->resource[i];

		if ((resource->flags & IORESOURCE_TYPE_BITS) == type && resource->name &&
		    !strcmp(resource->name, name))
			return resource;
	}
	return NULL;
}

int platform_get_irq_byname_optional(struct platform_device *pdev, const char *name)
{
	struct resource *resource = platform_get_resource_byname(pdev, IORESOURCE_IRQ, name);

	return resource ? (int)resource->start : -ENXIO;
}

int platform_get_irq_byname(struct platform_device *pdev, const char *name)
{
	int irq = platform_get_irq_byname_optional(pdev, name);

	return irq < 0 ? dev_err_probe(&pdev->dev, irq, "IRQ %s not found\n", name) : irq;
}
