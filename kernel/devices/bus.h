/* SPDX-License-Identifier: MIT */
/* What device.c and bus.c know of one another. */
#ifndef KERNEL_BUS_H
#define KERNEL_BUS_H

#include <stdbool.h>
#include <stddef.h>

struct device;
struct kobject;

/* The device's driver is looked for, or taken away from it. No effect without a bus. */
void bus_add_device(struct device *dev);
void bus_remove_device(struct device *dev);

/* The folder of /sys for a device without a parent; false if the object is no device. */
bool device_home(const struct kobject *kobj, char *path, size_t size);

#endif
