/* SPDX-License-Identifier: MIT */
/* Names of the files that modules make. debugfs hands them out, and a file's f_path has one. */
#ifndef _LINUX_DCACHE_H
#define _LINUX_DCACHE_H

#include <linux/list.h>
#include <linux/rculist.h>
#include <linux/spinlock.h>
#include <linux/types.h>

struct inode;

struct qstr {
	u32 hash;
	u32 len;
	const unsigned char *name;
};

#define QSTR_INIT(text, length) { .len = (length), .name = (const unsigned char *)(text) }

struct dentry {
	struct dentry *d_parent;	/* the root's is itself */
	struct qstr d_name;
	struct inode *d_inode;
	void *d_fsdata;
};

#endif
