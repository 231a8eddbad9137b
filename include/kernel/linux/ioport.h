/* SPDX-License-Identifier: MIT */
/*
 * Ranges of ports and of device memory. No device has any, so each range is free until a module
 * takes it; what reads a port gets ones, as where nobody answers (asm/io.h).
 */
#ifndef _LINUX_IOPORT_H
#define _LINUX_IOPORT_H

#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/minmax.h>
#include <linux/types.h>
#include <usermm/compiler.h>

struct resource {
	resource_size_t start, end;	/* the last address belongs to it */
	const char *name;
	unsigned long flags;
	unsigned long desc;
	struct resource *parent, *sibling, *child;	/* Sync: kernel/devices/ioport.c's lock */
};

#define IORESOURCE_BITS 0x000000ff
#define IORESOURCE_TYPE_BITS 0x00001f00
#define IORESOURCE_IO 0x00000100
#define IORESOURCE_MEM 0x00000200
#define IORESOURCE_REG 0x00000300
#define IORESOURCE_IRQ 0x00000400
#define IORESOURCE_DMA 0x00000800
#define IORESOURCE_BUS 0x00001000
#define IORESOURCE_PREFETCH 0x00002000
#define IORESOURCE_READONLY 0x00004000
#define IORESOURCE_SIZEALIGN 0x00040000
#define IORESOURCE_EXCLUSIVE 0x08000000
#define IORESOURCE_DISABLED 0x10000000
#define IORESOURCE_UNSET 0x20000000
#define IORESOURCE_BUSY 0x80000000

#define DEFINE_RES_NAMED(_start, _size, _name, _flags)			\
	(struct resource){						\
		.start = (_start), .end = (_start) + (_size) - 1,	\
		.name = (_name), .flags = (_flags),			\
	}
#define DEFINE_RES_MEM(start, size) DEFINE_RES_NAMED(start, size, NULL, IORESOURCE_MEM)
#define DEFINE_RES_MEM_NAMED(start, size, name) \
	DEFINE_RES_NAMED(start, size, name, IORESOURCE_MEM)
#define DEFINE_RES_IO(start, size) DEFINE_RES_NAMED(start, size, NULL, IORESOURCE_IO)
#define DEFINE_RES_IO_NAMED(start, size, name) \
	DEFINE_RES_NAMED(start, size, name, IORESOURCE_IO)
#define DEFINE_RES_IRQ(irq) DEFINE_RES_NAMED(irq, 1, NULL, IORESOURCE_IRQ)
#define DEFINE_RES_IRQ_NAMED(irq, name) DEFINE_RES_NAMED(irq, 1, name, IORESOURCE_IRQ)

struct device;

USERMM_BEGIN_DECLS

extern struct resource ioport_resource USERMM_API(ioport_resource);
extern struct resource iomem_resource USERMM_API(iomem_resource);

/* 0, or -EBUSY if a part of the range is taken. */
int request_resource(struct resource *root, struct resource *resource)
	USERMM_API(request_resource);
int release_resource(struct resource *resource) USERMM_API(release_resource);
/* The range, busy now; NULL if a part of it is taken, or without memory. */
struct resource *usermm_request_region(struct resource *root, resource_size_t start,
				       resource_size_t n, const char *name)
	__attribute__((visibility("default")));
void usermm_release_region(struct resource *root, resource_size_t start, resource_size_t n)
	__attribute__((visibility("default")));
struct resource *usermm_devm_request_region(struct device *dev, struct resource *root,
					    resource_size_t start, resource_size_t n,
					    const char *name)
	__attribute__((visibility("default")));

USERMM_END_DECLS

static inline resource_size_t resource_size(const struct resource *resource)
{
	return resource->end - resource->start + 1;
}

static inline unsigned long resource_type(const struct resource *resource)
{
	return resource->flags & IORESOURCE_TYPE_BITS;
}

#define request_region(start, n, name) \
	usermm_request_region(&ioport_resource, start, n, name)
#define request_muxed_region(start, n, name) request_region(start, n, name)
#define request_mem_region(start, n, name) \
	usermm_request_region(&iomem_resource, start, n, name)
#define request_mem_region_exclusive(start, n, name) request_mem_region(start, n, name)
#define release_region(start, n) usermm_release_region(&ioport_resource, start, n)
#define release_mem_region(start, n) usermm_release_region(&iomem_resource, start, n)
#define devm_request_region(dev, start, n, name) \
	usermm_devm_request_region(dev, &ioport_resource, start, n, name)
#define devm_request_mem_region(dev, start, n, name) \
	usermm_devm_request_region(dev, &iomem_resource, start, n, name)

#endif
