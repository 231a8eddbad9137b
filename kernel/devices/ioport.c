// SPDX-License-Identifier: MIT
/*
 * Ranges of ports and device memory, and memory in a device's place. cf. Linux kernel/resource.c.
 */
#include <linux/device.h>
#include <linux/err.h>
#include <linux/io.h>
#include <linux/ioport.h>
#include <linux/kernel.h>
#include <linux/mutex.h>
#include <linux/platform_device.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

struct resource ioport_resource = {
	.name = "PCI IO", .start = 0, .end = 0xffff, .flags = IORESOURCE_IO,
};
struct resource iomem_resource = {
	.name = "PCI mem", .start = 0, .end = ~0ULL, .flags = IORESOURCE_MEM,
};

static DEFINE_MUTEX(lock);

/* The ranges of a root are a list, in no order. */
int request_resource(struct resource *root, struct resource *resource)
{
	int error = 0;

	if (resource->end < resource->start || resource->start < root->start ||
	    resource->end > root->end)
		return -EBUSY;
	mutex_lock(&lock);
	for (const struct resource *other = root->child; other; other = other->sibling)
		if (resource->start <= other->end && other->start <= resource->end)
			error = -EBUSY;
	if (!error) {
		resource->parent = root;
		resource->sibling = root->child;
		root->child = resource;
	}
	mutex_unlock(&lock);
	return error;
}

/* Call it under the lock. */
static int unlink_it(struct resource *resource)
{
	struct resource **link;

	if (!resource->parent)
		return -EINVAL;
	for (link = &resource->parent->child; *link && *link != resource; link = &(*link)->sibling)
		;
	if (!*link)
		return -EINVAL;
	*link = resource->sibling;
	resource->parent = NULL;
	return 0;
}

int release_resource(struct resource *resource)
{
	int error;

	mutex_lock(&lock);
	error = unlink_it(resource);
	mutex_unlock(&lock);
	return error;
}

struct resource *usermm_request_region(struct resource *root, resource_size_t start,
				       resource_size_t n, const char *name)
{
	struct resource *resource = kzalloc(sizeof(*resource), GFP_KERNEL);

	if (!resource)
		return NULL;
	resource->name = name;
	resource->start = start;
	resource->end = start + n - 1;
	resource->flags = resource_type(root) | IORESOURCE_BUSY;
	if (!request_resource(root, resource))
		return resource;
	kfree(resource);
	return NULL;
}

void usermm_release_region(struct resource *root, resource_size_t start, resource_size_t n)
{
	struct resource *resource;

	mutex_lock(&lock);
	for (resource = root->child; resource; resource = resource->sibling)
		if (resource->start == start && resource->end == start + n - 1)
			break;
	if (resource)
		unlink_it(resource);
	mutex_unlock(&lock);
	if (!resource)
		pr_warn("Trying to free nonexistent resource <%016llx-%016llx>\n",
			(unsigned long long)start, (unsigned long long)(start + n - 1));
	kfree(resource);
}

struct managed {
	struct resource *root;
	resource_size_t start, n;
};

static void release_managed(void *data)
{
	struct managed *managed = data;

	usermm_release_region(managed->root, managed->start, managed->n);
}

struct resource *usermm_devm_request_region(struct device *dev, struct resource *root,
					    resource_size_t start, resource_size_t n,
					    const char *name)
{
	struct managed *managed = devm_kzalloc(dev, sizeof(*managed), GFP_KERNEL);
	struct resource *resource = managed ? usermm_request_region(root, start, n, name) : NULL;

	if (!resource)
		return NULL;
	*managed = (struct managed){ root, start, n };
	return devm_add_action_or_reset(dev, release_managed, managed) ? NULL : resource;
}

/* The result has the offset in a page that the address has. */
void __iomem *usermm_ioremap(phys_addr_t start, size_t n)
{
	size_t offset = offset_in_page(start);
	char *memory = n ? vzalloc(n + offset) : NULL;

	return memory ? (void __iomem *)(memory + offset) : NULL;
}

void usermm_iounmap(const volatile void __iomem *address)
{
	vfree((void *)((unsigned long)address & PAGE_MASK));
}

static void unmap(void *address)
{
	usermm_iounmap(address);
}

void __iomem *devm_ioremap(struct device *dev, resource_size_t start, resource_size_t n)
{
	void __iomem *address = usermm_ioremap(start, n);

	if (!address || devm_add_action_or_reset(dev, unmap, (void __force *)address))
		return NULL;
	return address;
}

void __iomem *devm_ioremap_resource(struct device *dev, const struct resource *resource)
{
	void __iomem *address;

	if (!resource || resource_type(resource) != IORESOURCE_MEM)
		return IOMEM_ERR_PTR(-EINVAL);
	if (!devm_request_mem_region(dev, resource->start, resource_size(resource),
				     dev_name(dev)))
		return IOMEM_ERR_PTR(-EBUSY);
	address = devm_ioremap(dev, resource->start, resource_size(resource));
	return address ? address : IOMEM_ERR_PTR(-ENOMEM);
}

void __iomem *devm_platform_ioremap_resource(struct platform_device *pdev, unsigned int number)
{
	return devm_ioremap_resource(&pdev->dev,
				     platform_get_resource(pdev, IORESOURCE_MEM, number));
}
