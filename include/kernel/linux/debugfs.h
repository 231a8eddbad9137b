/* SPDX-License-Identifier: MIT */
/* As without CONFIG_DEBUG_FS: there is no file system to put files in. */
#ifndef _LINUX_DEBUGFS_H
#define _LINUX_DEBUGFS_H

#include <linux/err.h>
#include <linux/types.h>

struct dentry;
#define debugfs_create_dir(name, parent) \
	((void)(name), (void)(parent), (struct dentry *)ERR_PTR(-ENODEV))
#define debugfs_create_file(name, mode, parent, data, fops) \
	((void)(name), (void)(parent), (void)(data), (struct dentry *)ERR_PTR(-ENODEV))
#define debugfs_create_u32(name, mode, parent, value) ((void)(parent), (void)(value))
#define debugfs_create_u64(name, mode, parent, value) ((void)(parent), (void)(value))
#define debugfs_create_bool(name, mode, parent, value) ((void)(parent), (void)(value))
#define debugfs_create_ulong(name, mode, parent, value) ((void)(parent), (void)(value))
#define debugfs_create_atomic_t(name, mode, parent, value) ((void)(parent), (void)(value))
#define debugfs_remove(dentry) ((void)(dentry))
#define debugfs_remove_recursive(dentry) ((void)(dentry))
#define debugfs_initialized() false

#endif
