/* SPDX-License-Identifier: MIT */
/*
 * What the files of kernel/fs tell one another. Two locks: that of names (dcache.c) and that of
 * inodes (inode.c). Neither is held while a function of the module runs, but for d_delete(),
 * drop_inode(), test() and set(), which Linux calls under a lock, too. The first is taken first.
 */
#ifndef KERNEL_FS_VFS_H
#define KERNEL_FS_VFS_H

#include <linux/fs.h>

#include "base/linux_version.h"

/* dcache.c: frees all names of a super block that is unmounted. */
void dcache_unmount(struct super_block *sb);
/* A folder's first name, or the one after `dentry`, that has a file; with a reference. */
struct dentry *dcache_next(struct dentry *folder, struct dentry *dentry);

/* inode.c: ends the inodes that nobody uses. Returns how many are left. */
unsigned int inodes_evict(struct super_block *sb);
/* Calls write() for each dirty inode. 0 or the last error. */
int inodes_write(struct super_block *sb);

/* A call of an operation that takes a map since 5.12. The arguments after the first have types. */
#define CALL_MAPPED(op, types, ...) \
	(linux_since(5, 12) ? (op)(&nop_mnt_idmap, __VA_ARGS__) : \
			      ((int (*)types)(void (*)(void))(op))(__VA_ARGS__))

#endif
