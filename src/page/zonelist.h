/* SPDX-License-Identifier: MIT */
/*
 * In which zones a request may look, and in which order.
 *
 * Each node has two lists: its own zones, highest first, then those of the other
 * nodes by distance; and its own zones alone (__GFP_THISNODE). A request starts at
 * the first zone that is not above its highest one and is in its set of nodes, its
 * preferred zone. It goes down, never up. cf. Linux struct alloc_context.
 */
#ifndef PAGE_ZONELIST_H
#define PAGE_ZONELIST_H

#include "page/gfp.h"
#include "page/zone.h"

struct alloc_context {
	const struct zonelist *zonelist;
	const unsigned long *nodes;		/* one bit a node; NULL is all */
	const struct zoneref *preferred;	/* its zone is NULL if there is none */
	enum migratetype migratetype;
	enum zone_type highest;
};

void zonelists_build(void);

/* For a request from node nid; NUMA_NO_NODE is the caller's own. */
void alloc_context_prepare(struct alloc_context *ac, gfp_t gfp, int nid,
			   const unsigned long *nodes);
/* Any node of the list will do from now on. */
void alloc_context_forget_nodes(struct alloc_context *ac);

/* The first from ref on that the request may use; a zone that is NULL ends the list. */
static inline const struct zoneref *allowed_zoneref(const struct zoneref *ref,
						    const struct alloc_context *ac)
{
	while (ref->zone && (ref->index > ac->highest ||
			     (ac->nodes && !(*ac->nodes >> ref->zone->node & 1))))
		ref++;
	return ref;
}

/* From the preferred zone on. */
#define for_each_zone_zonelist(z, ref, ac)					\
	for ((ref) = (ac)->preferred; ((z) = (ref)->zone);			\
	     (ref) = allowed_zoneref((ref) + 1, ac))

/* Would the zone be above its low mark with so many pages less? Blocks on lists come back first. */
bool zone_fits_above_low(struct zone *z, unsigned long nr, enum zone_type highest,
			 unsigned int alloc_flags);

/*
 * One look at the zones that the request may use, in their order: the first one that
 * is above its mark and has a block. Its flags hold PG_zeroed or nothing.
 */
struct page *get_page_from_freelist(unsigned int order, unsigned int alloc_flags,
				    const struct alloc_context *ac);

/* Counts nr blocks that the request got from z; a machine with one node counts nothing. */
void zone_statistics(struct zone *z, const struct alloc_context *ac, unsigned long nr);

/*
 * Up to nr pages of order 0 from one zone of the preferred node that is above its
 * low mark with them; 0 if there is none. Their flags are 0.
 */
unsigned long get_pages_from_freelist(gfp_t gfp, unsigned long nr, struct page **pages,
				      const struct alloc_context *ac);

/* Blocks kept for atomic requests go back to the request's type; was there one? */
bool unreserve_highatomic_pageblock(const struct alloc_context *ac, bool force);

#endif
