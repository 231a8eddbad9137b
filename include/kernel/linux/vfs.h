/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_VFS_H
#define KERNEL_LINUX_VFS_H

#include <linux/statfs.h>

#endif
