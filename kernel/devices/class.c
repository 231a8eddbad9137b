// SPDX-License-Identifier: MIT
/* Classes, and the files of their folders in /sys. cf. Linux drivers/base/class.c. */
#include <linux/device.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/mutex.h>
#include <linux/slab.h>

#include "bus.h"
#include "files/files.h"

struct file_node *class_folder(const struct class *class)
{
	char path[128];

	snprintf(path, sizeof(path), SYS_PATH "/class/%s", class->name);
	return node_base(path);
}

/*
 * The object of a class's folder. It is not part of the class, since a module's class may be
 * constant, and so lie in read-only memory.
 */
struct class_object {
	struct list_head list;		/* Sync: class_objects_lock */
	const struct class *class;
	bool is_registered;		/* Sync: class_objects_lock */
	struct kobject kobj;
};
static DEFINE_MUTEX(class_objects_lock);
static LIST_HEAD(class_objects);	/* Sync: class_objects_lock */

static struct class *class_of(struct kobject *kobj)
{
	return (struct class *)container_of(kobj, struct class_object, kobj)->class;
}

static ssize_t class_show(struct kobject *kobj, struct attribute *attr, char *buffer)
{
	struct class_attribute *attribute = container_of(attr, struct class_attribute, attr);

	return attribute->show ? attribute->show(class_of(kobj), attribute, buffer) : -EIO;
}

static ssize_t class_store(struct kobject *kobj, struct attribute *attr, const char *buffer,
			   size_t n)
{
	struct class_attribute *attribute = container_of(attr, struct class_attribute, attr);

	return attribute->store ? attribute->store(class_of(kobj), attribute, buffer, n) : -EIO;
}

/* Call it under the lock. NULL: the class has no object yet. */
static struct class_object *find_class_object(const struct class *class)
{
	struct class_object *object;

	list_for_each_entry(object, &class_objects, list)
		if (object->class == class)
			return object;
	return NULL;
}

/* The class's object, which is made at the first call. NULL without memory. */
static struct kobject *class_kobject(const struct class *class)
{
	static const struct sysfs_ops operations = { .show = class_show, .store = class_store };
	static const struct kobj_type type = { .sysfs_ops = &operations };
	struct class_object *object;

	mutex_lock(&class_objects_lock);
	object = find_class_object(class);
	if (!object)
		object = kzalloc(sizeof(*object), GFP_KERNEL);
	if (object && !object->class) {
		object->class = class;
		object->kobj.ktype = &type;
		object->kobj.sd = kernfs_of_node(class_folder(class));
		list_add(&object->list, &class_objects);
	}
	mutex_unlock(&class_objects_lock);
	return object ? &object->kobj : NULL;
}

/* Without effect if the class has no object, or has been registered and is not meant. */
static void drop_class_object(const struct class *class, bool registered)
{
	struct class_object *object;

	mutex_lock(&class_objects_lock);
	object = find_class_object(class);
	if (object && object->is_registered && !registered)
		object = NULL;
	if (object)
		list_del(&object->list);
	mutex_unlock(&class_objects_lock);
	kfree(object);
}

/* Has another class, or this one, been registered with the name? Call it under the lock. */
static bool is_taken(const char *name)
{
	struct class_object *object;

	list_for_each_entry(object, &class_objects, list)
		if (object->is_registered && !strcmp(object->class->name, name))
			return true;
	return false;
}

int class_register(const struct class *class)
{
	struct kobject *kobj = class_kobject(class);
	bool taken;
	int error;

	if (!kobj)
		return -ENOMEM;
	mutex_lock(&class_objects_lock);
	taken = is_taken(class->name);
	if (!taken)
		container_of(kobj, struct class_object, kobj)->is_registered = true;
	mutex_unlock(&class_objects_lock);
	if (taken) {
		sysfs_say_name_is_taken(class->name);
		drop_class_object(class, false);
		return -EEXIST;
	}
	error = sysfs_create_groups(kobj, class->class_groups);
	if (error)
		drop_class_object(class, true);
	return error;
}

bool class_is_registered(const struct class *class)
{
	struct class_object *object;
	bool registered;

	mutex_lock(&class_objects_lock);
	object = find_class_object(class);
	registered = object && object->is_registered;
	mutex_unlock(&class_objects_lock);
	return registered;
}

void class_unregister(const struct class *class)
{
	struct class_object *object;

	mutex_lock(&class_objects_lock);
	object = find_class_object(class);
	mutex_unlock(&class_objects_lock);
	if (!object)
		return;
	sysfs_remove_groups(&object->kobj, class->class_groups);
	drop_class_object(class, true);
}

int class_create_file(const struct class *class, const struct class_attribute *attr)
{
	struct kobject *kobj = class_kobject(class);

	return kobj ? sysfs_create_file(kobj, &attr->attr) : -ENOMEM;
}

void class_remove_file(const struct class *class, const struct class_attribute *attr)
{
	struct kobject *kobj = class_kobject(class);

	if (kobj)
		sysfs_remove_file(kobj, &attr->attr);
}

struct class *usermm_class_create(const char *name)
{
	struct class *class = kzalloc(sizeof(*class), GFP_KERNEL);
	int error;

	if (!class)
		return ERR_PTR(-ENOMEM);
	class->name = name;
	error = class_register(class);
	if (!error)
		return class;
	kfree(class);
	return ERR_PTR(error);
}

void class_destroy(const struct class *class)
{
	if (IS_ERR_OR_NULL(class))
		return;
	class_unregister(class);
	kfree(class);
}
