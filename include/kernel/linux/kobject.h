/* SPDX-License-Identifier: MIT */
/*
 * Named objects with reference counts; the last reference frees the object. There is no sysfs to
 * show them; see sysfs.h.
 */
#ifndef KERNEL_LINUX_KOBJECT_H
#define KERNEL_LINUX_KOBJECT_H

#include <linux/kref.h>
#include <linux/list.h>
#include <linux/stat.h>
#include <linux/sysfs.h>
#include <linux/types.h>
#include <usermm/compiler.h>

struct kobj_type;
struct kset;

struct kobject {
	const char *name;		/* kmalloc() memory that the object owns */
	struct list_head entry;
	struct kobject *parent;		/* holds a reference, once added */
	struct kset *kset;
	const struct kobj_type *ktype;
	struct kref kref;
	bool state_added;
};

struct kobj_type {
	void (*release)(struct kobject *kobj);
	const struct sysfs_ops *sysfs_ops;
	const struct attribute_group **default_groups;
	struct attribute **default_attrs;	/* up to 5.17 */
};

struct kset {
	struct list_head list;
	struct kobject kobj;
};

struct kobj_attribute {
	struct attribute attr;
	ssize_t (*show)(struct kobject *kobj, struct kobj_attribute *attr, char *buffer);
	ssize_t (*store)(struct kobject *kobj, struct kobj_attribute *attr, const char *buffer,
			 size_t count);
};

enum kobject_action {
	KOBJ_ADD, KOBJ_REMOVE, KOBJ_CHANGE, KOBJ_MOVE, KOBJ_ONLINE, KOBJ_OFFLINE,
};

USERMM_BEGIN_DECLS

/* sysfs' initial directories, which may be parents. */
extern struct kobject usermm_kobjects[2] __attribute__((visibility("default")));
#define kernel_kobj (&usermm_kobjects[0])
#define mm_kobj (&usermm_kobjects[1])

void kobject_init(struct kobject *kobj, const struct kobj_type *ktype) USERMM_API(kobject_init);
/* 0; -EINVAL without a name; -ENOMEM. Even on failure kobject_put() must end the object. */
__attribute__((format(printf, 3, 4)))
int kobject_add(struct kobject *kobj, struct kobject *parent, const char *format, ...)
	USERMM_API(kobject_add);
__attribute__((format(printf, 4, 5)))
int kobject_init_and_add(struct kobject *kobj, const struct kobj_type *ktype,
			 struct kobject *parent, const char *format, ...)
	USERMM_API(kobject_init_and_add);
__attribute__((format(printf, 2, 3)))
int kobject_set_name(struct kobject *kobj, const char *format, ...) USERMM_API(kobject_set_name);
void kobject_del(struct kobject *kobj) USERMM_API(kobject_del);
struct kobject *kobject_get(struct kobject *kobj) USERMM_API(kobject_get);
void kobject_put(struct kobject *kobj) USERMM_API(kobject_put);
/* NULL without memory. */
struct kobject *kobject_create_and_add(const char *name, struct kobject *parent)
	USERMM_API(kobject_create_and_add);

USERMM_END_DECLS

static inline const char *kobject_name(const struct kobject *kobj)
{
	return kobj->name;
}

#define kobject_uevent(kobj, action) ((void)(kobj), (void)(action), 0)

#endif
