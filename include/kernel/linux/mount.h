/* SPDX-License-Identifier: MIT */
#ifndef _LINUX_MOUNT_H_KERNEL
#define _LINUX_MOUNT_H_KERNEL

#include <linux/types.h>

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
