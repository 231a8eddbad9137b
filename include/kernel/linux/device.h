/* SPDX-License-Identifier: MIT */
/* There are no devices: the structure has a name, and messages go to the log. */
#ifndef _LINUX_DEVICE_H
#define _LINUX_DEVICE_H

#include <linux/printk.h>
#include <linux/slab.h>
#include <linux/types.h>

struct device {
	const char *init_name;
	struct device *parent;
	void *driver_data;
};

#define dev_name(dev) ((dev)->init_name ? (dev)->init_name : "device")
#define dev_err(dev, fmt, ...) pr_err("%s: " fmt, dev_name(dev), ##__VA_ARGS__)
#define dev_warn(dev, fmt, ...) pr_warn("%s: " fmt, dev_name(dev), ##__VA_ARGS__)
#define dev_info(dev, fmt, ...) pr_info("%s: " fmt, dev_name(dev), ##__VA_ARGS__)
#define dev_dbg(dev, fmt, ...) pr_debug("%s: " fmt, dev_name(dev), ##__VA_ARGS__)
#define dev_get_drvdata(dev) ((dev)->driver_data)
#define dev_set_drvdata(dev, data) ((void)((dev)->driver_data = (data)))
#define dev_to_node(dev) ((void)(dev), NUMA_NO_NODE)

#endif
