/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_KMOD_H
#define KERNEL_LINUX_KMOD_H

#include <linux/errno.h>
#include <linux/types.h>

/* No other module can be loaded. */
#define request_module(...) (-ENOSYS)
#define request_module_nowait(...) (-ENOSYS)
#define try_then_request_module(x, ...) (x)

#endif
