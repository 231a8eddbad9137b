/* SPDX-License-Identifier: MIT */
/* Attributes: files of /sys that a module makes for its objects (kobject.h). See also fs.h. */
#ifndef KERNEL_LINUX_SYSFS_H
#define KERNEL_LINUX_SYSFS_H

#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/idr.h>
#include <linux/kernfs.h>
#include <linux/sprintf.h>
#include <linux/stat.h>
#include <linux/types.h>
#include <linux/uidgid.h>
#include <linux/version.h>
#include <usermm/compiler.h>

struct kobject;

struct attribute {
	const char *name;
	umode_t mode;
};

struct bin_attribute;
struct file;
struct vm_area_struct;

struct attribute_group {
	const char *name;	/* a folder for them; NULL: beside the object's own */
	union {
		umode_t (*is_visible)(struct kobject *kobj, struct attribute *attr, int index);
		umode_t (*is_visible_const)(struct kobject *kobj, const struct attribute *attr,
					    int index);
	};
	umode_t (*is_bin_visible)(struct kobject *kobj, const struct bin_attribute *attr, int n);
	union {
		struct attribute **attrs;
		const struct attribute *const *attrs_const;
	};
	const struct bin_attribute *const *bin_attrs;
};

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 17, 0)
#define USERMM_BINARY const struct bin_attribute
#else
#define USERMM_BINARY struct bin_attribute
#endif

/* read() and write() are called as for a file with a position. */
struct bin_attribute {
	struct attribute attr;
	size_t size;			/* 0: unlimited */
	void *private;
	ssize_t (*read)(struct file *file, struct kobject *kobj, USERMM_BINARY *attr,
			char *buffer, loff_t pos, size_t n);
	ssize_t (*write)(struct file *file, struct kobject *kobj, USERMM_BINARY *attr,
			 char *buffer, loff_t pos, size_t n);
	int (*mmap)(struct file *file, struct kobject *kobj, USERMM_BINARY *attr,
		    struct vm_area_struct *vma);
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
#define __ATTR_PREALLOC(_name, _mode, _show, _store) __ATTR(_name, _mode, _show, _store)
#define __ATTR_IGNORE_LOCKDEP(_name, _mode, _show, _store) __ATTR(_name, _mode, _show, _store)
#define __ATTR_RO_MODE(_name, _mode) \
	{ .attr = { .name = #_name, .mode = (_mode) }, .show = _name##_show }
#define __ATTR_RW_MODE(_name, _mode) __ATTR(_name, _mode, _name##_show, _name##_store)
#define __ATTR_NULL { .attr = { .name = NULL } }
#define __ATTRIBUTE_GROUPS(_name)					\
	static const struct attribute_group *_name##_groups[] __maybe_unused = { \
		&_name##_group, NULL }
#define ATTRIBUTE_GROUPS(_name)						\
	static const struct attribute_group _name##_group __maybe_unused = { \
		.attrs = _name##_attrs };				\
	__ATTRIBUTE_GROUPS(_name)
#define __BIN_ATTR(_name, _mode, _read, _write, _size)			\
	{ .attr = { .name = #_name, .mode = (_mode) }, .read = (_read), .write = (_write), \
	  .size = (_size) }
#define __BIN_ATTR_RO(_name, _size) __BIN_ATTR(_name, 0444, _name##_read, NULL, _size)
#define __BIN_ATTR_WO(_name, _size) __BIN_ATTR(_name, 0200, NULL, _name##_write, _size)
#define __BIN_ATTR_RW(_name, _size) \
	__BIN_ATTR(_name, 0644, _name##_read, _name##_write, _size)
#define __BIN_ATTR_NULL __ATTR_NULL
#define BIN_ATTR_ADMIN_RO(_name, _size) BIN_ATTR(_name, 0400, _name##_read, NULL, _size)
#define BIN_ATTR_ADMIN_RW(_name, _size) \
	BIN_ATTR(_name, 0600, _name##_read, _name##_write, _size)
#define BIN_ATTR(_name, _mode, _read, _write, _size) \
	struct bin_attribute bin_attr_##_name = __BIN_ATTR(_name, _mode, _read, _write, _size)
#define BIN_ATTR_RO(_name, _size) BIN_ATTR(_name, 0444, _name##_read, NULL, _size)
#define BIN_ATTR_WO(_name, _size) BIN_ATTR(_name, 0200, NULL, _name##_write, _size)
#define BIN_ATTR_RW(_name, _size) BIN_ATTR(_name, 0644, _name##_read, _name##_write, _size)
#define sysfs_bin_attr_init(attr) ((void)(attr))
#define sysfs_attr_init(attr) ((void)(attr))

USERMM_BEGIN_DECLS

/* 0; -EEXIST for a name that is taken; -EINVAL if the object was not added; -ENOMEM. */
int sysfs_create_file(struct kobject *kobj, const struct attribute *attr)
	USERMM_API(sysfs_create_file);
int sysfs_create_files(struct kobject *kobj, const struct attribute *const *attrs)
	USERMM_API(sysfs_create_files);
int sysfs_create_group(struct kobject *kobj, const struct attribute_group *group)
	USERMM_API(sysfs_create_group);
int sysfs_create_groups(struct kobject *kobj, const struct attribute_group **groups)
	USERMM_API(sysfs_create_groups);
int sysfs_update_group(struct kobject *kobj, const struct attribute_group *group)
	USERMM_API(sysfs_update_group);
int sysfs_create_bin_file(struct kobject *kobj, const struct bin_attribute *attr)
	USERMM_API(sysfs_create_bin_file);
int sysfs_create_link(struct kobject *kobj, struct kobject *target, const char *name)
	USERMM_API(sysfs_create_link);
int sysfs_create_mount_point(struct kobject *parent, const char *name)
	USERMM_API(sysfs_create_mount_point);
void sysfs_remove_file(struct kobject *kobj, const struct attribute *attr)
	USERMM_API(sysfs_remove_file);
void sysfs_remove_files(struct kobject *kobj, const struct attribute *const *attrs)
	USERMM_API(sysfs_remove_files);
void sysfs_remove_group(struct kobject *kobj, const struct attribute_group *group)
	USERMM_API(sysfs_remove_group);
void sysfs_remove_groups(struct kobject *kobj, const struct attribute_group **groups)
	USERMM_API(sysfs_remove_groups);
void sysfs_remove_bin_file(struct kobject *kobj, const struct bin_attribute *attr)
	USERMM_API(sysfs_remove_bin_file);
void sysfs_remove_link(struct kobject *kobj, const char *name) USERMM_API(sysfs_remove_link);
void sysfs_remove_mount_point(struct kobject *parent, const char *name)
	USERMM_API(sysfs_remove_mount_point);
/* Wakes programs that poll the attribute, in the object's folder or the one of that name in it. */
void sysfs_notify(struct kobject *kobj, const char *folder, const char *attr)
	USERMM_API(sysfs_notify);
/* As scnprintf() to a show()'s buffer, which is a page. */
int sysfs_emit(char *buffer, const char *format, ...) USERMM_API(sysfs_emit) __printf(2, 3);
int sysfs_emit_at(char *buffer, int at, const char *format, ...) USERMM_API(sysfs_emit_at)
	__printf(3, 4);

USERMM_END_DECLS

static inline struct kernfs_node *sysfs_get_dirent(struct kernfs_node *parent, const char *name)
{
	return kernfs_find_and_get(parent, name);
}

static inline struct kernfs_node *sysfs_get(struct kernfs_node *node)
{
	kernfs_get(node);
	return node;
}

static inline void sysfs_put(struct kernfs_node *node)
{
	kernfs_put(node);
}

static inline void sysfs_notify_dirent(struct kernfs_node *node)
{
	kernfs_notify(node);
}

#endif
