/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_ASM_CACHEFLUSH_H
#define KERNEL_ASM_CACHEFLUSH_H

#include <asm/msr.h>
#include <linux/hash.h>
#include <linux/huge_mm.h>
#include <linux/kdev_t.h>
#include <linux/list_nulls.h>
#include <linux/migrate_mode.h>
#include <linux/nodemask.h>
#include <linux/sizes.h>
#include <linux/stacktrace.h>
#include <linux/time64.h>
#include <linux/types.h>
#include <linux/workqueue_types.h>

/* On the machines that usermm runs on, caches need not be flushed. */
#define flush_cache_all() ((void)0)
#define flush_dcache_page(page) ((void)(page))
#define flush_icache_range(start, end) __builtin___clear_cache((char *)(start), (char *)(end))
#if defined(__x86_64__)
#define clflush(address) __builtin_ia32_clflush(address)

static inline void clflush_cache_range(void *address, unsigned int n)
{
	__asm__ __volatile__("mfence" : : : "memory");
	for (unsigned int i = 0; i < n; i += 64)
		__builtin_ia32_clflush((char *)address + i);
	__asm__ __volatile__("mfence" : : : "memory");
}
#endif

#endif
