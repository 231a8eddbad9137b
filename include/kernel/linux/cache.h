/* SPDX-License-Identifier: MIT */
/* Cache lines, and attributes of variables that concern them. */
#ifndef KERNEL_LINUX_CACHE_H
#define KERNEL_LINUX_CACHE_H

#include <linux/align.h>
#include <linux/compiler.h>
#include <linux/linkage.h>

#define L1_CACHE_SHIFT 6
#define L1_CACHE_BYTES (1 << L1_CACHE_SHIFT)
#define SMP_CACHE_BYTES L1_CACHE_BYTES
#define INTERNODE_CACHE_SHIFT L1_CACHE_SHIFT
#define L1_CACHE_ALIGN(x) ALIGN(x, L1_CACHE_BYTES)
#define SMP_CACHE_ALIGN(x) ALIGN(x, SMP_CACHE_BYTES)
#define cache_line_size() L1_CACHE_BYTES
#define dma_get_cache_alignment() 1

#define ____cacheline_aligned __attribute__((__aligned__(SMP_CACHE_BYTES)))
#define ____cacheline_aligned_in_smp ____cacheline_aligned
#define __cacheline_aligned ____cacheline_aligned
#define __cacheline_aligned_in_smp ____cacheline_aligned
#define ____cacheline_internodealigned_in_smp ____cacheline_aligned
#define __cacheline_group_begin(group) __u8 __cacheline_group_begin__##group[0]
#define __cacheline_group_end(group) __u8 __cacheline_group_end__##group[0]

/* The sections of the kernel's linker script have no use in a process. */
#define __read_mostly
#define __ro_after_init
#define __page_aligned_data __attribute__((__aligned__(4096)))
#define __page_aligned_bss __page_aligned_data

#endif
