/* SPDX-License-Identifier: MIT */
#ifndef __LINUX_FILE_H
#define __LINUX_FILE_H

#include <linux/cleanup.h>
#include <linux/err.h>
#include <linux/fs.h>

/* Descriptors are the programs' own, and the module's process does not see them. */
#define fget(fd) ((void)(fd), (struct file *)NULL)
#define get_unused_fd_flags(flags) ((void)(flags), -EMFILE)
#define put_unused_fd(fd) ((void)(fd))
#define fd_install(fd, file) ((void)(fd), (void)(file))

DEFINE_FREE(fput, struct file *, if (!IS_ERR_OR_NULL(_T)) fput(_T))

#endif
