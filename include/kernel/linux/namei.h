/* SPDX-License-Identifier: MIT */
/* Paths: those of the module's files, and of the machine's. */
#ifndef _LINUX_NAMEI_H
#define _LINUX_NAMEI_H

#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/path.h>
#include <usermm/compiler.h>

#define LOOKUP_FOLLOW 0x0001
#define LOOKUP_DIRECTORY 0x0002
#define LOOKUP_AUTOMOUNT 0x0004
#define LOOKUP_PARENT 0x0010
#define LOOKUP_REVAL 0x0020
#define LOOKUP_RCU 0x0040
#define LOOKUP_OPEN 0x0100
#define LOOKUP_CREATE 0x0200
#define LOOKUP_EXCL 0x0400
#define LOOKUP_RENAME_TARGET 0x0800
#define LOOKUP_EMPTY 0x4000
#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 13, 0)
#define LOOKUP_JUMPED 0x1000
#define LOOKUP_ROOT 0x2000
#endif
#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 6, 0)
#define LOOKUP_NO_SYMLINKS 0x010000
#define LOOKUP_NO_MAGICLINKS 0x020000
#define LOOKUP_NO_XDEV 0x040000
#define LOOKUP_BENEATH 0x080000
#define LOOKUP_IN_ROOT 0x100000
#define LOOKUP_IS_SCOPED (LOOKUP_BENEATH | LOOKUP_IN_ROOT)
#endif

USERMM_BEGIN_DECLS

/*
 * 0 with a path for path_put(); -ENOENT and the like. What is found can be named and measured.
 * LOOKUP_FOLLOW: a link at the end is followed. LOOKUP_DIRECTORY: what is no folder gives -ENOTDIR.
 * A '/' at the end stands for both.
 */
int kern_path(const char *name, unsigned int flags, struct path *path) USERMM_API(kern_path);
/* The same below a folder of a mounted file system. LOOKUP_FOLLOW: also a link at the end. */
int vfs_path_lookup(struct dentry *root, struct vfsmount *mount, const char *name,
		    unsigned int flags, struct path *path) USERMM_API(vfs_path_lookup);
/* A name in the folder, whose inode the caller has locked; it may be of nothing. Or -EACCES. */
struct dentry *usermm_lookup_one(const char *name, struct dentry *folder, int length)
	__attribute__((visibility("default")));

USERMM_END_DECLS

/* Neither names nor folders of the machine are made or removed by modules. */
#define user_path_at(fd, name, flags, path_ptr) \
	((void)(fd), (void)(name), (void)(flags), (void)(path_ptr), -ENOENT)
#define lookup_one_len(name, folder, length) usermm_lookup_one(name, folder, length)
#define lookup_noperm(name, folder) usermm_lookup_one((const char *)(name)->name, folder, \
						      (int)(name)->len)

#endif
