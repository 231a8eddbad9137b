/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_ASM_TLBFLUSH_H
#define KERNEL_ASM_TLBFLUSH_H

#include <asm/pgtable.h>
#include <linux/interval_tree.h>
#include <linux/mm_types.h>
#include <linux/mmap_lock.h>

/* No effect: page tables belong to the system, which flushes TLBs itself. */
#define flush_tlb_all() ((void)0)
#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 8, 0)
#define __flush_tlb() ((void)0)
#else
USERMM_REMOVED(__flush_tlb, "5.8", "flush_tlb_all()")
#endif
#define flush_tlb_kernel_range(start, end) ((void)(start), (void)(end))

#endif
