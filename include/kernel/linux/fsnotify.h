/* SPDX-License-Identifier: MIT */
/* Nobody watches a module's files, so nobody is told. */
#ifndef _LINUX_FS_NOTIFY_H
#define _LINUX_FS_NOTIFY_H

#include <asm/ptrace.h>
#include <linux/bug.h>
#include <linux/fs.h>
#include <linux/idr.h>
#include <linux/mempool.h>
#include <linux/pid_namespace.h>
#include <linux/slab.h>
#include <linux/user_namespace.h>

#define fsnotify_access(file) ((void)(file))
#define fsnotify_modify(file) ((void)(file))
#define fsnotify_open(file) ((void)(file))
#define fsnotify_close(file) ((void)(file))
#define fsnotify_create(folder, dentry) ((void)(folder), (void)(dentry))
#define fsnotify_mkdir(folder, dentry) ((void)(folder), (void)(dentry))
#define fsnotify_unlink(folder, dentry) ((void)(folder), (void)(dentry))
#define fsnotify_rmdir(folder, dentry) ((void)(folder), (void)(dentry))
#define fsnotify_link(folder, inode, dentry) ((void)(folder), (void)(inode), (void)(dentry))
#define fsnotify_change(dentry, what) ((void)(dentry), (void)(what))
#define fsnotify_xattr(dentry) ((void)(dentry))

#endif
