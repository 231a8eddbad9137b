/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_IO_H
#define KERNEL_LINUX_IO_H

#include <asm/io.h>
#include <usermm/compiler.h>

struct device;
struct resource;

USERMM_BEGIN_DECLS

/*
 * ioremap() that ends with the device. devm_ioremap_resource() also takes the range, and returns an
 * error pointer on failure.
 */
void __iomem *devm_ioremap(struct device *dev, resource_size_t start, resource_size_t n)
	USERMM_API(devm_ioremap);
void __iomem *devm_ioremap_resource(struct device *dev, const struct resource *resource)
	USERMM_API(devm_ioremap_resource);

USERMM_END_DECLS

#define MEMREMAP_WB (1UL << 0)
#define MEMREMAP_WT (1UL << 1)
#define MEMREMAP_WC (1UL << 2)
#define memremap(start, n, flags) ((void)(flags), (void __force *)ioremap(start, n))
#define memunmap(address) iounmap((void __iomem *)(address))
#define devm_ioremap_wc(dev, start, n) devm_ioremap(dev, start, n)
#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 6, 0)
#define devm_ioremap_nocache(dev, start, n) devm_ioremap(dev, start, n)
#else
USERMM_REMOVED(devm_ioremap_nocache, "5.6", "devm_ioremap()")
#endif

#endif
