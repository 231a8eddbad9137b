/* SPDX-License-Identifier: MIT */
/*
 * Named objects with reference counts; the last reference frees the object. Each is a folder of
 * /sys from kobject_add() to kobject_del(); see sysfs.h.
 */
#ifndef KERNEL_LINUX_KOBJECT_H
#define KERNEL_LINUX_KOBJECT_H

#include <linux/uidgid.h>
#include <stdarg.h>

#include <linux/kernel.h>
#include <linux/kref.h>
#include <linux/container_of.h>
#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/stat.h>
#include <linux/string.h>
#include <linux/sysfs.h>
#include <linux/types.h>
#include <usermm/compiler.h>

struct kernfs_node;
struct kobj_type;
struct kset;
struct kset_uevent_ops;

struct kobject {
	const char *name;		/* kmalloc() memory that the object owns */
	struct list_head entry;
	struct kobject *parent;		/* holds a reference, once added */
	struct kset *kset;
	const struct kobj_type *ktype;
	struct kernfs_node *sd;		/* its folder; NULL unless added */
	struct kref kref;
	bool state_initialized;
	bool state_added;
};

struct kobj_type {
	void (*release)(struct kobject *kobj);
	const struct sysfs_ops *sysfs_ops;
	const struct attribute_group **default_groups;
	struct attribute **default_attrs;	/* up to 5.17 */
};

struct kset {
	struct list_head list;		/* Sync: list_lock */
	spinlock_t list_lock;
	struct kobject kobj;
	const struct kset_uevent_ops *uevent_ops;
};

struct kobj_attribute {
	struct attribute attr;
	ssize_t (*show)(struct kobject *kobj, struct kobj_attribute *attr, char *buffer);
	ssize_t (*store)(struct kobject *kobj, struct kobj_attribute *attr, const char *buffer,
			 size_t count);
};

#define __KOBJ_ATTR(_name, _mode, _show, _store) __ATTR(_name, _mode, _show, _store)
#define __KOBJ_ATTR_RO(_name) __ATTR_RO(_name)
#define __KOBJ_ATTR_WO(_name) __ATTR_WO(_name)
#define __KOBJ_ATTR_RW(_name) __ATTR_RW(_name)

enum kobject_action {
	KOBJ_ADD, KOBJ_REMOVE, KOBJ_CHANGE, KOBJ_MOVE, KOBJ_ONLINE, KOBJ_OFFLINE,
};

USERMM_BEGIN_DECLS

/* sysfs' initial directories, which may be parents. */
extern struct kobject usermm_kobjects[5] __attribute__((visibility("default")));
#define kernel_kobj (&usermm_kobjects[0])
#define mm_kobj (&usermm_kobjects[1])
#define fs_kobj (&usermm_kobjects[2])
#define firmware_kobj (&usermm_kobjects[3])
#define power_kobj (&usermm_kobjects[4])
extern struct kset *usermm_module_kset __attribute__((visibility("default")));
#define module_kset usermm_module_kset
/* show() and store() of struct kobj_attribute. */
extern const struct sysfs_ops kobj_sysfs_ops USERMM_API(kobj_sysfs_ops);

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
/* 0, or -errno of a name that is taken. */
int kobject_rename(struct kobject *kobj, const char *name) USERMM_API(kobject_rename);
/* The path below /sys, kmalloc()ed; NULL without memory. */
char *kobject_get_path(const struct kobject *kobj, gfp_t gfp) USERMM_API(kobject_get_path);
/* Sets of objects, which are a folder each. kset_put() or kset_unregister() ends one. */
void kset_init(struct kset *kset) USERMM_API(kset_init);
int kset_register(struct kset *kset) USERMM_API(kset_register);
void kset_unregister(struct kset *kset) USERMM_API(kset_unregister);
struct kset *kset_create_and_add(const char *name, const struct kset_uevent_ops *operations,
				 struct kobject *parent) USERMM_API(kset_create_and_add);
/* Also takes a reference, of the object with this name; NULL if there is none. */
struct kobject *kset_find_obj(struct kset *kset, const char *name) USERMM_API(kset_find_obj);
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

static inline struct kset *to_kset(struct kobject *kobj)
{
	return kobj ? container_of(kobj, struct kset, kobj) : NULL;
}

static inline struct kset *kset_get(struct kset *kset)
{
	return kset ? to_kset(kobject_get(&kset->kobj)) : NULL;
}

static inline void kset_put(struct kset *kset)
{
	if (kset)
		kobject_put(&kset->kobj);
}

static inline const struct kobj_type *get_ktype(const struct kobject *kobj)
{
	return kobj->ktype;
}

/* The variables of an event. */
struct kobj_uevent_env {
	char *argv[3], *envp[64], buf[2048];
	int envp_idx, buflen;
};

/* 0; -ENOMEM if there is no room. */
static inline __printf(2, 3) int add_uevent_var(struct kobj_uevent_env *env, const char *format,
						...)
{
	size_t room = sizeof(env->buf) - (size_t)env->buflen;
	char *text = env->buf + env->buflen;
	va_list args;
	int n;

	if (env->envp_idx >= (int)ARRAY_SIZE(env->envp))
		return -ENOMEM;
	va_start(args, format);
	n = vsnprintf(text, room, format, args);
	va_end(args);
	if (n < 0 || (size_t)n >= room)
		return -ENOMEM;
	env->envp[env->envp_idx++] = text;
	env->buflen += n + 1;
	return 0;
}

/* Nobody listens to events. */
static inline int kobject_uevent_env(struct kobject *kobj, enum kobject_action action,
				     char *texts[])
{
	(void)kobj;
	(void)action;
	(void)texts;
	return 0;
}

static inline int kobject_uevent(struct kobject *kobj, enum kobject_action action)
{
	return kobject_uevent_env(kobj, action, NULL);
}

#endif
