/* SPDX-License-Identifier: MIT */
/* Names for what sysfs would show; see sysfs.h. */
#ifndef KERNEL_LINUX_KOBJECT_H
#define KERNEL_LINUX_KOBJECT_H

#include <linux/kref.h>
#include <linux/list.h>
#include <linux/stat.h>
#include <linux/sysfs.h>
#include <linux/types.h>

struct kobj_type;

struct kobject {
	const char *name;
	struct list_head entry;
	struct kobject *parent;
	const struct kobj_type *ktype;
	struct kref kref;
};

struct kobj_type {
	void (*release)(struct kobject *kobj);
	const struct sysfs_ops *sysfs_ops;
	const struct attribute_group **default_groups;
};

struct kobj_attribute {
	struct attribute attr;
	ssize_t (*show)(struct kobject *kobj, struct kobj_attribute *attr, char *buffer);
	ssize_t (*store)(struct kobject *kobj, struct kobj_attribute *attr, const char *buffer,
			 size_t count);
};

/* The tree that sysfs would show is not kept: there are no directories to hang one below. */
#define kernel_kobj ((struct kobject *)NULL)
#define mm_kobj ((struct kobject *)NULL)
#define kobject_name(kobj) ((kobj)->name)
#define kobject_create_and_add(name, parent) ((void)(name), (void)(parent), (struct kobject *)NULL)
#define kobject_put(kobj) ((void)(kobj))
#define kobject_get(kobj) (kobj)
#define kobject_uevent(kobj, action) ((void)(kobj), 0)

#endif
