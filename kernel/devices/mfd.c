// SPDX-License-Identifier: MIT
/* Devices of several functions: see linux/mfd/core.h; cf. Linux drivers/mfd/mfd-core.c. */
#include <linux/device.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/mfd/core.h>
#include <linux/mutex.h>
#include <linux/slab.h>

/* A device of a cell. */
struct child {
	struct list_head node;
	struct platform_device *pdev;
	struct mfd_cell cell;		/* what the device's own pointer points to */
	struct resource resources[];
};

static DEFINE_MUTEX(lock);
static LIST_HEAD(children);		/* Sync: lock */

static void place(struct resource *resource, const struct resource *mem_base, int irq_base)
{
	if (resource->flags & IORESOURCE_MEM && mem_base) {
		resource->start += mem_base->start;
		resource->end += mem_base->start;
	} else if (resource->flags & IORESOURCE_IRQ) {
		resource->start += (resource_size_t)irq_base;
		resource->end += (resource_size_t)irq_base;
	}
}

static int fill(struct child *child, struct device *parent, const struct resource *mem_base,
		int irq_base)
{
	struct platform_device *pdev = child->pdev;
	unsigned int n = (unsigned int)child->cell.num_resources;
	int error = 0;

	pdev->dev.parent = parent;
	pdev->mfd_cell = &child->cell;
	for (unsigned int i = 0; i < n; i++) {
		child->resources[i] = child->cell.resources[i];
		place(&child->resources[i], mem_base, irq_base);
	}
	if (child->cell.pdata_size)
		error = platform_device_add_data(pdev, child->cell.platform_data,
						 child->cell.pdata_size);
	if (!error)
		error = platform_device_add_resources(pdev, child->resources, n);
	return error ? error : platform_device_add(pdev);
}

static int add_cell(struct device *parent, int id, const struct mfd_cell *cell,
		    const struct resource *mem_base, int irq_base)
{
	struct child *child = kzalloc(struct_size(child, resources, cell->num_resources),
				      GFP_KERNEL);
	int error = -ENOMEM;

	if (!child)
		return -ENOMEM;
	child->cell = *cell;
	child->pdev = platform_device_alloc(cell->name,
					    id == PLATFORM_DEVID_AUTO ? id : id + cell->id);
	if (child->pdev)
		error = fill(child, parent, mem_base, irq_base);
	if (error) {
		platform_device_put(child->pdev);
		kfree(child);
		return error;
	}
	mutex_lock(&lock);
	list_add_tail(&child->node, &children);
	mutex_unlock(&lock);
	return 0;
}

/* The last device of the parent whose level is no higher: it is out of the list. Or NULL. */
static struct child *take_last(struct device *parent, int level)
{
	struct child *child;

	mutex_lock(&lock);
	list_for_each_entry_reverse(child, &children, node) {
		if (child->pdev->dev.parent == parent && child->cell.level <= level) {
			list_del(&child->node);
			mutex_unlock(&lock);
			return child;
		}
	}
	mutex_unlock(&lock);
	return NULL;
}

static void remove_up_to(struct device *parent, int level)
{
	struct child *child;

	while ((child = take_last(parent, level))) {
		platform_device_unregister(child->pdev);
		kfree(child);
	}
}

int mfd_add_devices(struct device *parent, int id, const struct mfd_cell *cells, int n_devs,
		    struct resource *mem_base, int irq_base, struct irq_domain *irq_domain)
{
	(void)irq_domain;
	for (int i = 0; i < n_devs; i++) {
		int error = add_cell(parent, id, cells + i, mem_base, irq_base);

		if (error) {
			if (i)
				mfd_remove_devices(parent);
			return error;
		}
	}
	return 0;
}

void mfd_remove_devices(struct device *parent)
{
	remove_up_to(parent, MFD_DEP_LEVEL_NORMAL);
}

void mfd_remove_devices_late(struct device *parent)
{
	remove_up_to(parent, MFD_DEP_LEVEL_HIGH);
}

static void remove_managed(void *parent)
{
	mfd_remove_devices((struct device *)parent);
}

int devm_mfd_add_devices(struct device *dev, int id, const struct mfd_cell *cells, int n_devs,
			 struct resource *mem_base, int irq_base, struct irq_domain *irq_domain)
{
	int error = mfd_add_devices(dev, id, cells, n_devs, mem_base, irq_base, irq_domain);

	return error ? error : devm_add_action_or_reset(dev, remove_managed, dev);
}
