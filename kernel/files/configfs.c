// SPDX-License-Identifier: MIT
/* Folders that programs make and remove: see linux/configfs.h. cf. Linux fs/configfs. */
#include <linux/configfs.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/slab.h>

#include "files.h"

#define CONFIGFS_PATH "/sys/kernel/config"

static DEFINE_MUTEX(making);	/* one folder is made or removed at a time, as in Linux */
static const struct folder_calls group_calls, item_calls;

/* Items. */

int config_item_set_name(struct config_item *item, const char *format, ...)
{
	va_list args;
	char *name;

	va_start(args, format);
	name = kvasprintf(GFP_KERNEL, format, args);
	va_end(args);
	if (!name)
		return -ENOMEM;
	if (item->ci_name != item->ci_namebuf)
		kfree(item->ci_name);
	if (strlen(name) >= CONFIGFS_ITEM_NAME_LEN) {
		item->ci_name = name;
		return 0;
	}
	strcpy(item->ci_namebuf, name);
	item->ci_name = item->ci_namebuf;
	kfree(name);
	return 0;
}

static void item_init(struct config_item *item)
{
	kref_init(&item->ci_kref);
	INIT_LIST_HEAD(&item->ci_entry);
}

void config_item_init_type_name(struct config_item *item, const char *name,
				const struct config_item_type *type)
{
	config_item_set_name(item, "%s", name);
	item->ci_type = type;
	item_init(item);
}

void config_group_init(struct config_group *group)
{
	item_init(&group->cg_item);
	INIT_LIST_HEAD(&group->cg_children);
	INIT_LIST_HEAD(&group->default_groups);
}

void config_group_init_type_name(struct config_group *group, const char *name,
				 const struct config_item_type *type)
{
	config_item_set_name(&group->cg_item, "%s", name);
	group->cg_item.ci_type = type;
	config_group_init(group);
}

struct config_item *config_item_get(struct config_item *item)
{
	if (item)
		kref_get(&item->ci_kref);
	return item;
}

static void item_release(struct kref *kref)
{
	struct config_item *item = container_of(kref, struct config_item, ci_kref);
	const struct config_item_type *type = item->ci_type;

	if (item->ci_name != item->ci_namebuf)
		kfree(item->ci_name);
	item->ci_name = NULL;
	if (type && type->ct_item_ops && type->ct_item_ops->release)
		type->ct_item_ops->release(item);
}

void config_item_put(struct config_item *item)
{
	if (item)
		kref_put(&item->ci_kref, item_release);
}

struct config_item *config_group_find_item(struct config_group *group, const char *name)
{
	struct config_item *item;

	list_for_each_entry(item, &group->cg_children, ci_entry)
		if (item->ci_name && !strcmp(item->ci_name, name))
			return config_item_get(item);
	return NULL;
}

/* Folders. */

static void item_link(struct config_item *item, struct config_group *parent)
{
	item->ci_group = config_group_get(parent);
	item->ci_parent = &parent->cg_item;
	list_add_tail(&item->ci_entry, &parent->cg_children);
}

static void item_unlink(struct config_item *item)
{
	struct config_group *group = item->ci_group;

	list_del_init(&item->ci_entry);
	item->ci_group = NULL;
	item->ci_parent = NULL;
	item->ci_dentry = NULL;
	if (group)
		config_group_put(group);
}

static int make_folder(struct config_item *item, struct file_node *parent,
		       const struct folder_calls *calls)
{
	struct file_node *folder = node_create(parent, item->ci_name, S_IFDIR | 0755, NULL, item);
	int error;

	if (IS_ERR(folder))
		return (int)PTR_ERR(folder);
	folder->calls = calls;
	item->ci_dentry = &folder->dentry;
	error = configfs_add_attributes(item, folder);
	if (error) {
		node_remove(folder);
		item->ci_dentry = NULL;
	}
	return error;
}

static void detach_defaults(struct config_group *group)
{
	struct config_group *child;

	list_for_each_entry(child, &group->default_groups, group_entry) {
		if (!child->cg_item.ci_dentry)
			continue;
		detach_defaults(child);
		item_unlink(&child->cg_item);
	}
}

/* A group's folder, and those of its default groups, which programs cannot remove. */
static int attach_group(struct config_group *group, struct config_group *parent,
			struct file_node *folder, const struct folder_calls *calls)
{
	struct config_item *item = &group->cg_item;
	struct config_group *child;
	int error;

	if (!item->ci_name)
		item->ci_name = item->ci_namebuf;
	error = make_folder(item, folder, calls);
	if (error)
		return error;
	if (parent) {
		item_link(item, parent);
		group->cg_subsys = parent->cg_subsys;
	}
	list_for_each_entry(child, &group->default_groups, group_entry) {
		error = attach_group(child, group, node_of_dentry(item->ci_dentry), &group_calls);
		if (!error)
			continue;
		detach_defaults(group);
		node_remove(node_of_dentry(item->ci_dentry));
		item_unlink(item);
		break;
	}
	return error;
}

static void detach_group(struct config_group *group)
{
	struct dentry *dentry = group->cg_item.ci_dentry;

	if (!dentry)
		return;
	detach_defaults(group);
	node_remove(node_of_dentry(dentry));
	item_unlink(&group->cg_item);
}

/* Programs: mkdir() and rmdir(). */

static const struct configfs_group_operations *operations_of(const struct config_group *group)
{
	const struct config_item_type *type = group->cg_item.ci_type;

	return type ? type->ct_group_ops : NULL;
}

static void drop(struct config_group *group, struct config_item *item)
{
	const struct configfs_group_operations *operations = operations_of(group);

	if (operations && operations->drop_item)
		operations->drop_item(group, item);
	else
		config_item_put(item);
}

static int make_child(struct config_group *group, struct file_node *folder, const char *name)
{
	const struct configfs_group_operations *operations = operations_of(group);
	struct config_group *child = NULL;
	struct config_item *item;
	int error;

	if (!operations || (!operations->make_group && !operations->make_item))
		return -EPERM;
	if (operations->make_group) {
		child = operations->make_group(group, name);
		item = IS_ERR_OR_NULL(child) ? (void *)child : &child->cg_item;
	} else {
		item = operations->make_item(group, name);
	}
	if (IS_ERR_OR_NULL(item))
		return item ? (int)PTR_ERR(item) : -ENOMEM;
	if (child) {
		error = attach_group(child, group, folder, &item_calls);
	} else {
		error = make_folder(item, folder, &item_calls);
		if (!error)
			item_link(item, group);
	}
	if (error)
		drop(group, item);
	return error;
}

static int group_make(struct file_node *folder, const char *name)
{
	struct config_item *item = folder->inode.i_private;
	int error;

	mutex_lock(&making);
	if (!item->ci_type || !item->ci_type->ct_group_ops)
		error = -EPERM;
	else if (node_child(folder, name))
		error = -EEXIST;
	else
		error = make_child(to_config_group(item), folder, name);
	mutex_unlock(&making);
	return error;
}

static int group_remove(struct file_node *folder)
{
	(void)folder;
	return -EPERM;
}

/* Are there children that programs made? Default groups go with their parent. */
static bool has_own_children(const struct config_group *group)
{
	const struct config_group *child;
	const struct config_item *item;
	size_t nr = 0, nr_default = 0;

	list_for_each_entry(item, &group->cg_children, ci_entry)
		nr++;
	list_for_each_entry(child, &group->default_groups, group_entry) {
		nr_default++;
		if (has_own_children(child))
			return true;
	}
	return nr > nr_default;
}

/* An item is a group if its type makes children; such a one was returned by make_group(). */
static int item_remove(struct file_node *folder)
{
	struct config_item *item = folder->inode.i_private;
	struct config_group *parent = item->ci_group;
	const struct configfs_group_operations *operations = operations_of(parent);
	int error = 0;

	mutex_lock(&making);
	if (operations->make_group && has_own_children(to_config_group(item))) {
		error = -ENOTEMPTY;
	} else {
		if (operations->disconnect_notify)
			operations->disconnect_notify(parent, item);
		if (operations->make_group) {
			detach_group(to_config_group(item));
		} else {
			node_remove(folder);
			item_unlink(item);
		}
		drop(parent, item);
	}
	mutex_unlock(&making);
	return error;
}

static const struct folder_calls group_calls = { .make = group_make, .remove = group_remove };
static const struct folder_calls item_calls = { .make = group_make, .remove = item_remove };

/* What modules register. */

int configfs_register_subsystem(struct configfs_subsystem *subsystem)
{
	int error;

	subsystem->su_group.cg_subsys = subsystem;
	mutex_lock(&making);
	error = attach_group(&subsystem->su_group, NULL, node_base(CONFIGFS_PATH), &group_calls);
	mutex_unlock(&making);
	return error;
}

void configfs_unregister_subsystem(struct configfs_subsystem *subsystem)
{
	mutex_lock(&making);
	detach_group(&subsystem->su_group);
	mutex_unlock(&making);
}

int configfs_register_group(struct config_group *parent, struct config_group *group)
{
	struct dentry *dentry = parent->cg_item.ci_dentry;
	int error;

	if (!dentry)
		return -ENOENT;
	mutex_lock(&making);
	error = attach_group(group, parent, node_of_dentry(dentry), &group_calls);
	if (!error)
		configfs_add_default_group(group, parent);
	mutex_unlock(&making);
	return error;
}

void configfs_unregister_group(struct config_group *group)
{
	mutex_lock(&making);
	detach_group(group);
	list_del_init(&group->group_entry);
	mutex_unlock(&making);
}

struct config_group *configfs_register_default_group(struct config_group *parent,
						     const char *name,
						     const struct config_item_type *type)
{
	struct config_group *group = kzalloc(sizeof(*group), GFP_KERNEL);
	int error;

	if (!group)
		return ERR_PTR(-ENOMEM);
	config_group_init_type_name(group, name, type);
	error = configfs_register_group(parent, group);
	if (!error)
		return group;
	kfree(group);
	return ERR_PTR(error);
}

void configfs_unregister_default_group(struct config_group *group)
{
	configfs_unregister_group(group);
	kfree(group);
}

void configfs_remove_default_groups(struct config_group *group)
{
	struct config_group *child, *next;

	list_for_each_entry_safe(child, next, &group->default_groups, group_entry) {
		configfs_remove_default_groups(child);
		list_del_init(&child->group_entry);
		config_group_put(child);
	}
}
