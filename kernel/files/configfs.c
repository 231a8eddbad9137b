// SPDX-License-Identifier: MIT
/* Folders that programs make and remove: see linux/configfs.h. cf. Linux fs/configfs. */
#include <linux/configfs.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "files.h"

#define CONFIGFS_PATH "/sys/kernel/config"

/* An open attribute. */
struct open_text {
	struct mutex lock;
	char *text;		/* a page */
	ssize_t length;		/* -1: not made yet */
};

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

/* Attributes. */

static struct config_item *item_of(const struct file *file)
{
	return node_of_dentry(node_of(file)->dentry.d_parent)->inode.i_private;
}

static int text_open(struct inode *inode, struct file *file)
{
	const struct configfs_attribute *attribute = inode->i_private;
	struct open_text *open;

	if ((file->f_mode & FMODE_WRITE && (!(inode->i_mode & S_IWUGO) || !attribute->store)) ||
	    (file->f_mode & FMODE_READ && (!(inode->i_mode & S_IRUGO) || !attribute->show)))
		return -EACCES;
	open = kzalloc(sizeof(*open), GFP_KERNEL);
	if (!open)
		return -ENOMEM;
	mutex_init(&open->lock);
	open->length = -1;
	file->private_data = open;
	return 0;
}

static int text_release(struct inode *inode, struct file *file)
{
	struct open_text *open = file->private_data;

	(void)inode;
	kfree(open->text);
	kfree(open);
	return 0;
}

static ssize_t text_make(struct file *file, struct open_text *open)
{
	const struct configfs_attribute *attribute = file->f_inode->i_private;

	if (!open->text)
		open->text = kzalloc(PAGE_SIZE, GFP_KERNEL);
	if (!open->text)
		return -ENOMEM;
	open->length = attribute->show(item_of(file), open->text);
	return open->length;
}

static ssize_t text_read(struct file *file, char __user *buffer, size_t n, loff_t *pos)
{
	struct open_text *open = file->private_data;
	ssize_t done = 0;

	mutex_lock(&open->lock);
	if (open->length < 0)
		done = text_make(file, open);
	if (done >= 0)
		done = simple_read_from_buffer(buffer, n, pos, open->text, (size_t)open->length);
	mutex_unlock(&open->lock);
	return done;
}

static ssize_t text_write(struct file *file, const char __user *buffer, size_t n, loff_t *pos)
{
	const struct configfs_attribute *attribute = file->f_inode->i_private;
	char *text = memdup_user_nul(buffer, min(n, PAGE_SIZE - 1));
	ssize_t done;

	if (IS_ERR(text))
		return PTR_ERR(text);
	done = attribute->store(item_of(file), text, min(n, PAGE_SIZE - 1));
	kfree(text);
	if (done > 0)
		*pos += done;
	return done;
}

static const struct file_operations text_operations = {
	.open = text_open, .release = text_release, .read = text_read, .write = text_write,
	.llseek = generic_file_llseek,
};

/* What a binary attribute has, from its beginning on. */
static ssize_t binary_read(struct file *file, char __user *buffer, size_t n, loff_t *pos)
{
	const struct configfs_bin_attribute *attribute = file->f_inode->i_private;
	ssize_t size, done;
	void *bytes;

	if (!attribute->read)
		return -EINVAL;
	size = attribute->read(item_of(file), NULL, 0);
	if (size < 0)
		return size;
	if (attribute->cb_max_size && (size_t)size > attribute->cb_max_size)
		return -EFBIG;
	bytes = kvmalloc((size_t)size, GFP_KERNEL);
	if (!bytes)
		return -ENOMEM;
	done = attribute->read(item_of(file), bytes, (size_t)size);
	if (done >= 0)
		done = simple_read_from_buffer(buffer, n, pos, bytes, (size_t)done);
	kvfree(bytes);
	return done;
}

static ssize_t binary_write(struct file *file, const char __user *buffer, size_t n, loff_t *pos)
{
	const struct configfs_bin_attribute *attribute = file->f_inode->i_private;
	ssize_t done;
	void *bytes;

	if (!attribute->write)
		return -EINVAL;
	if (attribute->cb_max_size && (size_t)*pos + n > attribute->cb_max_size)
		return -EFBIG;
	bytes = memdup_user(buffer, n);
	if (IS_ERR(bytes))
		return PTR_ERR(bytes);
	done = attribute->write(item_of(file), bytes, n);
	kfree(bytes);
	if (done < 0)
		return done;
	*pos += (loff_t)n;
	return (ssize_t)n;
}

static const struct file_operations binary_operations = {
	.read = binary_read, .write = binary_write, .llseek = generic_file_llseek,
};

/* Folders. */

static int add_attributes(struct config_item *item, struct file_node *folder)
{
	const struct config_item_type *type = item->ci_type;
	struct file_node *node = folder;

	for (int i = 0; !IS_ERR(node) && type && type->ct_attrs && type->ct_attrs[i]; i++)
		node = node_create(folder, type->ct_attrs[i]->ca_name,
				   S_IFREG | type->ct_attrs[i]->ca_mode, &text_operations,
				   type->ct_attrs[i]);
	for (int i = 0; !IS_ERR(node) && type && type->ct_bin_attrs && type->ct_bin_attrs[i]; i++)
		node = node_create(folder, type->ct_bin_attrs[i]->cb_attr.ca_name,
				   S_IFREG | type->ct_bin_attrs[i]->cb_attr.ca_mode,
				   &binary_operations, type->ct_bin_attrs[i]);
	return PTR_ERR_OR_ZERO(node);
}

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
	error = add_attributes(item, folder);
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
