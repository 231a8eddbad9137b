// SPDX-License-Identifier: MIT
/* The folder of all tasks: see linux/fs_struct.h. */
#include <linux/fs_struct.h>
#include <linux/init_task.h>
#include <linux/mount.h>

#include "files.h"

/* It is in no tree: node_path() makes "/" of it. */
static struct file_node root = {
	.dentry = {
		.d_name = QSTR_INIT("/", 1), .d_parent = &root.dentry, .d_inode = &root.inode,
	},
	.inode = { .i_mode = S_IFDIR | 0755, .i_nlink = 2 },
	.children = LIST_HEAD_INIT(root.children), .sibling = LIST_HEAD_INIT(root.sibling),
	.is_base = true,
};
static struct vfsmount mount = { .mnt_root = &root.dentry, .usermm_users = ATOMIC_INIT(1) };

struct fs_struct init_fs = {
	.users = 1, .umask = 0022,
	.root = { .mnt = &mount, .dentry = &root.dentry },
	.pwd = { .mnt = &mount, .dentry = &root.dentry },
};
