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

struct kobject usermm_kobjects[2] = {
	{ .name = "kernel", .kref = KREF_INIT(1) },
	{ .name = "mm", .kref = KREF_INIT(1) },
};

void kobject_init(struct kobject *kobj, const struct kobj_type *ktype)
{
	kref_init(&kobj->kref);
	INIT_LIST_HEAD(&kobj->entry);
	kobj->ktype = ktype;
	kobj->state_added = false;
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

/* A NULL format keeps the object's name. */
static int add_named(struct kobject *kobj, struct kobject *parent, const char *format,
		     va_list args)
{
	int error = format ? set_name(kobj, format, args) : 0;

	if (error)
		return error;
	if (!kobj->name || !*kobj->name)
		return -EINVAL;
	kobj->parent = kobject_get(parent);
	kobj->state_added = true;
	return 0;
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
	static const struct kobj_type created = { .release = free_created };
	struct kobject *kobj = kzalloc(sizeof(*kobj), GFP_KERNEL);

	if (!kobj)
		return NULL;
	if (kobject_init_and_add(kobj, &created, parent, "%s", name)) {
		kobject_put(kobj);
		return NULL;
	}
	return kobj;
}
