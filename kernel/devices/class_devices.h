/* SPDX-License-Identifier: MIT */
/*
 * What classes of devices have in common: the class is there while it has a device, and devices
 * have numbers and attributes that are made for each.
 */
#ifndef KERNEL_DEVICES_CLASS_DEVICES_H
#define KERNEL_DEVICES_CLASS_DEVICES_H

#include <linux/device.h>
#include <linux/idr.h>

struct device_kind {
	const char *name;		/* of its own class */
	const char *device_name;	/* that a number follows; NULL: names are the callers' */
	struct device_kind *of_class;	/* whose class it shares; NULL: it has its own */
	struct class *class;		/* Sync: class_devices.c's lock */
	unsigned int nr;		/* of the class's devices. Sync: the same */
	struct ida numbers;
};

/* A kind that has the class for itself, or is the first of it. */
#define DEVICE_KIND(variable, class_name, name_of_device)			\
	struct device_kind variable = {						\
		.name = (class_name), .device_name = (name_of_device),		\
		.numbers = IDA_INIT(variable.numbers),				\
	}
extern struct device_kind thermal_zones;	/* and cooling devices */

/*
 * A device of the kind, with the next number as its id, or an error pointer. The name counts for
 * kinds without device_name. A number of a driver's gives it a file in /dev.
 */
struct device *kind_add(struct device_kind *kind, struct device *parent, void *data,
			const struct attribute_group **groups, const char *name, dev_t devt);
void kind_remove(struct device_kind *kind, struct device *dev);

/* An attribute that is one of many: which it is, and whose, its show() and store() find here. */
struct numbered_attribute {
	struct device_attribute attr;
	void *owner;
	unsigned int type, channel, what;
};

/* Attributes as they are made, in one group. */
struct attribute_list {
	void *owner;
	struct attribute_group group;
	const struct attribute_group *groups[2];
	struct attribute **attrs;
	size_t nr, room;
};

/*
 * Adds a copy of the attribute `like` under another name. 0, or -ENOMEM; free the list then. To be
 * called before the list is in use.
 */
int list_add_attribute(struct attribute_list *list, const struct numbered_attribute *like,
		       const char *format, ...) __attribute__((format(printf, 3, 4)));
const struct attribute_group **list_groups(struct attribute_list *list);
void list_free(struct attribute_list *list);

static inline const struct numbered_attribute *numbered(const struct device_attribute *attr)
{
	return container_of(attr, struct numbered_attribute, attr);
}

#endif
