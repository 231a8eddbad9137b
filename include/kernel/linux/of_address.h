/* SPDX-License-Identifier: MIT */
#ifndef __OF_ADDRESS_H
#define __OF_ADDRESS_H

#include <linux/errno.h>
#include <linux/io.h>
#include <linux/ioport.h>
#include <linux/of.h>

static inline int of_address_to_resource(struct device_node *node, int index,
					 struct resource *resource)
{
	(void)node;
	(void)index;
	(void)resource;
	return -EINVAL;
}

static inline void __iomem *of_iomap(struct device_node *node, int index)
{
	(void)node;
	(void)index;
	return NULL;
}

#endif
