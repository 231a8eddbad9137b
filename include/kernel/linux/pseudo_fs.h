/* SPDX-License-Identifier: MIT */
/* File systems of inodes without names, for kern_mount(). */
#ifndef __LINUX_PSEUDO_FS__
#define __LINUX_PSEUDO_FS__

#include <linux/fs_context.h>
#include <usermm/compiler.h>

struct dentry_operations;
struct super_operations;
struct xattr_handler;

struct pseudo_fs_context {
	const struct super_operations *ops;
	const struct export_operations *eops;
	const struct xattr_handler *const *xattr;
	const struct dentry_operations *dops;
	unsigned long magic;
};

USERMM_BEGIN_DECLS

/* For init_fs_context(); NULL without memory. */
struct pseudo_fs_context *init_pseudo(struct fs_context *context, unsigned long magic)
	USERMM_API(init_pseudo);

USERMM_END_DECLS

#endif
