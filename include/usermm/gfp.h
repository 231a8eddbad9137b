/* SPDX-License-Identifier: MIT */
/*
 * gfp_t: what an allocation may do to succeed, and what its pages are for.
 *
 * Names and meaning are those of Linux 6.12 (include/linux/gfp_types.h). Most
 * callers want one of the composites at the end:
 *
 *	GFP_KERNEL	may reclaim and wait; the normal choice
 *	GFP_NOWAIT	must not wait; does not use the reserve; a failure is not reported
 *	GFP_ATOMIC	must not wait; may use part of the reserve
 *
 * The numbers do not change within a soname: libusermm.so.0 has those below for good. usermm/
 * bindings.h has them as an enum. In the sources use the names: a build for tests numbers the bits
 * differently, since the page allocator converts each flag to its internal flag by a separate test
 * (docs/glossary.md: seed 0).
 */
#ifndef USERMM_GFP_H
#define USERMM_GFP_H

typedef unsigned int gfp_t;

/*
 * These bits are fixed, since tables are indexed by them: the zone modifiers are the four lowest
 * bits, and RECLAIMABLE is next to MOVABLE.
 */
#define ___GFP_DMA		0x01u
#define ___GFP_HIGHMEM		0x02u
#define ___GFP_DMA32		0x04u
#define ___GFP_MOVABLE		0x08u
#define ___GFP_RECLAIMABLE	0x10u

/*
 * The other bits have Linux's values, but no code here relies on them. A build with
 * USERMM_PERMUTED_GFP numbers them in the opposite order to prove this.
 */
#ifndef USERMM_PERMUTED_GFP
#define ___GFP_HIGH		0x20u
#define ___GFP_IO		0x40u
#define ___GFP_FS		0x80u
#define ___GFP_ZERO		0x100u
#define ___GFP_DIRECT_RECLAIM	0x400u
#define ___GFP_KSWAPD_RECLAIM	0x800u
#define ___GFP_WRITE		0x1000u
#define ___GFP_NOWARN		0x2000u
#define ___GFP_RETRY_MAYFAIL	0x4000u
#define ___GFP_NOFAIL		0x8000u
#define ___GFP_NORETRY		0x10000u
#define ___GFP_MEMALLOC		0x20000u
#define ___GFP_COMP		0x40000u
#define ___GFP_NOMEMALLOC	0x80000u
#define ___GFP_HARDWALL		0x100000u
#define ___GFP_THISNODE		0x200000u
#define ___GFP_ACCOUNT		0x400000u
#define ___GFP_ZEROTAGS		0x800000u
#define ___GFP_SKIP_ZERO	0x1000000u
#define ___GFP_SKIP_KASAN	0x2000000u
#define ___GFP_NOLOCKDEP	0x4000000u
#define ___GFP_NO_OBJ_EXT	0x8000000u
#else
#define ___GFP_HIGH		0x8000000u
#define ___GFP_IO		0x4000000u
#define ___GFP_FS		0x2000000u
#define ___GFP_ZERO		0x1000000u
#define ___GFP_DIRECT_RECLAIM	0x400000u
#define ___GFP_KSWAPD_RECLAIM	0x200000u
#define ___GFP_WRITE		0x100000u
#define ___GFP_NOWARN		0x80000u
#define ___GFP_RETRY_MAYFAIL	0x40000u
#define ___GFP_NOFAIL		0x20000u
#define ___GFP_NORETRY		0x10000u
#define ___GFP_MEMALLOC		0x8000u
#define ___GFP_COMP		0x4000u
#define ___GFP_NOMEMALLOC	0x2000u
#define ___GFP_HARDWALL		0x1000u
#define ___GFP_THISNODE		0x800u
#define ___GFP_ACCOUNT		0x400u
#define ___GFP_ZEROTAGS		0x200u
#define ___GFP_SKIP_ZERO	0x100u
#define ___GFP_SKIP_KASAN	0x80u
#define ___GFP_NOLOCKDEP	0x40u
#define ___GFP_NO_OBJ_EXT	0x20u
#endif

/* Placement: zone, node and mobility. */
#define __GFP_DMA		___GFP_DMA
#define __GFP_HIGHMEM		___GFP_HIGHMEM
#define __GFP_DMA32		___GFP_DMA32
#define __GFP_MOVABLE		___GFP_MOVABLE
#define __GFP_RECLAIMABLE	___GFP_RECLAIMABLE
#define __GFP_WRITE		___GFP_WRITE
#define __GFP_HARDWALL		___GFP_HARDWALL
#define __GFP_THISNODE		___GFP_THISNODE
#define __GFP_ACCOUNT		___GFP_ACCOUNT
#define __GFP_NO_OBJ_EXT	___GFP_NO_OBJ_EXT

/* Reserves: how far below the watermark the request may go. */
#define __GFP_HIGH		___GFP_HIGH
#define __GFP_MEMALLOC		___GFP_MEMALLOC
#define __GFP_NOMEMALLOC	___GFP_NOMEMALLOC	/* overrides MEMALLOC */

/* Reclaim: how, and how hard, the request may try to free memory. */
#define __GFP_IO		___GFP_IO
#define __GFP_FS		___GFP_FS
#define __GFP_DIRECT_RECLAIM	___GFP_DIRECT_RECLAIM	/* may wait */
#define __GFP_KSWAPD_RECLAIM	___GFP_KSWAPD_RECLAIM
#define __GFP_RECLAIM		(__GFP_DIRECT_RECLAIM | __GFP_KSWAPD_RECLAIM)
#define __GFP_RETRY_MAYFAIL	___GFP_RETRY_MAYFAIL
#define __GFP_NOFAIL		___GFP_NOFAIL	/* only with DIRECT_RECLAIM */
#define __GFP_NORETRY		___GFP_NORETRY

/* What the caller gets. */
#define __GFP_NOWARN		___GFP_NOWARN	/* no report of a failure */
#define __GFP_COMP		___GFP_COMP	/* compound page */
#define __GFP_ZERO		___GFP_ZERO	/* memory is zero */
#define __GFP_ZEROTAGS		___GFP_ZEROTAGS
#define __GFP_SKIP_ZERO		___GFP_SKIP_ZERO
#define __GFP_SKIP_KASAN	___GFP_SKIP_KASAN
#define __GFP_NOLOCKDEP		___GFP_NOLOCKDEP

#define __GFP_BITS_SHIFT	28
#define __GFP_BITS_MASK		((1u << __GFP_BITS_SHIFT) - 1)

#define GFP_ATOMIC		(__GFP_HIGH | __GFP_KSWAPD_RECLAIM)
#define GFP_KERNEL		(__GFP_RECLAIM | __GFP_IO | __GFP_FS)
#define GFP_KERNEL_ACCOUNT	(GFP_KERNEL | __GFP_ACCOUNT)
#define GFP_NOWAIT		(__GFP_KSWAPD_RECLAIM | __GFP_NOWARN)
#define GFP_NOIO		(__GFP_RECLAIM)
#define GFP_NOFS		(__GFP_RECLAIM | __GFP_IO)
#define GFP_USER		(__GFP_RECLAIM | __GFP_IO | __GFP_FS | __GFP_HARDWALL)
#define GFP_DMA			__GFP_DMA
#define GFP_DMA32		__GFP_DMA32
#define GFP_HIGHUSER		(GFP_USER | __GFP_HIGHMEM)
#define GFP_HIGHUSER_MOVABLE	(GFP_HIGHUSER | __GFP_MOVABLE | __GFP_SKIP_KASAN)
#define GFP_TRANSHUGE_LIGHT						\
	((GFP_HIGHUSER_MOVABLE | __GFP_COMP | __GFP_NOMEMALLOC |	\
	  __GFP_NOWARN) & ~__GFP_RECLAIM)
#define GFP_TRANSHUGE		(GFP_TRANSHUGE_LIGHT | __GFP_DIRECT_RECLAIM)
#define GFP_ZONEMASK							\
	(__GFP_DMA | __GFP_HIGHMEM | __GFP_DMA32 | __GFP_MOVABLE)

/* May a request with these flags wait for memory? */
static inline int gfpflags_allow_blocking(gfp_t gfp)
{
	return !!(gfp & __GFP_DIRECT_RECLAIM);
}

#endif
