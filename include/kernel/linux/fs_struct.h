/* SPDX-License-Identifier: MIT */
/* The folder of a task, which is not told: task->fs is NULL. */
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
	*pwd = fs ? fs->pwd : (struct path){ 0 };
}

static inline void get_fs_root(struct fs_struct *fs, struct path *root)
{
	*root = fs ? fs->root : (struct path){ 0 };
}

#endif
