/* SPDX-License-Identifier: MIT */
/*
 * The zones that a request may use, and their order.
 *
 * Each node has two zonelists: its own zones, highest first, and then those of the other nodes by
 * distance; and its own zones alone (__GFP_THISNODE). A request starts at its preferred zone: the
 * first one that is not above the request's highest zone and is in its set of nodes. From there it
 * goes down the list, never up. cf. Linux struct alloc_context.
 */
#ifndef PAGE_ZONELIST_H
#define PAGE_ZONELIST_H

#include "page/gfp.h"
#include "page/zone.h"

struct alloc_context {
	const struct zonelist *zonelist;
	const unsigned long *nodes;		/* one bit a node; NULL: all nodes */
	const struct zoneref *preferred;	/* its zone is NULL if the request may use none */
	enum migratetype migratetype;
	enum zone_type highest;
};

/* Builds the zonelists of all nodes. */
void zonelists_build(void);

/* Sets *ac for a request from node nid; NUMA_NO_NODE is the caller's own node. */
void alloc_context_prepare(struct alloc_context *ac, gfp_t gfp, int nid,
			   const unsigned long *nodes);
/* From now on the request may use any node of its list. */
void alloc_context_forget_nodes(struct alloc_context *ac);

/* The first entry from ref on that the request may use. An entry with zone NULL ends the list. */
static inline const struct zoneref *allowed_zoneref(const struct zoneref *ref,
						    const struct alloc_context *ac)
{
	while (ref->zone && (ref->index > ac->highest ||
			     (ac->nodes && !(*ac->nodes >> ref->zone->node & 1))))
		ref++;
	return ref;
}

/* Walks the zones that the request may use, from the preferred one on. */
#define for_each_zone_zonelist(z, ref, ac)					\
	for ((ref) = (ac)->preferred; ((z) = (ref)->zone);			\
	     (ref) = allowed_zoneref((ref) + 1, ac))

/*
 * Would the zone be above its low mark with nr fewer pages? If not, takes back the large blocks on
 * CPUs' lists, and looks again.
 */
bool zone_fits_above_low(struct zone *z, unsigned long nr, enum zone_type highest,
			 unsigned int alloc_flags);

/*
 * Walks the zones that the request may use once, and takes a block from the first zone that is
 * above its mark and has one. The block's flags are PG_zeroed or 0, and PG_pfmemalloc if
 * alloc_flags have ALLOC_NO_WATERMARKS. NULL if there is none.
 */
struct page *get_page_from_freelist(unsigned int order, unsigned int alloc_flags,
				    const struct alloc_context *ac);

/* Counts nr blocks that the request got from z; a machine with one node counts nothing. */
void zone_statistics(struct zone *z, const struct alloc_context *ac, unsigned long nr);

/*
 * Takes up to nr pages of order 0 from one zone of the preferred node that stays above its low mark
 * without them. Returns how many; their flags are 0.
 */
unsigned long get_pages_from_freelist(gfp_t gfp, unsigned long nr, struct page **pages,
				      const struct alloc_context *ac);

/*
 * Gives the request's type pageblocks that are kept for atomic requests (migratetype.c). True if
 * there was one to give.
 */
bool unreserve_highatomic_pageblock(const struct alloc_context *ac, bool force);

#endif
