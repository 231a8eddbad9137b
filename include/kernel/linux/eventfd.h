/* SPDX-License-Identifier: MIT */
/* A module has no descriptors of programs, so it finds no eventfd. */
#ifndef _LINUX_EVENTFD_H
#define _LINUX_EVENTFD_H

#include <linux/err.h>
#include <linux/file.h>
#include <linux/types.h>
#include <linux/version.h>

struct eventfd_ctx;

static inline struct eventfd_ctx *eventfd_ctx_fdget(int fd)
{
	(void)fd;
	return (struct eventfd_ctx *)ERR_PTR(-EBADF);
}

#define eventfd_ctx_fileget(file) ((void)(file), (struct eventfd_ctx *)ERR_PTR(-EINVAL))
#define eventfd_ctx_put(context) ((void)(context))
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 8, 0)
#define eventfd_signal(context) ((void)(context))
#else
#define eventfd_signal(context, n) ((void)(context), (void)(n), 0)
#endif

#endif
