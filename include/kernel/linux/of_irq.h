/* SPDX-License-Identifier: MIT */
#ifndef __OF_IRQ_H
#define __OF_IRQ_H

#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/errno.h>
#include <linux/ioport.h>
#include <linux/irq.h>
#include <linux/irqdomain.h>
#include <linux/of.h>
#include <linux/pid.h>
#include <linux/types.h>

/* No device tree gives interrupts to devices: 0 is none. */
static inline unsigned int irq_of_parse_and_map(struct device_node *node, int index)
{
	(void)node;
	(void)index;
	return 0;
}

static inline int of_irq_get(struct device_node *node, int index)
{
	(void)node;
	(void)index;
	return 0;
}

#define of_irq_get_byname(node, name) ((void)(name), of_irq_get(node, 0))

#endif
