/* SPDX-License-Identifier: MIT */
/* What device.c, bus.c and class.c know of one another. */
#ifndef KERNEL_BUS_H
#define KERNEL_BUS_H

#include <stdbool.h>
#include <stddef.h>

struct bus_type;
struct class;
struct device;
struct file_node;
struct kobject;

/* The bus of work queues that have files in /sys. */
extern const struct bus_type workqueue_bus;

/* Is it one of Linux's, or was bus_register() called? */
bool bus_is_registered(const struct bus_type *bus);

/* -EINVAL, with a line, if the device's bus is not registered; else 0. */
int bus_may_add_device(const struct device *dev);
/* The bus's folder in /sys, or the part "/devices" or "/drivers" of it. Made if it is missing. */
struct file_node *bus_folder(const struct bus_type *bus, const char *part);
/* The device's driver is looked for, or taken away from it. No effect without a bus. */
void bus_add_device(struct device *dev);
void bus_remove_device(struct device *dev);

/* The folder of /sys for a device without a parent; false if the object is no device. */
bool device_home(const struct kobject *kobj, char *path, size_t size);

/* Was class_register() called? */
bool class_is_registered(const struct class *class);
/* The class's folder in /sys, which is made if it is missing. */
struct file_node *class_folder(const struct class *class);

#endif
