/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_STATFS_H
#define KERNEL_LINUX_STATFS_H

#include <linux/types.h>

struct kstatfs {
	long f_type, f_bsize;
	u64 f_blocks, f_bfree, f_bavail, f_files, f_ffree;
	long f_namelen, f_frsize, f_flags;
};

#endif
