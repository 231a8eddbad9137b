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
	const char *name;		/* of the kind's own class */
	const char *device_name;	/* a number is added to it; NULL: callers choose names */
	struct device_kind *of_class;	/* the kind shares this kind's class; NULL: has its own */
	struct class *class;		/* Sync: class_devices.c's lock */
	unsigned int nr;		/* number of the class's devices. Sync: as class */
	struct ida numbers;
};

/* Defines a kind with a class of its own. Other kinds may share this class by of_class. */
#define DEVICE_KIND(variable, class_name, name_of_device)			\
	struct device_kind variable = {						\
		.name = (class_name), .device_name = (name_of_device),		\
		.numbers = IDA_INIT(variable.numbers),				\
	}
extern struct device_kind thermal_zones;	/* and cooling devices */

/*
 * Adds a device of the kind, with the next number as its id. Returns it, or an error pointer. name
 * is used only if the kind has no device_name. If devt is not 0, the device gets a file in /dev.
 */
struct device *kind_add(struct device_kind *kind, struct device *parent, void *data,
			const struct attribute_group **groups, const char *name, dev_t devt);
void kind_remove(struct device_kind *kind, struct device *dev);

/* One of many similar attributes. Its show() and store() read here which one it is, and whose. */
struct numbered_attribute {
	struct device_attribute attr;
	void *owner;
	unsigned int type, channel, what;
};

/* A group of attributes that list_add_attribute() adds to, one at a time. */
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
