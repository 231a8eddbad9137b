/* SPDX-License-Identifier: MIT */
/*
 * Converts what the caller asks for (gfp_t) to what the page allocator may do for the request
 * (ALLOC_*), and where. The values of the two sets of bits are independent: each rule below tests
 * one bit and sets another (seed 0).
 */
#ifndef PAGE_GFP_H
#define PAGE_GFP_H

#include "base/linux_version.h"
#include "page/scopes.h"
#include "page/zone.h"
#include "usermm/gfp.h"

/* The lowest two bits choose the mark that a zone must stay above: enum zone_watermark. */
#define ALLOC_WMARK_MIN		0x000u
#define ALLOC_WMARK_LOW		0x001u
#define ALLOC_WMARK_HIGH	0x002u
#define ALLOC_WMARK_MASK	0x003u

#define ALLOC_NO_WATERMARKS	0x004u	/* may take the last page */
#define ALLOC_OOM		0x008u	/* an OOM victim, which must get on to free its memory */
#define ALLOC_CPUSET		0x010u	/* respect cpusets */
#define ALLOC_NOFRAGMENT	0x020u	/* try other zones before pageblocks of other types */
#define ALLOC_NON_BLOCK		0x040u	/* cannot wait; adds a quarter of what MIN_RESERVE leaves */
#define ALLOC_MIN_RESERVE	0x080u	/* may use half of the reserve */
#define ALLOC_HIGHATOMIC	0x100u	/* may use the blocks kept for atomic high orders */
#define ALLOC_KSWAPD		0x200u	/* wake background reclaim */
#define ALLOC_CMA		0x400u	/* may use CMA pageblocks as well */
#define ALLOC_PREFAULT		0x800u	/* see GFP_PREFAULT */
#define ALLOC_RESERVES							\
	(ALLOC_NON_BLOCK | ALLOC_MIN_RESERVE | ALLOC_HIGHATOMIC | ALLOC_OOM)

/* The bits that say where pages come from: the five lowest. */
#define GFP_PLACE_MASK (GFP_ZONEMASK | __GFP_RECLAIMABLE)
_Static_assert(GFP_PLACE_MASK == 0x1f, "tables are indexed by these bits");

/*
 * A bit of usermm's own, for the layers above: the owner will write to all pages of the block; see
 * prefault.h. Reports do not show it. Hooks must not see it, so a caller sets it only while no hook
 * is active.
 */
#define GFP_PREFAULT ((gfp_t)1 << 31)
_Static_assert(!(GFP_PREFAULT & __GFP_BITS_MASK), "no bit of Linux's");

/* At most one of these bits names a zone. */
static inline bool gfp_zone_is_valid(gfp_t gfp)
{
	gfp &= __GFP_DMA | __GFP_HIGHMEM | __GFP_DMA32;
	return !(gfp & (gfp - 1));
}

/*
 * The highest zone that may be used. If no node has the kind of zone, Normal takes its place, as in
 * a kernel without that kind. cf. Linux gfp_zone(), OPT_ZONE_DMA; there is no HIGHMEM.
 */
static inline enum zone_type gfp_zone(gfp_t gfp)
{
	if (gfp & __GFP_DMA)
		return page_has_zone(ZONE_DMA) ? ZONE_DMA : ZONE_NORMAL;
	if (gfp & __GFP_DMA32)
		return page_has_zone(ZONE_DMA32) ? ZONE_DMA32 : ZONE_NORMAL;
	if ((gfp & __GFP_MOVABLE) && (gfp & __GFP_HIGHMEM))
		return ZONE_MOVABLE;
	return ZONE_NORMAL;
}

/* Both bits at once are a mistake of the caller's, which the entry points report. */
static inline bool gfp_mobility_is_valid(gfp_t gfp)
{
	return !(gfp & __GFP_MOVABLE) || !(gfp & __GFP_RECLAIMABLE);
}

static inline enum migratetype gfp_migratetype(gfp_t gfp)
{
	if (page_group_by_mobility_disabled || !gfp_mobility_is_valid(gfp))
		return MIGRATE_UNMOVABLE;
	if (gfp & __GFP_MOVABLE)
		return MIGRATE_MOVABLE;
	return gfp & __GFP_RECLAIMABLE ? MIGRATE_RECLAIMABLE : MIGRATE_UNMOVABLE;
}

/* Movable pages may lie in CMA pageblocks. */
static inline unsigned int gfp_to_alloc_flags_cma(gfp_t gfp)
{
	bool movable = (gfp & (__GFP_MOVABLE | __GFP_RECLAIMABLE)) == __GFP_MOVABLE;

	return movable && !page_group_by_mobility_disabled ? ALLOC_CMA : 0;
}

/*
 * `flag` if `bit` is set in gfp, whatever the values of the two. Each is a single bit, so this
 * compiles to a mask and a shift, and to a mask alone if the two are equal.
 */
static __always_inline unsigned int flag_for_bit(gfp_t gfp, gfp_t bit, unsigned int flag)
{
	return bit > flag ? (gfp & bit) / (bit / flag) : (gfp & bit) * (flag / bit);
}

/* What a request may do because it cannot wait. cf. Linux alloc_flags_nonblocking() */
static inline unsigned int alloc_flags_nonblocking(gfp_t gfp, unsigned int order)
{
	if (gfp & (__GFP_DIRECT_RECLAIM | __GFP_NOMEMALLOC))
		return 0;
	return order > 0 && (gfp & __GFP_HIGH) ? ALLOC_NON_BLOCK | ALLOC_HIGHATOMIC :
						 ALLOC_NON_BLOCK;
}

/*
 * The slow path's flags, before the thread's state adds more. cf. Linux
 * mm/page_alloc.c:gfp_to_alloc_flags() as seed 0 left it; alloc_flags_slowpath() since 7.3.
 */
static inline unsigned int gfp_to_alloc_flags(gfp_t gfp, unsigned int order)
{
	unsigned int alloc_flags = ALLOC_WMARK_MIN | ALLOC_CPUSET;

	alloc_flags |= flag_for_bit(gfp, __GFP_HIGH, ALLOC_MIN_RESERVE);
	alloc_flags |= flag_for_bit(gfp, __GFP_KSWAPD_RECLAIM, ALLOC_KSWAPD);
	alloc_flags |= alloc_flags_nonblocking(gfp, order);
	/* An atomic request ignores cpusets rather than fail. */
	if (!(gfp & __GFP_DIRECT_RECLAIM) && (gfp & __GFP_HIGH))
		alloc_flags &= ~ALLOC_CPUSET;
	return alloc_flags | gfp_to_alloc_flags_cma(gfp);
}

/*
 * As gfp_to_alloc_flags(), in these scopes: a realtime thread that may wait may use half of the
 * reserve.
 */
static inline unsigned int gfp_to_alloc_flags_in_scopes(gfp_t gfp, unsigned int order,
							unsigned int scopes)
{
	unsigned int alloc_flags = gfp_to_alloc_flags(gfp, order);

	if ((gfp & __GFP_DIRECT_RECLAIM) && (scopes & SCOPE_REALTIME))
		alloc_flags |= ALLOC_MIN_RESERVE;
	return alloc_flags;
}

/*
 * Flags that the fast path adds for its preferred zone: a request for Normal pages tries the node's
 * DMA32 zone before it takes from other types' pageblocks. If there is only one node, it has every
 * kind of zone that exists; with several, this looks whether this node has a DMA32 zone. cf. Linux
 * alloc_flags_nofragment(), which without CONFIG_ZONE_DMA32 adds nothing either.
 */
static inline unsigned int alloc_flags_nofragment(const struct zone *preferred, gfp_t gfp)
{
	unsigned int alloc_flags = flag_for_bit(gfp, __GFP_KSWAPD_RECLAIM, ALLOC_KSWAPD);

	if (!page_has_zone(ZONE_DMA32) || !preferred || preferred->index != ZONE_NORMAL)
		return alloc_flags;
	if (nr_online_nodes > 1 && !populated_zone(preferred - 1))
		return alloc_flags;
	return alloc_flags | ALLOC_NOFRAGMENT;
}

/*
 * The flags of the first attempt. Since Linux 7.3 it may take blocks that are kept for atomic
 * requests.
 */
static inline unsigned int gfp_to_alloc_flags_fast(const struct zone *preferred, gfp_t gfp,
						   unsigned int order)
{
	unsigned int alloc_flags = ALLOC_WMARK_LOW | alloc_flags_nofragment(preferred, gfp) |
				   gfp_to_alloc_flags_cma(gfp);

	if (linux_since(7, 3))
		alloc_flags |= alloc_flags_nonblocking(gfp, order) & ALLOC_HIGHATOMIC;
	return alloc_flags;
}

/* What the request may do beyond its own flags. cf. Linux __gfp_pfmemalloc_flags(). */
static inline unsigned int gfp_to_reserve_flags(gfp_t gfp, unsigned int scopes)
{
	if (gfp & __GFP_NOMEMALLOC)
		return 0;
	if ((gfp & __GFP_MEMALLOC) || (scopes & SCOPE_NORECLAIM))
		return ALLOC_NO_WATERMARKS;
	return scopes & SCOPE_VICTIM ? ALLOC_OOM : 0;
}

/*
 * If gfp_to_reserve_flags() returns a flag, that one replaces alloc_flags; only ALLOC_KSWAPD and
 * ALLOC_CMA stay.
 */
static inline unsigned int alloc_flags_with_reserve(unsigned int alloc_flags, gfp_t gfp,
						    unsigned int scopes)
{
	unsigned int reserve = gfp_to_reserve_flags(gfp, scopes);

	if (!reserve)
		return alloc_flags;
	return reserve | gfp_to_alloc_flags_cma(gfp) | (alloc_flags & ALLOC_KSWAPD);
}

#endif
