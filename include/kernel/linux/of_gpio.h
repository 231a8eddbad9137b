/* SPDX-License-Identifier: MIT */
/* No device tree gives lines to devices. */
#ifndef __LINUX_OF_GPIO_H
#define __LINUX_OF_GPIO_H

#include <linux/gpio.h>
#include <linux/gpio/driver.h>
#include <linux/of.h>

enum of_gpio_flags { OF_GPIO_ACTIVE_LOW = 1 };

static inline int of_get_named_gpio(const struct device_node *node, const char *name, int index)
{
	(void)node;
	(void)name;
	(void)index;
	return -ENOSYS;
}

#define of_get_named_gpio_flags(node, name, index, flags) \
	((void)(flags), of_get_named_gpio(node, name, index))
#define of_get_gpio(node, index) of_get_named_gpio(node, "gpios", index)
#define of_gpio_count(node) ((void)(node), -ENOSYS)
#define of_gpio_named_count(node, name) ((void)(node), (void)(name), -ENOSYS)

#endif
