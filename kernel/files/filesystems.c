// SPDX-License-Identifier: MIT
/* File systems of modules, which are registered and never mounted: see linux/fs.h. */
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/mutex.h>
#include <linux/string.h>

static DEFINE_MUTEX(lock);
static struct file_system_type *types;	/* Sync: lock */

struct mnt_idmap {
	int unused;
};

struct mnt_idmap nop_mnt_idmap;
const struct file_operations simple_dir_operations;
const struct inode_operations simple_dir_inode_operations = { .lookup = simple_lookup };
const struct inode_operations simple_symlink_inode_operations;
const struct address_space_operations ram_aops;

int register_filesystem(struct file_system_type *type)
{
	struct file_system_type *other;
	int error = 0;

	if (type->next)
		return -EBUSY;
	mutex_lock(&lock);
	for (other = types; other && strcmp(other->name, type->name); other = other->next)
		;
	if (other) {
		error = -EBUSY;
	} else {
		type->next = types;
		types = type;
	}
	mutex_unlock(&lock);
	return error;
}

int unregister_filesystem(struct file_system_type *type)
{
	struct file_system_type **link;
	int error = -EINVAL;

	mutex_lock(&lock);
	for (link = &types; *link && *link != type; link = &(*link)->next)
		;
	if (*link) {
		*link = type->next;
		type->next = NULL;
		error = 0;
	}
	mutex_unlock(&lock);
	return error;
}

int simple_statfs(struct dentry *dentry, struct kstatfs *stat)
{
	(void)dentry;
	(void)stat;
	return -ENOSYS;
}

struct dentry *simple_lookup(struct inode *folder, struct dentry *dentry, unsigned int flags)
{
	(void)folder;
	(void)dentry;
	(void)flags;
	return NULL;
}

int simple_link(struct dentry *old, struct inode *folder, struct dentry *dentry)
{
	(void)old;
	(void)folder;
	(void)dentry;
	return -ENOSYS;
}

int simple_unlink(struct inode *folder, struct dentry *dentry)
{
	(void)folder;
	(void)dentry;
	return -ENOSYS;
}

int simple_rmdir(struct inode *folder, struct dentry *dentry)
{
	return simple_unlink(folder, dentry);
}

int generic_delete_inode(struct inode *inode)
{
	(void)inode;
	return 1;
}

struct inode *new_inode(struct super_block *sb)
{
	(void)sb;
	return NULL;
}

void iput(struct inode *inode)
{
	(void)inode;
}

struct dentry *d_make_root(struct inode *inode)
{
	(void)inode;
	return NULL;
}

void kill_litter_super(struct super_block *sb)
{
	(void)sb;
}

void kill_anon_super(struct super_block *sb)
{
	(void)sb;
}

void kill_block_super(struct super_block *sb)
{
	(void)sb;
}

struct dentry *mount_nodev(struct file_system_type *type, int flags, void *data,
			   int (*fill)(struct super_block *sb, void *data, int silent))
{
	(void)type;
	(void)flags;
	(void)data;
	(void)fill;
	return ERR_PTR(-ENOSYS);
}

struct dentry *mount_bdev(struct file_system_type *type, int flags, const char *device, void *data,
			  int (*fill)(struct super_block *sb, void *data, int silent))
{
	(void)device;
	return mount_nodev(type, flags, data, fill);
}

ssize_t generic_file_read_iter(struct kiocb *kiocb, struct iov_iter *to)
{
	(void)kiocb;
	(void)to;
	return -EINVAL;
}

ssize_t generic_file_write_iter(struct kiocb *kiocb, struct iov_iter *from)
{
	(void)kiocb;
	(void)from;
	return -EINVAL;
}

int generic_file_mmap(struct file *file, struct vm_area_struct *vma)
{
	(void)file;
	(void)vma;
	return -ENODEV;
}

ssize_t iter_file_splice_write(struct pipe_inode_info *pipe, struct file *to, loff_t *pos,
			       size_t n, unsigned int flags)
{
	(void)pipe;
	(void)to;
	(void)pos;
	(void)n;
	(void)flags;
	return -EINVAL;
}

ssize_t copy_splice_read(struct file *from, loff_t *pos, struct pipe_inode_info *pipe, size_t n,
			 unsigned int flags)
{
	(void)from;
	(void)pos;
	(void)pipe;
	(void)n;
	(void)flags;
	return -EINVAL;
}

int noop_fsync(struct file *file, loff_t start, loff_t end, int datasync)
{
	(void)file;
	(void)start;
	(void)end;
	(void)datasync;
	return 0;
}

long compat_ptr_ioctl(struct file *file, unsigned int command, unsigned long argument)
{
	return file->f_op->unlocked_ioctl ?
	       file->f_op->unlocked_ioctl(file, command, (u32)argument) : -ENOIOCTLCMD;
}
