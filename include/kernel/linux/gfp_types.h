/* SPDX-License-Identifier: MIT */
/* usermm/gfp.h has the flags. This header adds the names of other versions. */
#ifndef _LINUX_GFP_TYPES_H
#define _LINUX_GFP_TYPES_H

#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/types.h>
#include <linux/version.h>
#include <usermm/gfp.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(4, 4, 0)
#define __GFP_WAIT __GFP_RECLAIM
#endif
#if LINUX_VERSION_CODE < KERNEL_VERSION(4, 13, 0)
#define ___GFP_REPEAT ___GFP_RETRY_MAYFAIL
#define __GFP_REPEAT __GFP_RETRY_MAYFAIL
#endif
#if LINUX_VERSION_CODE < KERNEL_VERSION(4, 14, 0)
#define GFP_TEMPORARY (GFP_KERNEL | __GFP_RECLAIMABLE)
#endif
#if LINUX_VERSION_CODE < KERNEL_VERSION(4, 15, 0)
#define __GFP_COLD ((gfp_t)0)
#define __GFP_NOTRACK ((gfp_t)0)
#endif
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 4, 0)
#define ___GFP_ATOMIC ___GFP_HIGH
#define __GFP_ATOMIC __GFP_HIGH
#endif

#if LINUX_VERSION_CODE >= KERNEL_VERSION(4, 4, 0)
USERMM_REMOVED(__GFP_WAIT, "4.4", "__GFP_RECLAIM")
#endif
#if LINUX_VERSION_CODE >= KERNEL_VERSION(4, 13, 0)
USERMM_REMOVED(__GFP_REPEAT, "4.13", "__GFP_RETRY_MAYFAIL")
#endif
#if LINUX_VERSION_CODE >= KERNEL_VERSION(4, 14, 0)
USERMM_REMOVED(GFP_TEMPORARY, "4.14", "GFP_KERNEL | __GFP_RECLAIMABLE")
#endif
#if LINUX_VERSION_CODE >= KERNEL_VERSION(4, 15, 0)
USERMM_REMOVED(__GFP_COLD, "4.15", "no flag")
USERMM_REMOVED(__GFP_NOTRACK, "4.15", "no flag")
#endif
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 4, 0)
USERMM_REMOVED(__GFP_ATOMIC, "6.4", "__GFP_HIGH")
#endif

#define GFP_PGTABLE_KERNEL (GFP_KERNEL | __GFP_ZERO)
#define GFP_PGTABLE_USER (GFP_PGTABLE_KERNEL | __GFP_ACCOUNT)
#define GFP_MOVABLE_MASK (__GFP_RECLAIMABLE | __GFP_MOVABLE)
#define GFP_MOVABLE_SHIFT 3
#define GFP_RECLAIM_MASK							\
	(__GFP_RECLAIM | __GFP_HIGH | __GFP_IO | __GFP_FS | __GFP_NOWARN |	\
	 __GFP_RETRY_MAYFAIL | __GFP_NOFAIL | __GFP_NORETRY | __GFP_MEMALLOC |	\
	 __GFP_NOMEMALLOC | __GFP_NOLOCKDEP)

#endif
