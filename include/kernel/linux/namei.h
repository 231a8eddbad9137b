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
#define LOOKUP_PARENT 0x0010
#define LOOKUP_CREATE 0x0200
#define LOOKUP_EXCL 0x0400

USERMM_BEGIN_DECLS

/* 0 with a path for path_put(); -ENOENT and the like. What is found can be named and measured. */
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
