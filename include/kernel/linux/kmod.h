/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_KMOD_H
#define KERNEL_LINUX_KMOD_H

#include <asm/msr.h>
#include <linux/errno.h>
#include <linux/list_nulls.h>
#include <linux/memory_hotplug.h>
#include <linux/nodemask.h>
#include <linux/sysctl.h>
#include <linux/time64.h>
#include <linux/types.h>
#include <linux/umh.h>
#include <linux/workqueue_types.h>

/* No other module can be loaded. */
#define request_module(...) (-ENOSYS)
#define request_module_nowait(...) (-ENOSYS)
#define try_then_request_module(x, ...) (x)

#endif
