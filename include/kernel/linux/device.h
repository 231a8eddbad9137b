/* SPDX-License-Identifier: MIT */
/* There are no devices: the structure has a name, and messages go to the log. */
#ifndef _LINUX_DEVICE_H
#define _LINUX_DEVICE_H

#include <linux/kdev_t.h>
#include <linux/kobject.h>
#include <linux/numa.h>
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

/* Classes and devices for nodes in /dev, which nobody makes: all of them are these two. */
struct class {
	const char *name;
};

static inline struct class *usermm_class(void)
{
	static struct class class = { .name = "class" };

	return &class;
}

static inline struct device *usermm_device(void)
{
	static struct device device = { .init_name = "device" };

	return &device;
}

/* (name) from 6.4 on, (owner, name) before. */
#define class_create(...) ((void)(__VA_ARGS__), usermm_class())
#define class_destroy(class) ((void)(class))
#define device_create(class, parent, dev, data, ...) \
	((void)(class), (void)(parent), (void)(dev), (void)(data), usermm_device())
#define device_destroy(class, dev) ((void)(class), (void)(dev))

#endif
