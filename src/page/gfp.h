/* SPDX-License-Identifier: MIT */
/*
 * From what the caller asked for (gfp_t) to what the page allocator may do for
 * it (ALLOC_*). The two sets of bits have nothing to do with each other: each
 * rule below tests one bit and sets another (seed 0).
 */
#ifndef PAGE_GFP_H
#define PAGE_GFP_H

#include "usermm/gfp.h"

/* The lowest two bits choose the mark that a zone must stay above. */
#define ALLOC_WMARK_MIN		0x000u
#define ALLOC_WMARK_LOW		0x001u
#define ALLOC_WMARK_HIGH	0x002u
#define ALLOC_WMARK_MASK	0x003u

#define ALLOC_NO_WATERMARKS	0x004u	/* down to the last page */
#define ALLOC_OOM		0x008u	/* a victim that must get out of the way */
#define ALLOC_CPUSET		0x010u	/* respect cpusets */
#define ALLOC_NON_BLOCK		0x040u	/* cannot wait: a quarter more of the reserve */
#define ALLOC_MIN_RESERVE	0x080u	/* half of the reserve */
#define ALLOC_HIGHATOMIC	0x100u	/* blocks kept for atomic high orders */
#define ALLOC_KSWAPD		0x200u	/* wake background reclaim */
#define ALLOC_RESERVES							\
	(ALLOC_NON_BLOCK | ALLOC_MIN_RESERVE | ALLOC_HIGHATOMIC | ALLOC_OOM)

/*
 * The slow path's flags. cf. Linux mm/page_alloc.c:gfp_to_alloc_flags() as seed
 * 0 left it; real-time threads and movable pages (CMA) are not told apart here.
 */
static inline unsigned int gfp_to_alloc_flags(gfp_t gfp, unsigned int order)
{
	unsigned int alloc_flags = ALLOC_WMARK_MIN | ALLOC_CPUSET;

	if (gfp & __GFP_HIGH)
		alloc_flags |= ALLOC_MIN_RESERVE;
	if (gfp & __GFP_KSWAPD_RECLAIM)
		alloc_flags |= ALLOC_KSWAPD;
	if (!(gfp & __GFP_DIRECT_RECLAIM)) {
		if (!(gfp & __GFP_NOMEMALLOC)) {
			alloc_flags |= ALLOC_NON_BLOCK;
			if (order > 0 && (gfp & __GFP_HIGH))
				alloc_flags |= ALLOC_HIGHATOMIC;
		}
		/* An atomic request ignores cpusets rather than fail. */
		if (gfp & __GFP_HIGH)
			alloc_flags &= ~ALLOC_CPUSET;
	}
	return alloc_flags;
}

/* The fast path's flags: the low mark, and the one bit that it passes on. */
static inline unsigned int gfp_to_alloc_flags_fast(gfp_t gfp)
{
	unsigned int alloc_flags = ALLOC_WMARK_LOW;

	if (gfp & __GFP_KSWAPD_RECLAIM)
		alloc_flags |= ALLOC_KSWAPD;
	return alloc_flags;
}

/* What the request may do beyond its flags; replaces them if it is not 0. */
static inline unsigned int gfp_to_reserve_flags(gfp_t gfp)
{
	if (gfp & __GFP_NOMEMALLOC)
		return 0;
	if (gfp & __GFP_MEMALLOC)
		return ALLOC_NO_WATERMARKS;
	return 0;
}

#endif
