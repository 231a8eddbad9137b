// SPDX-License-Identifier: MIT
/* Attributes of objects as files of /sys. cf. Linux fs/sysfs and fs/kernfs/file.c. */
#include <linux/device.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/kobject.h>
#include <linux/module.h>
#include <linux/poll.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "devices/bus.h"
#include "files.h"

/* An open attribute: its text, made at the read from the beginning. */
struct open_attribute {
	struct mutex lock;
	char *text;		/* a page; NULL until it is read */
	size_t length;
	unsigned int nr_changes;	/* of the node, when its text was made */
};

static const struct sysfs_ops *operations_of(const struct file_node *node)
{
	return node->kobj && node->kobj->ktype ? node->kobj->ktype->sysfs_ops : NULL;
}

static bool has_function(const struct file_node *node, bool reads)
{
	const struct bin_attribute *binary = node->binary;
	const struct sysfs_ops *operations = operations_of(node);

	if (binary)
		return binary->mmap || (reads ? binary->read : binary->write);
	return operations && (reads ? (void *)operations->show : (void *)operations->store);
}

/* Nobody may read what has no show(), and nobody may write what has no store(): not even root. */
static int attribute_open(struct inode *inode, struct file *file)
{
	const struct file_node *node = node_of(file);
	struct open_attribute *open;

	if (file->f_mode & FMODE_WRITE &&
	    (!(inode->i_mode & S_IWUGO) || !has_function(node, false)))
		return -EACCES;
	if (file->f_mode & FMODE_READ && (!(inode->i_mode & S_IRUGO) || !has_function(node, true)))
		return -EACCES;
	open = kzalloc(sizeof(*open), GFP_KERNEL);
	if (!open)
		return -ENOMEM;
	mutex_init(&open->lock);
	open->nr_changes = READ_ONCE(node_of(file)->nr_changes);
	file->private_data = open;
	return 0;
}

static int attribute_release(struct inode *inode, struct file *file)
{
	struct open_attribute *open = file->private_data;

	(void)inode;
	kfree(open->text);
	kfree(open);
	return 0;
}

static ssize_t make_text(struct file_node *node, struct open_attribute *open)
{
	ssize_t length;

	if (!open->text)
		open->text = kzalloc(PAGE_SIZE, GFP_KERNEL);
	if (!open->text)
		return -ENOMEM;
	memset(open->text, 0, PAGE_SIZE);
	open->nr_changes = READ_ONCE(node->nr_changes);
	length = operations_of(node)->show(node->kobj, (struct attribute *)node->attribute,
					   open->text);
	if (length < 0)
		return length;
	if (length >= (ssize_t)PAGE_SIZE) {
		printk(KERN_ERR "fill_read_buffer: %s returned bad count\n",
		       node->attribute->name);
		length = PAGE_SIZE - 1;
	}
	open->length = (size_t)length;
	return 0;
}

static ssize_t attribute_read(struct file *file, char __user *buffer, size_t n, loff_t *pos)
{
	struct open_attribute *open = file->private_data;
	ssize_t done = 0;

	mutex_lock(&open->lock);
	if (!*pos || !open->text)
		done = make_text(node_of(file), open);
	if (!done)
		done = simple_read_from_buffer(buffer, n, pos, open->text, open->length);
	mutex_unlock(&open->lock);
	return done;
}

static ssize_t attribute_write(struct file *file, const char __user *buffer, size_t n,
			       loff_t *pos)
{
	struct file_node *node = node_of(file);
	char *text;
	ssize_t done;

	n = min(n, PAGE_SIZE - 1);
	if (!n)
		return 0;
	text = memdup_user_nul(buffer, n);
	if (IS_ERR(text))
		return PTR_ERR(text);
	done = operations_of(node)->store(node->kobj, (struct attribute *)node->attribute, text,
					  n);
	kfree(text);
	if (done > 0)
		*pos += done;
	return done;
}

/* An attribute that was notified since its text was made is ready, with an exception. */
static __poll_t attribute_poll(struct file *file, struct poll_table_struct *table)
{
	const struct open_attribute *open = file->private_data;
	struct file_node *node = node_of(file);

	poll_wait(file, &node->changed, table);
	if (READ_ONCE(node->nr_changes) != READ_ONCE(open->nr_changes))
		return DEFAULT_POLLMASK | EPOLLERR | EPOLLPRI;
	return DEFAULT_POLLMASK;
}

const struct file_operations sysfs_operations = {
	.open = attribute_open, .release = attribute_release, .read = attribute_read,
	.write = attribute_write, .llseek = generic_file_llseek, .poll = attribute_poll,
};

/* At most a page at a time; not beyond the size, if there is one. */
static ssize_t binary_transfer(struct file *file, char __user *buffer, size_t n, loff_t *pos,
			       bool reads)
{
	struct file_node *node = node_of(file);
	struct bin_attribute *binary = (struct bin_attribute *)node->binary;
	ssize_t done = -ENOMEM;
	char *text;

	if (!(reads ? binary->read : binary->write))
		return -EIO;
	n = min(n, PAGE_SIZE);
	if (binary->size) {
		if (*pos >= (loff_t)binary->size)
			return reads || !n ? 0 : -EFBIG;
		n = min(n, binary->size - (size_t)*pos);
	}
	text = kzalloc(PAGE_SIZE, GFP_KERNEL);
	if (text && !reads && copy_from_user(text, buffer, n))
		done = -EFAULT;
	else if (text)
		done = reads ? binary->read(file, node->kobj, binary, text, *pos, n) :
			       binary->write(file, node->kobj, binary, text, *pos, n);
	if (done > 0 && reads && copy_to_user(buffer, text, (unsigned long)done))
		done = -EFAULT;
	if (done > 0)
		*pos += done;
	kfree(text);
	return done;
}

static ssize_t binary_read(struct file *file, char __user *buffer, size_t n, loff_t *pos)
{
	return binary_transfer(file, buffer, n, pos, true);
}

static ssize_t binary_write(struct file *file, const char __user *buffer, size_t n, loff_t *pos)
{
	return binary_transfer(file, (char __user *)buffer, n, pos, false);
}

static int binary_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct file_node *node = node_of(file);
	struct bin_attribute *binary = (struct bin_attribute *)node->binary;

	return binary->mmap ? binary->mmap(file, node->kobj, binary, vma) : -ENODEV;
}

const struct file_operations sysfs_binary_operations = {
	.open = attribute_open, .release = attribute_release, .read = binary_read,
	.write = binary_write, .llseek = generic_file_llseek, .mmap = binary_mmap,
};

/* Objects that Linux has, and folders of which the caller made none. */
static struct file_node *base_folder(const struct kobject *kobj)
{
	char path[sizeof(SYS_PATH "/module/") + MODULE_NAME_LEN];

	if (kobj->ktype == &module_kobject_type) {
		snprintf(path, sizeof(path), SYS_PATH "/module/%s", kobject_name(kobj));
		return node_base(path);
	}
	if (kobj >= usermm_kobjects && kobj < usermm_kobjects + ARRAY_SIZE(usermm_kobjects))
		return node_base(kobj == mm_kobj ? SYS_PATH "/kernel/mm" :
				 kobj == kernel_kobj ? SYS_PATH "/kernel" :
				 kobj == fs_kobj ? SYS_PATH "/fs" :
				 kobj == firmware_kobj ? SYS_PATH "/firmware" : SYS_PATH "/power");
	return kobj == &module_kset->kobj ? node_base(SYS_PATH "/module") : NULL;
}

struct file_node *sysfs_folder(const struct kobject *kobj)
{
	return kobj->sd ? node_of_kernfs(kobj->sd) : base_folder(kobj);
}

void sysfs_say_name_is_taken(const char *name)
{
	pr_err("kobject: kobject_add_internal failed for %s with -EEXIST, don't try to register "
	       "things with the same name in the same directory.\n", name);
}

struct file_node *sysfs_make_folder(struct kobject *kobj, struct kobject *parent)
{
	struct file_node like = {
		.inode = { .i_mode = S_IFDIR | 0755 }, .kobj = kobj,
	};
	struct file_node *folder = parent ? sysfs_folder(parent) : NULL, *node;
	char path[128];

	if (!folder)
		folder = node_base(device_home(kobj, path, sizeof(path)) ? path : SYS_PATH);
	node = node_create_like(folder, kobject_name(kobj), &like);
	if (PTR_ERR_OR_ZERO(node) == -EEXIST)
		sysfs_say_name_is_taken(kobject_name(kobj));
	return node;
}

static int add(struct file_node *folder, struct kobject *kobj, const struct attribute *attr,
	       umode_t mode, const struct bin_attribute *binary)
{
	struct file_node like = {
		.inode = { .i_mode = S_IFREG | (mode & 0777),
			   .i_size = binary ? (loff_t)binary->size : (loff_t)PAGE_SIZE },
		.made = binary ? &sysfs_binary_operations : &sysfs_operations,
		.attribute = attr, .binary = binary, .kobj = kobj, .removed_error = -ENODEV,
	};
	struct file_node *node;

	if (!folder || !attr->name)
		return -EINVAL;
	node = node_create_like(folder, attr->name, &like);
	if (PTR_ERR_OR_ZERO(node) == -EEXIST)
		pr_warn("sysfs: cannot create duplicate filename '%s'\n", attr->name);
	return PTR_ERR_OR_ZERO(node);
}

static void drop(struct file_node *folder, const struct attribute *attr)
{
	if (folder && attr)
		node_remove(node_child(folder, attr->name));
}

int sysfs_create_file(struct kobject *kobj, const struct attribute *attr)
{
	if (!kobj || !attr)
		return -EINVAL;
	return add(sysfs_folder(kobj), kobj, attr, attr->mode, NULL);
}

void sysfs_remove_file(struct kobject *kobj, const struct attribute *attr)
{
	drop(sysfs_folder(kobj), attr);
}

int sysfs_create_files(struct kobject *kobj, const struct attribute *const *attrs)
{
	for (unsigned int i = 0; attrs[i]; i++) {
		int error = sysfs_create_file(kobj, attrs[i]);

		if (error) {
			while (i--)
				sysfs_remove_file(kobj, attrs[i]);
			return error;
		}
	}
	return 0;
}

void sysfs_remove_files(struct kobject *kobj, const struct attribute *const *attrs)
{
	for (unsigned int i = 0; attrs[i]; i++)
		sysfs_remove_file(kobj, attrs[i]);
}

int sysfs_create_bin_file(struct kobject *kobj, const struct bin_attribute *attr)
{
	if (!kobj || !attr)
		return -EINVAL;
	return add(sysfs_folder(kobj), kobj, &attr->attr, attr->attr.mode, attr);
}

void sysfs_remove_bin_file(struct kobject *kobj, const struct bin_attribute *attr)
{
	drop(sysfs_folder(kobj), &attr->attr);
}

static struct file_node *group_folder(struct kobject *kobj, const struct attribute_group *group)
{
	struct file_node *folder = sysfs_folder(kobj);

	return folder && group->name ? node_child(folder, group->name) : folder;
}

static int add_group_files(struct file_node *folder, struct kobject *kobj,
			   const struct attribute_group *group, bool again)
{
	int error = 0;

	for (int i = 0; !error && group->attrs && group->attrs[i]; i++) {
		struct attribute *attr = group->attrs[i];
		umode_t mode = attr->mode;

		if (again)
			drop(folder, attr);
		if (group->is_visible)
			mode = group->is_visible(kobj, attr, i);
		if (mode)
			error = add(folder, kobj, attr, mode, NULL);
	}
	for (int i = 0; !error && group->bin_attrs && group->bin_attrs[i]; i++) {
		const struct bin_attribute *binary = group->bin_attrs[i];
		umode_t mode = binary->attr.mode;

		if (again)
			drop(folder, &binary->attr);
		if (group->is_bin_visible)
			mode = group->is_bin_visible(kobj, binary, i);
		if (mode)
			error = add(folder, kobj, &binary->attr, mode, binary);
	}
	return error;
}

static void remove_group_files(struct kobject *kobj, const struct attribute_group *group)
{
	struct file_node *folder = group_folder(kobj, group);

	if (group->name) {
		node_remove(folder);
		return;
	}
	for (int i = 0; group->attrs && group->attrs[i]; i++)
		drop(folder, group->attrs[i]);
	for (int i = 0; group->bin_attrs && group->bin_attrs[i]; i++)
		drop(folder, &group->bin_attrs[i]->attr);
}

int sysfs_create_group(struct kobject *kobj, const struct attribute_group *group)
{
	struct file_node *folder = kobj ? sysfs_folder(kobj) : NULL;
	int error;

	if (!folder)
		return -EINVAL;
	if (group->name) {
		folder = node_create(folder, group->name, S_IFDIR | 0755, NULL, NULL);
		if (IS_ERR(folder))
			return (int)PTR_ERR(folder);
	}
	error = add_group_files(folder, kobj, group, false);
	if (error)
		remove_group_files(kobj, group);
	return error;
}

int sysfs_update_group(struct kobject *kobj, const struct attribute_group *group)
{
	struct file_node *folder = group_folder(kobj, group);

	return folder ? add_group_files(folder, kobj, group, true) :
			sysfs_create_group(kobj, group);
}

void sysfs_remove_group(struct kobject *kobj, const struct attribute_group *group)
{
	if (group)
		remove_group_files(kobj, group);
}

int sysfs_create_groups(struct kobject *kobj, const struct attribute_group **groups)
{
	for (unsigned int i = 0; groups && groups[i]; i++) {
		int error = sysfs_create_group(kobj, groups[i]);

		if (error) {
			while (i--)
				sysfs_remove_group(kobj, groups[i]);
			return error;
		}
	}
	return 0;
}

void sysfs_remove_groups(struct kobject *kobj, const struct attribute_group **groups)
{
	for (unsigned int i = 0; groups && groups[i]; i++)
		sysfs_remove_group(kobj, groups[i]);
}

int sysfs_add_defaults(struct kobject *kobj)
{
	const struct kobj_type *type = kobj->ktype;
	int error = 0;

	if (type && type->default_groups)
		error = sysfs_create_groups(kobj, type->default_groups);
	if (!error && type && type->default_attrs)
		error = sysfs_create_files(kobj,
					   (const struct attribute *const *)type->default_attrs);
	return error;
}

int sysfs_create_link(struct kobject *kobj, struct kobject *target, const char *name)
{
	struct file_node *folder = kobj ? sysfs_folder(kobj) : node_base(SYS_PATH);
	struct file_node *to = target ? sysfs_folder(target) : NULL;
	char path[PATH_MAX];

	if (!folder || !to || !name)
		return -EINVAL;
	if (!node_path(to, path, sizeof(path)))
		return -ENAMETOOLONG;
	return PTR_ERR_OR_ZERO(node_create_link(folder, name, path));
}

void sysfs_remove_link(struct kobject *kobj, const char *name)
{
	struct file_node *folder = kobj ? sysfs_folder(kobj) : node_base(SYS_PATH);

	if (folder)
		node_remove(node_child(folder, name));
}

int sysfs_create_mount_point(struct kobject *parent, const char *name)
{
	return PTR_ERR_OR_ZERO(node_create(sysfs_folder(parent), name, S_IFDIR | 0755, NULL, NULL));
}

void sysfs_remove_mount_point(struct kobject *parent, const char *name)
{
	sysfs_remove_link(parent, name);
}

void sysfs_notify(struct kobject *kobj, const char *folder, const char *attr)
{
	struct file_node *node = sysfs_folder(kobj);

	if (node && folder)
		node = node_child(node, folder);
	if (node && attr)
		node = node_child(node, attr);
	if (node)
		kernfs_notify(kernfs_of_node(node));
}

void kernfs_notify(struct kernfs_node *kernfs)
{
	struct file_node *node = node_of_kernfs(kernfs);

	__atomic_fetch_add(&node->nr_changes, 1, __ATOMIC_SEQ_CST);
	wake_up_interruptible_all(&node->changed);
}

struct kernfs_node *usermm_kernfs_find_and_get(struct kernfs_node *parent, const char *name)
{
	struct file_node *node = parent ? node_child(node_of_kernfs(parent), name) : NULL;

	if (!node)
		return NULL;
	kernfs_get(&node->kernfs);
	return kernfs_of_node(node);
}

void kernfs_get(struct kernfs_node *kernfs)
{
	if (!kernfs)
		return;
	files_lock();
	node_of_kernfs(kernfs)->users++;
	files_unlock();
}

void kernfs_put(struct kernfs_node *kernfs)
{
	if (kernfs)
		node_put(node_of_kernfs(kernfs));
}

int sysfs_emit(char *buffer, const char *format, ...)
{
	va_list args;
	int n;

	if (WARN(!buffer || offset_in_page(buffer), "invalid sysfs_emit: buf:%p\n", buffer))
		return 0;
	va_start(args, format);
	n = vscnprintf(buffer, PAGE_SIZE, format, args);
	va_end(args);
	return n;
}

int sysfs_emit_at(char *buffer, int at, const char *format, ...)
{
	va_list args;
	int n;

	if (WARN(!buffer || offset_in_page(buffer) || at < 0 || at >= (int)PAGE_SIZE,
		 "invalid sysfs_emit_at: buf:%p at:%d\n", buffer, at))
		return 0;
	va_start(args, format);
	n = vscnprintf(buffer + at, PAGE_SIZE - (size_t)at, format, args);
	va_end(args);
	return n;
}

static ssize_t kobj_show(struct kobject *kobj, struct attribute *attr, char *buffer)
{
	struct kobj_attribute *kattr = container_of(attr, struct kobj_attribute, attr);

	return kattr->show ? kattr->show(kobj, kattr, buffer) : -EIO;
}

static ssize_t kobj_store(struct kobject *kobj, struct attribute *attr, const char *buffer,
			  size_t count)
{
	struct kobj_attribute *kattr = container_of(attr, struct kobj_attribute, attr);

	return kattr->store ? kattr->store(kobj, kattr, buffer, count) : -EIO;
}

const struct sysfs_ops kobj_sysfs_ops = { .show = kobj_show, .store = kobj_store };
