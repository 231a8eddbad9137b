/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_MOUNT_H
#define KERNEL_LINUX_MOUNT_H

#include <linux/types.h>
#include_next <linux/mount.h>

struct dentry;
struct super_block;

struct vfsmount {
	struct dentry *mnt_root;
	struct super_block *mnt_sb;
	int mnt_flags;
};

#define mntget(mount) (mount)
#define mntput(mount) ((void)(mount))

#endif
