/* SPDX-License-Identifier: MIT */
/* File systems that the module mounted for itself. */
#ifndef KERNEL_LINUX_MOUNT_H
#define KERNEL_LINUX_MOUNT_H

#include <linux/atomic.h>
#include <linux/types.h>
#include <usermm/compiler.h>
#include_next <linux/mount.h>

struct dentry;
struct file_system_type;
struct fs_context;
struct super_block;

struct vfsmount {
	struct dentry *mnt_root;
	struct super_block *mnt_sb;
	int mnt_flags;
	atomic_t usermm_users;
};

#define MNT_NOSUID 0x01
#define MNT_NODEV 0x02
#define MNT_NOEXEC 0x04
#define MNT_READONLY 0x40

USERMM_BEGIN_DECLS

/* A mount of one user, or an error pointer: the file system's own, -ENOMEM. */
struct vfsmount *kern_mount(struct file_system_type *type) USERMM_API(kern_mount);
struct vfsmount *vfs_kern_mount(struct file_system_type *type, int flags, const char *device,
				void *data) USERMM_API(vfs_kern_mount);
struct vfsmount *fc_mount(struct fs_context *context) USERMM_API(fc_mount);
void kern_unmount(struct vfsmount *mount) USERMM_API(kern_unmount);
struct vfsmount *mntget(struct vfsmount *mount) USERMM_API(mntget);
/* The last one ends the file system, if nothing else uses it. */
void mntput(struct vfsmount *mount) USERMM_API(mntput);

USERMM_END_DECLS

#define mnt_want_write(mount) ((void)(mount), 0)
#define mnt_drop_write(mount) ((void)(mount))

#endif
