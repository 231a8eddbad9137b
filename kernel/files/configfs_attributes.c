// SPDX-License-Identifier: MIT
/* The files of a configfs folder: its item's attributes. cf. Linux fs/configfs/file.c. */
#include <linux/configfs.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "files.h"

/* An open attribute. */
struct open_text {
	struct mutex lock;
	char *text;		/* a page */
	ssize_t length;		/* -1: not made yet */
};

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

/*
 * A binary attribute is read whole at the first read, and written whole at the end: see
 * configfs_bin_attribute. One open file does one of both.
 */
struct open_binary {
	struct mutex lock;
	char *bytes;
	size_t n;
	bool reads, writes;
};

static int binary_open(struct inode *inode, struct file *file)
{
	const struct configfs_bin_attribute *attribute = inode->i_private;
	struct open_binary *open;

	if ((file->f_mode & FMODE_WRITE && (!(inode->i_mode & S_IWUGO) || !attribute->write)) ||
	    (file->f_mode & FMODE_READ && (!(inode->i_mode & S_IRUGO) || !attribute->read)))
		return -EACCES;
	open = kzalloc(sizeof(*open), GFP_KERNEL);
	if (!open)
		return -ENOMEM;
	mutex_init(&open->lock);
	file->private_data = open;
	return 0;
}

static int binary_release(struct inode *inode, struct file *file)
{
	const struct configfs_bin_attribute *attribute = inode->i_private;
	struct open_binary *open = file->private_data;

	/* An error is lost: close() cannot report it. */
	if (open->writes)
		attribute->write(item_of(file), open->bytes, open->n);
	kvfree(open->bytes);
	kfree(open);
	return 0;
}

/* 0 or -errno. Call it under the lock. */
static ssize_t binary_make(struct file *file, struct open_binary *open)
{
	const struct configfs_bin_attribute *attribute = file->f_inode->i_private;
	ssize_t size = attribute->read(item_of(file), NULL, 0);

	if (size < 0)
		return size;
	if (attribute->cb_max_size && (size_t)size > attribute->cb_max_size)
		return -EFBIG;
	open->bytes = kvmalloc((size_t)size, GFP_KERNEL);
	if (!open->bytes)
		return -ENOMEM;
	size = attribute->read(item_of(file), open->bytes, (size_t)size);
	if (size < 0) {
		kvfree(open->bytes);
		open->bytes = NULL;
		return size;
	}
	open->n = (size_t)size;
	open->reads = true;
	return 0;
}

static ssize_t binary_read(struct file *file, char __user *buffer, size_t n, loff_t *pos)
{
	struct open_binary *open = file->private_data;
	ssize_t done = 0;

	mutex_lock(&open->lock);
	if (open->writes)
		done = -ETXTBSY;
	else if (!open->reads)
		done = binary_make(file, open);
	if (!done)
		done = simple_read_from_buffer(buffer, n, pos, open->bytes, open->n);
	mutex_unlock(&open->lock);
	return done;
}

/* 0 or -errno. What lies between the end and the position is 0. Call it under the lock. */
static ssize_t binary_grow(const struct configfs_bin_attribute *attribute,
			   struct open_binary *open, size_t n)
{
	char *bytes;

	if (attribute->cb_max_size && n > attribute->cb_max_size)
		return -EFBIG;
	if (n <= open->n)
		return 0;
	bytes = kvzalloc(n, GFP_KERNEL);
	if (!bytes)
		return -ENOMEM;
	if (open->bytes)
		memcpy(bytes, open->bytes, open->n);
	kvfree(open->bytes);
	open->bytes = bytes;
	open->n = n;
	return 0;
}

static ssize_t binary_write(struct file *file, const char __user *buffer, size_t n, loff_t *pos)
{
	struct open_binary *open = file->private_data;
	ssize_t done;

	mutex_lock(&open->lock);
	done = open->reads ? -ETXTBSY :
	       binary_grow(file->f_inode->i_private, open, (size_t)*pos + n);
	if (!done) {
		open->writes = true;
		done = simple_write_to_buffer(open->bytes, open->n, pos, buffer, n);
	}
	mutex_unlock(&open->lock);
	return done;
}

static const struct file_operations binary_operations = {
	.open = binary_open, .release = binary_release, .read = binary_read,
	.write = binary_write,
};

int configfs_add_attributes(struct config_item *item, struct file_node *folder)
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
