/* SPDX-License-Identifier: MIT */
/* Attributes can be declared, but there is no file system to show them. */
#ifndef KERNEL_LINUX_SYSFS_H
#define KERNEL_LINUX_SYSFS_H

#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/idr.h>
#include <linux/sprintf.h>
#include <linux/stat.h>
#include <linux/types.h>

struct kobject;

struct attribute {
	const char *name;
	umode_t mode;
};

struct attribute_group {
	const char *name;
	umode_t (*is_visible)(struct kobject *kobj, struct attribute *attr, int index);
	struct attribute **attrs;
};

struct sysfs_ops {
	ssize_t (*show)(struct kobject *kobj, struct attribute *attr, char *buffer);
	ssize_t (*store)(struct kobject *kobj, struct attribute *attr, const char *buffer,
			 size_t count);
};

#define __ATTR(_name, _mode, _show, _store)				\
	{ .attr = { .name = #_name, .mode = (_mode) }, .show = (_show), .store = (_store) }
#define __ATTR_RO(_name) { .attr = { .name = #_name, .mode = 0444 }, .show = _name##_show }
#define __ATTR_WO(_name) { .attr = { .name = #_name, .mode = 0200 }, .store = _name##_store }
#define __ATTR_RW(_name) __ATTR(_name, 0644, _name##_show, _name##_store)
#define __ATTR_NULL { .attr = { .name = NULL } }
#define ATTRIBUTE_GROUPS(_name)						\
	static const struct attribute_group _name##_group __maybe_unused = { \
		.attrs = _name##_attrs };				\
	static const struct attribute_group *_name##_groups[] __maybe_unused = { \
		&_name##_group, NULL }

/* Succeed without creating a file. */
#define sysfs_create_file(kobj, attr) ((void)(kobj), (void)(attr), 0)
#define sysfs_remove_file(kobj, attr) ((void)(kobj), (void)(attr))
#define sysfs_create_files(kobj, attrs) ((void)(kobj), (void)(attrs), 0)
#define sysfs_remove_files(kobj, attrs) ((void)(kobj), (void)(attrs))
#define sysfs_create_groups(kobj, groups) ((void)(kobj), (void)(groups), 0)
#define sysfs_remove_groups(kobj, groups) ((void)(kobj), (void)(groups))
#define sysfs_create_group(kobj, group) ((void)(kobj), (void)(group), 0)
#define sysfs_remove_group(kobj, group) ((void)(kobj), (void)(group))
#define sysfs_emit(buffer, ...) scnprintf(buffer, 4096, __VA_ARGS__)
#define sysfs_emit_at(buffer, at, ...) scnprintf((buffer) + (at), 4096 - (at), __VA_ARGS__)
#define sysfs_attr_init(attr) ((void)(attr))

#endif
