/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_LINUX_PREFETCH_H
#define KERNEL_LINUX_PREFETCH_H

#include <asm/div64.h>
#include <asm/irqflags.h>
#include <asm/msr-index.h>
#include <linux/cleanup.h>
#include <linux/err.h>
#include <linux/panic.h>
#include <linux/pfn.h>
#include <linux/printk.h>
#include <linux/threads.h>
#include <linux/typecheck.h>
#include <linux/types.h>

#define prefetch(address) __builtin_prefetch(address)
#define prefetchw(address) __builtin_prefetch(address, 1)
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 5, 0)
#define spin_lock_prefetch(address) prefetchw(address)
#else
USERMM_REMOVED(spin_lock_prefetch, "6.5", "prefetchw()")
#endif
#define PREFETCH_STRIDE (4 * 64)

static inline void prefetch_range(const void *address, size_t length)
{
	for (size_t i = 0; i < length; i += PREFETCH_STRIDE)
		prefetch((const char *)address + i);
}

#endif
