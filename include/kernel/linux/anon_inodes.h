/* SPDX-License-Identifier: MIT */
/* Files without a name belong to a program's descriptors, which a module cannot make. */
#ifndef _LINUX_ANON_INODES_H
#define _LINUX_ANON_INODES_H

#include <linux/err.h>
#include <linux/fs.h>
#include <linux/types.h>

static inline int anon_inode_getfd(const char *name, const struct file_operations *operations,
				   void *data, int flags)
{
	(void)name;
	(void)operations;
	(void)data;
	(void)flags;
	return -EMFILE;
}

#define anon_inode_getfile(name, operations, data, flags) \
	((void)(name), (void)(operations), (void)(data), (void)(flags), \
	 (struct file *)ERR_PTR(-ENFILE))

#endif
