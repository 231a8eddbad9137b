// SPDX-License-Identifier: MIT
/* Owners, modes, times and sizes of files. cf. Linux fs/attr.c and fs/stat.c. */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/mount.h>
#include <linux/statfs.h>
#include <linux/string.h>
#include <linux/timekeeping.h>

#include "vfs.h"

struct timespec64 current_time(struct inode *inode)
{
	unsigned int step = inode->i_sb ? inode->i_sb->s_time_gran : 1;
	struct timespec64 now;

	ktime_get_real_ts64(&now);
	if (step > 1)
		now.tv_nsec -= now.tv_nsec % (long)step;
	return now;
}

void touch_atime(const struct path *path)
{
	struct inode *inode = path->dentry->d_sb ? d_inode(path->dentry) : NULL;

	if (inode && !(inode->i_flags & S_NOATIME) && !(inode->i_sb->s_flags & SB_NOATIME))
		inode->i_atime = current_time(inode);
}

int file_update_time(struct file *file)
{
	struct inode *inode = file_inode(file);

	if (IS_NOCMTIME(inode))
		return 0;
	inode->i_mtime = inode_set_ctime_current(inode);
	mark_inode_dirty_sync(inode);
	return 0;
}

void init_special_inode(struct inode *inode, umode_t mode, dev_t device)
{
	inode->i_mode = mode;
	if (S_ISCHR(mode) || S_ISBLK(mode))
		inode->i_rdev = device;
}

/* A folder with the group bit gives its group to what is made in it. */
void usermm_inode_init_owner(struct inode *inode, const struct inode *folder, umode_t mode)
{
	inode->i_uid = current_fsuid();
	if (folder && folder->i_mode & S_ISGID) {
		inode->i_gid = folder->i_gid;
		if (S_ISDIR(mode))
			mode |= S_ISGID;
	} else {
		inode->i_gid = current_fsgid();
	}
	inode->i_mode = mode;
}

void usermm_generic_fillattr(struct inode *inode, struct kstat *stat)
{
	stat->dev = inode->i_sb ? inode->i_sb->s_dev : 0;
	stat->ino = inode->i_ino;
	stat->mode = inode->i_mode;
	stat->nlink = inode->i_nlink;
	stat->uid = inode->i_uid;
	stat->gid = inode->i_gid;
	stat->rdev = inode->i_rdev;
	stat->size = i_size_read(inode);
	stat->atime = inode->i_atime;
	stat->mtime = inode->i_mtime;
	stat->ctime = inode->i_ctime;
	stat->blksize = 1U << inode->i_blkbits;
	stat->blocks = (u64)inode->i_blocks;
}

int inode_newsize_ok(const struct inode *inode, loff_t size)
{
	if (size < 0)
		return -EINVAL;
	return size > i_size_read(inode) && size > inode->i_sb->s_maxbytes ? -EFBIG : 0;
}

static bool is_owner(const struct inode *inode)
{
	return uid_eq(current_fsuid(), inode->i_uid) || capable(CAP_FOWNER);
}

int usermm_setattr_prepare(struct dentry *dentry, struct iattr *attributes)
{
	unsigned int what = attributes->ia_valid;
	struct inode *inode = d_inode(dentry);
	int error = what & ATTR_SIZE ? inode_newsize_ok(inode, attributes->ia_size) : 0;

	if (error || what & ATTR_FORCE)
		return error;
	if (what & ATTR_UID && !uid_eq(attributes->ia_uid, inode->i_uid) && !capable(CAP_CHOWN))
		return -EPERM;
	if (what & ATTR_GID && !gid_eq(attributes->ia_gid, inode->i_gid) && !capable(CAP_CHOWN))
		return -EPERM;
	if (what & (ATTR_MODE | ATTR_MTIME_SET | ATTR_ATIME_SET | ATTR_TIMES_SET) &&
	    !is_owner(inode))
		return -EPERM;
	return 0;
}

void usermm_setattr_copy(struct inode *inode, const struct iattr *attributes)
{
	unsigned int what = attributes->ia_valid;

	if (what & ATTR_UID)
		inode->i_uid = attributes->ia_uid;
	if (what & ATTR_GID)
		inode->i_gid = attributes->ia_gid;
	if (what & ATTR_ATIME)
		inode->i_atime = attributes->ia_atime;
	if (what & ATTR_MTIME)
		inode->i_mtime = attributes->ia_mtime;
	if (what & ATTR_CTIME)
		inode->i_ctime = attributes->ia_ctime;
	if (what & ATTR_MODE)
		inode->i_mode = attributes->ia_mode;
}

static int set_attributes(struct dentry *dentry, struct iattr *attributes)
{
	struct inode *inode = d_inode(dentry);
	int error = usermm_setattr_prepare(dentry, attributes);

	if (error)
		return error;
	if (attributes->ia_valid & ATTR_SIZE)
		truncate_setsize(inode, attributes->ia_size);
	usermm_setattr_copy(inode, attributes);
	mark_inode_dirty(inode);
	return 0;
}

int simple_setattr(struct mnt_idmap *map, struct dentry *dentry, struct iattr *attributes)
{
	(void)map;
	return set_attributes(dentry, attributes);
}

static int get_attributes(const struct path *path, struct kstat *stat)
{
	struct inode *inode = d_inode(path->dentry);

	usermm_generic_fillattr(inode, stat);
	stat->blocks = inode->i_mapping->nrpages << (PAGE_SHIFT - 9);
	return 0;
}

int simple_getattr(struct mnt_idmap *map, const struct path *path, struct kstat *stat, u32 mask,
		   unsigned int flags)
{
	(void)map;
	(void)mask;
	(void)flags;
	return get_attributes(path, stat);
}

/* Before 5.12 operations had no map. */
int usermm_simple_setattr_unmapped(struct dentry *dentry, struct iattr *attributes)
	__attribute__((visibility("default")));
int usermm_simple_setattr_unmapped(struct dentry *dentry, struct iattr *attributes)
{
	return set_attributes(dentry, attributes);
}

int usermm_simple_getattr_unmapped(const struct path *path, struct kstat *stat, u32 mask,
				   unsigned int flags) __attribute__((visibility("default")));
int usermm_simple_getattr_unmapped(const struct path *path, struct kstat *stat, u32 mask,
				   unsigned int flags)
{
	(void)mask;
	(void)flags;
	return get_attributes(path, stat);
}

int vfs_getattr(const struct path *path, struct kstat *stat, u32 mask, unsigned int flags)
{
	struct inode *inode = d_inode(path->dentry);
	const struct inode_operations *op = inode->i_op;

	memset(stat, 0, sizeof(*stat));
	stat->result_mask = STATX_BASIC_STATS;
	if (op && op->getattr)
		return CALL_MAPPED(op->getattr, (const struct path *, struct kstat *, u32,
						 unsigned int), path, stat, mask, flags);
	usermm_generic_fillattr(inode, stat);
	return 0;
}

int vfs_statfs(const struct path *path, struct kstatfs *stat)
{
	struct super_block *sb = path->dentry->d_sb;

	if (!sb || !sb->s_op || !sb->s_op->statfs)
		return -ENOSYS;
	memset(stat, 0, sizeof(*stat));
	return sb->s_op->statfs(path->dentry, stat);
}
