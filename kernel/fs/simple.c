// SPDX-License-Identifier: MIT
/* What file systems in memory are made of. cf. Linux fs/libfs.c and fs/ramfs. */
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/statfs.h>
#include <linux/string.h>

#include "vfs.h"

#define NAME_LENGTH 255

const struct inode_operations simple_dir_inode_operations = { .lookup = simple_lookup };
const struct inode_operations simple_symlink_inode_operations = { .get_link = simple_get_link };

int simple_statfs(struct dentry *dentry, struct kstatfs *stat)
{
	stat->f_fsid = u64_to_fsid(dentry->d_sb->s_dev);
	stat->f_type = (long)dentry->d_sb->s_magic;
	stat->f_bsize = PAGE_SIZE;
	stat->f_namelen = NAME_LENGTH;
	return 0;
}

/* A name that nobody added is of nothing. */
struct dentry *simple_lookup(struct inode *folder, struct dentry *dentry, unsigned int flags)
{
	(void)folder;
	(void)flags;
	if (dentry->d_name.len > NAME_LENGTH)
		return ERR_PTR(-ENAMETOOLONG);
	d_add(dentry, NULL);
	return NULL;
}

static void touch(struct inode *inode)
{
	inode->i_mtime = inode_set_ctime_current(inode);
}

/* A name of a file keeps one reference to itself, or the file would be forgotten. */
int simple_link(struct dentry *old, struct inode *folder, struct dentry *dentry)
{
	struct inode *inode = d_inode(old);

	inode_set_ctime_current(inode);
	touch(folder);
	inc_nlink(inode);
	ihold(inode);
	dget(dentry);
	d_instantiate(dentry, inode);
	return 0;
}

int simple_unlink(struct inode *folder, struct dentry *dentry)
{
	struct inode *inode = d_inode(dentry);

	inode_set_ctime_current(inode);
	touch(folder);
	drop_nlink(inode);
	dput(dentry);
	return 0;
}

int simple_empty(struct dentry *dentry)
{
	struct dentry *first = dcache_next(dentry, NULL);

	dput(first);
	return !first;
}

int simple_rmdir(struct inode *folder, struct dentry *dentry)
{
	if (!simple_empty(dentry))
		return -ENOTEMPTY;
	drop_nlink(d_inode(dentry));
	simple_unlink(folder, dentry);
	drop_nlink(folder);
	return 0;
}

static void exchange(struct inode *folder, struct dentry *dentry, struct inode *new_folder,
		     struct dentry *new_dentry)
{
	bool one_is_folder = d_is_dir(dentry), other_is_folder = d_is_dir(new_dentry);

	if (folder != new_folder && one_is_folder != other_is_folder) {
		drop_nlink(one_is_folder ? folder : new_folder);
		inc_nlink(one_is_folder ? new_folder : folder);
	}
	touch(folder);
	touch(new_folder);
	inode_set_ctime_current(d_inode(dentry));
	inode_set_ctime_current(d_inode(new_dentry));
}

static int do_rename(struct inode *folder, struct dentry *dentry, struct inode *new_folder,
		     struct dentry *new_dentry, unsigned int flags)
{
	bool is_folder = d_is_dir(dentry);

	if (flags & ~(unsigned int)(RENAME_NOREPLACE | RENAME_EXCHANGE))
		return -EINVAL;
	if (flags & RENAME_EXCHANGE) {
		exchange(folder, dentry, new_folder, new_dentry);
		return 0;
	}
	if (d_really_is_positive(new_dentry)) {
		if (!simple_empty(new_dentry))
			return -ENOTEMPTY;
		simple_unlink(new_folder, new_dentry);
		if (is_folder) {
			drop_nlink(d_inode(new_dentry));
			drop_nlink(folder);
		}
	} else if (is_folder) {
		drop_nlink(folder);
		inc_nlink(new_folder);
	}
	touch(folder);
	touch(new_folder);
	inode_set_ctime_current(d_inode(dentry));
	return 0;
}

int simple_rename(struct mnt_idmap *map, struct inode *folder, struct dentry *dentry,
		  struct inode *new_folder, struct dentry *new_dentry, unsigned int flags)
{
	(void)map;
	return do_rename(folder, dentry, new_folder, new_dentry, flags);
}

/* Before 5.12 operations had no map. */
int usermm_simple_rename_unmapped(struct inode *folder, struct dentry *dentry,
				  struct inode *new_folder, struct dentry *new_dentry,
				  unsigned int flags)
	__attribute__((visibility("default")));
int usermm_simple_rename_unmapped(struct inode *folder, struct dentry *dentry,
				  struct inode *new_folder, struct dentry *new_dentry,
				  unsigned int flags)
{
	return do_rename(folder, dentry, new_folder, new_dentry, flags);
}

const char *simple_get_link(struct dentry *dentry, struct inode *inode, struct delayed_call *done)
{
	(void)dentry;
	(void)done;
	return inode->i_link;
}

static struct inode *make_inode(struct super_block *sb, umode_t mode, unsigned long number)
{
	struct inode *inode = new_inode(sb);

	if (!inode)
		return NULL;
	inode->i_ino = number;
	inode->i_mode = mode;
	simple_inode_init_ts(inode);
	return inode;
}

static int add_file(struct super_block *sb, struct dentry *root, const struct tree_descr *row,
		    unsigned long number)
{
	struct dentry *dentry = d_alloc_name(root, row->name);
	struct inode *inode = NULL;

	if (dentry)
		inode = make_inode(sb, (umode_t)(S_IFREG | row->mode), number);
	if (!inode) {
		dput(dentry);
		return -ENOMEM;
	}
	inode->i_fop = row->ops;
	d_add(dentry, inode);
	return 0;
}

static const struct super_operations simple_super_operations = { .statfs = simple_statfs };

int simple_fill_super(struct super_block *sb, unsigned long magic, const struct tree_descr *files)
{
	struct inode *root;
	int error = 0;

	sb->s_magic = magic;
	sb->s_op = &simple_super_operations;
	sb->s_time_gran = 1;
	root = make_inode(sb, S_IFDIR | 0755, 1);
	if (!root)
		return -ENOMEM;
	root->i_op = &simple_dir_inode_operations;
	root->i_fop = &simple_dir_operations;
	set_nlink(root, 2);
	sb->s_root = d_make_root(root);
	if (!sb->s_root)
		return -ENOMEM;
	for (unsigned long i = 0; !error && (!files[i].name || *files[i].name); i++)
		if (files[i].name)
			error = add_file(sb, sb->s_root, &files[i], i);
	return error;
}
