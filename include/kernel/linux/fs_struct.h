/* SPDX-License-Identifier: MIT */
/* The folder of a task. Which it is is not told: for every task it is the root. */
#ifndef _LINUX_FS_STRUCT_H
#define _LINUX_FS_STRUCT_H

#include <linux/path.h>
#include <linux/sched.h>
#include <linux/seqlock.h>
#include <linux/spinlock.h>

struct fs_struct {
	int users;
	spinlock_t lock;
	int umask;
	struct path root, pwd;
};

static inline void get_fs_pwd(struct fs_struct *fs, struct path *pwd)
{
	*pwd = fs->pwd;
	path_get(pwd);
}

static inline void get_fs_root(struct fs_struct *fs, struct path *root)
{
	*root = fs->root;
	path_get(root);
}

#endif
