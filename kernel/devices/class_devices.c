// SPDX-License-Identifier: MIT
/* Devices of a class, and their attributes: see class_devices.h. */
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/mutex.h>
#include <linux/slab.h>

#include "class_devices.h"

static DEFINE_MUTEX(lock);

static struct device_kind *class_of(struct device_kind *kind)
{
	return kind->of_class ? kind->of_class : kind;
}

static int take_class(struct device_kind *kind)
{
	int error = 0;

	kind = class_of(kind);
	mutex_lock(&lock);
	if (!kind->nr) {
		struct class *made = class_create(kind->name);

		error = IS_ERR(made) ? (int)PTR_ERR(made) : 0;
		kind->class = error ? NULL : made;
	}
	kind->nr += !error;
	mutex_unlock(&lock);
	return error;
}

static void drop_class(struct device_kind *kind)
{
	kind = class_of(kind);
	mutex_lock(&lock);
	if (!--kind->nr)
		class_destroy(kind->class);
	mutex_unlock(&lock);
}

struct device *kind_add(struct device_kind *kind, struct device *parent, void *data,
			const struct attribute_group **groups, const char *name, dev_t devt)
{
	struct device *dev;
	int error = take_class(kind), id;

	if (error)
		return ERR_PTR(error);
	id = ida_alloc(&kind->numbers, GFP_KERNEL);
	if (id < 0) {
		drop_class(kind);
		return ERR_PTR(id);
	}
	dev = kind->device_name ?
	      device_create_with_groups(class_of(kind)->class, parent, devt, data, groups,
					"%s%d", kind->device_name, id) :
	      device_create_with_groups(class_of(kind)->class, parent, devt, data, groups,
					"%s", name);
	if (IS_ERR(dev)) {
		ida_free(&kind->numbers, (unsigned int)id);
		drop_class(kind);
		return dev;
	}
	dev->id = (u32)id;
	return dev;
}

void kind_remove(struct device_kind *kind, struct device *dev)
{
	unsigned int id = dev->id;

	device_unregister(dev);
	ida_free(&kind->numbers, id);
	drop_class(kind);
}

static int make_room(struct attribute_list *list)
{
	size_t room = list->room ? 2 * list->room : 16;
	struct attribute **attrs;

	if (list->nr + 1 < list->room)	/* NULL ends the array */
		return 0;
	attrs = krealloc(list->attrs, room * sizeof(*attrs), GFP_KERNEL | __GFP_ZERO);
	if (!attrs)
		return -ENOMEM;
	list->attrs = attrs;
	list->room = room;
	return 0;
}

int list_add_attribute(struct attribute_list *list, const struct numbered_attribute *like,
		       const char *format, ...)
{
	struct numbered_attribute *made;
	va_list arguments;

	if (make_room(list))
		return -ENOMEM;
	made = kmemdup(like, sizeof(*like), GFP_KERNEL);
	if (!made)
		return -ENOMEM;
	va_start(arguments, format);
	made->attr.attr.name = kvasprintf(GFP_KERNEL, format, arguments);
	va_end(arguments);
	if (!made->attr.attr.name) {
		kfree(made);
		return -ENOMEM;
	}
	made->owner = list->owner;
	list->attrs[list->nr++] = &made->attr.attr;
	list->attrs[list->nr] = NULL;
	return 0;
}

const struct attribute_group **list_groups(struct attribute_list *list)
{
	list->group.attrs = list->attrs;
	list->groups[0] = list->attrs ? &list->group : NULL;
	return list->groups;
}

void list_free(struct attribute_list *list)
{
	for (size_t i = 0; i < list->nr; i++) {
		kfree(list->attrs[i]->name);
		kfree(container_of(list->attrs[i], struct numbered_attribute, attr.attr));
	}
	kfree(list->attrs);
	*list = (struct attribute_list){ 0 };
}
