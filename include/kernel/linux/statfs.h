/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_STATFS_H
#define KERNEL_LINUX_STATFS_H

#include <linux/types.h>

/* As libc's fsid_t, with Linux's name of the array. */
typedef struct {
	int val[2];
} __kernel_fsid_t_usermm;

struct kstatfs {
	long f_type, f_bsize;
	u64 f_blocks, f_bfree, f_bavail, f_files, f_ffree;
	__kernel_fsid_t_usermm f_fsid;
	long f_namelen, f_frsize, f_flags, f_spare[4];
};

static inline __kernel_fsid_t_usermm u64_to_fsid(u64 number)
{
	return (__kernel_fsid_t_usermm){ .val = { (int)number, (int)(number >> 32) } };
}

#endif
