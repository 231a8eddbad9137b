// SPDX-License-Identifier: MIT
/*
 * Folders whose names are all in memory. cf. Linux fs/libfs.c and fs/readdir.c.
 *
 * A position is a number of names that were listed, after "." and "..". A name that is added while
 * a folder is being listed may be missed; Linux keeps a mark among the names, and may miss it, too.
 */
#include <linux/err.h>
#include <linux/fs.h>

#include "vfs.h"

const struct file_operations simple_dir_operations = {
	.open = dcache_dir_open,
	.release = dcache_dir_close,
	.llseek = dcache_dir_lseek,
	.read = generic_read_dir,
	.iterate_shared = dcache_readdir,
	.fsync = noop_fsync,
};

int dcache_dir_open(struct inode *inode, struct file *file)
{
	(void)inode;
	(void)file;
	return 0;
}

int dcache_dir_close(struct inode *inode, struct file *file)
{
	(void)inode;
	(void)file;
	return 0;
}

loff_t dcache_dir_lseek(struct file *file, loff_t offset, int whence)
{
	if (whence == SEEK_CUR)
		offset += file->f_pos;
	else if (whence != SEEK_SET)
		return -EINVAL;
	return offset < 0 ? -EINVAL : (file->f_pos = offset);
}

ssize_t generic_read_dir(struct file *file, char __user *buffer, size_t n, loff_t *pos)
{
	(void)file;
	(void)buffer;
	(void)n;
	(void)pos;
	return -EISDIR;
}

static unsigned int type_of(const struct inode *inode)
{
	return (inode->i_mode & S_IFMT) >> 12;
}

int dcache_readdir(struct file *file, struct dir_context *context)
{
	struct dentry *folder = file->f_path.dentry, *dentry;
	loff_t at = 2;

	if (!dir_emit_dots(file, context))
		return 0;
	for (dentry = dcache_next(folder, NULL); dentry; dentry = dcache_next(folder, dentry)) {
		if (at++ < context->pos)
			continue;
		if (!dir_emit(context, (const char *)dentry->d_name.name, (int)dentry->d_name.len,
			      d_inode(dentry)->i_ino, type_of(d_inode(dentry)))) {
			dput(dentry);
			return 0;
		}
		context->pos++;
	}
	return 0;
}

int iterate_dir(struct file *file, struct dir_context *context)
{
	struct inode *inode = file_inode(file);
	int (*iterate)(struct file *file, struct dir_context *context) =
		file->f_op->iterate_shared ? file->f_op->iterate_shared : file->f_op->iterate;
	int error = -ENOENT;

	if (!iterate)
		return -ENOTDIR;
	inode_lock(inode);
	if (!IS_DEADDIR(inode)) {
		context->pos = file->f_pos;
		error = iterate(file, context);
		file->f_pos = context->pos;
	}
	inode_unlock(inode);
	return error;
}
