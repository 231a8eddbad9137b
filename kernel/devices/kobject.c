// SPDX-License-Identifier: MIT
/*
 * Named objects with references; see linux/kobject.h. An object that was added holds a reference of
 * its parent. It drops this reference in kobject_del(), which the end of its own last reference
 * calls, too. cf. Linux lib/kobject.c.
 */
#include <linux/kernel.h>
#include <linux/kobject.h>
#include <linux/printk.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include "files/files.h"

#define BASE_KOBJECT(text) { .name = text, .kref = KREF_INIT(1), .state_initialized = true }

struct kobject usermm_kobjects[5] = {
	BASE_KOBJECT("kernel"), BASE_KOBJECT("mm"), BASE_KOBJECT("fs"), BASE_KOBJECT("firmware"),
	BASE_KOBJECT("power"),
};

static struct kset module_set = {
	.list = LIST_HEAD_INIT(module_set.list),
	.list_lock = __SPIN_LOCK_UNLOCKED(module_set.list_lock),
	.kobj = BASE_KOBJECT("module"),
};
struct kset *usermm_module_kset = &module_set;

void kobject_init(struct kobject *kobj, const struct kobj_type *ktype)
{
	kref_init(&kobj->kref);
	INIT_LIST_HEAD(&kobj->entry);
	kobj->ktype = ktype;
	kobj->sd = NULL;
	kobj->state_added = false;
	kobj->state_initialized = true;
}

static int set_name(struct kobject *kobj, const char *format, va_list args)
{
	char *name = kvasprintf(GFP_KERNEL, format, args);

	if (!name)
		return -ENOMEM;
	kfree(kobj->name);
	kobj->name = name;
	return 0;
}

int kobject_set_name(struct kobject *kobj, const char *format, ...)
{
	va_list args;
	int error;

	va_start(args, format);
	error = set_name(kobj, format, args);
	va_end(args);
	return error;
}

static void join_set(struct kset *set, struct kobject *kobj)
{
	if (!set)
		return;
	kset_get(set);
	spin_lock(&set->list_lock);
	list_add_tail(&kobj->entry, &set->list);
	spin_unlock(&set->list_lock);
}

static void leave_set(struct kset *set, struct kobject *kobj)
{
	if (!set)
		return;
	spin_lock(&set->list_lock);
	list_del_init(&kobj->entry);
	spin_unlock(&set->list_lock);
	kset_put(set);
}

/* An object without a parent belongs below its set. Its attributes come with the folder. */
static int join(struct kobject *kobj, struct kobject *parent)
{
	struct file_node *folder;
	int error;

	if (!parent && kobj->kset)
		parent = &kobj->kset->kobj;
	folder = sysfs_make_folder(kobj, parent);
	if (IS_ERR(folder))
		return (int)PTR_ERR(folder);
	kobj->sd = kernfs_of_node(folder);
	error = sysfs_add_defaults(kobj);
	if (error) {
		kobj->sd = NULL;
		node_remove(folder);
		return error;
	}
	kobj->parent = kobject_get(parent);
	kobj->state_added = true;
	join_set(kobj->kset, kobj);
	return 0;
}

/* A NULL format keeps the object's name. */
static int add_named(struct kobject *kobj, struct kobject *parent, const char *format,
		     va_list args)
{
	int error = format ? set_name(kobj, format, args) : 0;

	if (error)
		return error;
	if (!kobj->name || !*kobj->name)
		return -EINVAL;
	return join(kobj, parent);
}

int kobject_add(struct kobject *kobj, struct kobject *parent, const char *format, ...)
{
	va_list args;
	int error;

	va_start(args, format);
	error = add_named(kobj, parent, format, args);
	va_end(args);
	return error;
}

int kobject_init_and_add(struct kobject *kobj, const struct kobj_type *ktype,
			 struct kobject *parent, const char *format, ...)
{
	va_list args;
	int error;

	kobject_init(kobj, ktype);
	va_start(args, format);
	error = add_named(kobj, parent, format, args);
	va_end(args);
	return error;
}

void kobject_del(struct kobject *kobj)
{
	if (!kobj || !kobj->state_added)
		return;
	kobj->state_added = false;
	node_remove(node_of_kernfs(kobj->sd));
	kobj->sd = NULL;
	leave_set(kobj->kset, kobj);
	kobject_put(kobj->parent);
	kobj->parent = NULL;
}

struct kobject *kobject_get(struct kobject *kobj)
{
	if (kobj)
		kref_get(&kobj->kref);
	return kobj;
}

static void release(struct kref *kref)
{
	struct kobject *kobj = container_of(kref, struct kobject, kref);
	const char *name = kobj->name;

	kobject_del(kobj);
	if (kobj->ktype && kobj->ktype->release)
		kobj->ktype->release(kobj);
	kfree(name);
}

void kobject_put(struct kobject *kobj)
{
	if (kobj)
		kref_put(&kobj->kref, release);
}

static void free_created(struct kobject *kobj)
{
	kfree(kobj);
}

struct kobject *kobject_create_and_add(const char *name, struct kobject *parent)
{
	static const struct kobj_type created = {
		.release = free_created, .sysfs_ops = &kobj_sysfs_ops,
	};
	struct kobject *kobj = kzalloc(sizeof(*kobj), GFP_KERNEL);

	if (!kobj)
		return NULL;
	if (kobject_init_and_add(kobj, &created, parent, "%s", name)) {
		kobject_put(kobj);
		return NULL;
	}
	return kobj;
}

int kobject_rename(struct kobject *kobj, const char *name)
{
	char *copy = kstrdup(name, GFP_KERNEL);
	int error;

	if (!copy)
		return -ENOMEM;
	error = node_rename(node_of_kernfs(kobj->sd), name);
	if (error) {
		kfree(copy);
		return error;
	}
	kfree(kobj->name);
	kobj->name = copy;
	return 0;
}

char *kobject_get_path(const struct kobject *kobj, gfp_t gfp)
{
	char path[PATH_MAX];

	if (!kobj->sd || !node_path(node_of_kernfs(kobj->sd), path, sizeof(path)))
		return NULL;
	return kstrdup(path + strlen(SYS_PATH), gfp);
}

void kset_init(struct kset *kset)
{
	kobject_init(&kset->kobj, kset->kobj.ktype);
	INIT_LIST_HEAD(&kset->list);
	spin_lock_init(&kset->list_lock);
}

int kset_register(struct kset *kset)
{
	if (!kset)
		return -EINVAL;
	kset_init(kset);
	return kobject_add(&kset->kobj, kset->kobj.parent, NULL);
}

void kset_unregister(struct kset *kset)
{
	if (!kset)
		return;
	kobject_del(&kset->kobj);
	kset_put(kset);
}

static void free_set(struct kobject *kobj)
{
	kfree(to_kset(kobj));
}

struct kset *kset_create_and_add(const char *name, const struct kset_uevent_ops *operations,
				 struct kobject *parent)
{
	static const struct kobj_type type = {
		.release = free_set, .sysfs_ops = &kobj_sysfs_ops,
	};
	struct kset *kset = kzalloc(sizeof(*kset), GFP_KERNEL);

	if (!kset)
		return NULL;
	kset->kobj.ktype = &type;
	kset->uevent_ops = operations;
	kset_init(kset);
	if (kobject_add(&kset->kobj, parent, "%s", name)) {
		kset_put(kset);
		return NULL;
	}
	return kset;
}

struct kobject *kset_find_obj(struct kset *kset, const char *name)
{
	struct kobject *kobj, *found = NULL;

	spin_lock(&kset->list_lock);
	list_for_each_entry(kobj, &kset->list, entry) {
		if (strcmp(kobject_name(kobj), name))
			continue;
		found = kobject_get(kobj);
		break;
	}
	spin_unlock(&kset->list_lock);
	return found;
}
