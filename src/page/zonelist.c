/* SPDX-License-Identifier: MIT */
/* Builds the zonelists and walks them. zonelist.h says what they are. */
#include "page/zonelist.h"

#include "mm/page_flags.h"
#include "page/migratetype.h"
#include "page/pcp/pcp.h"
#include "page/reclaim/reclaim.h"
#include "page/rmqueue.h"

/* cf. Linux build_zonerefs_node(). */
static unsigned int add_node(struct zonelist *list, unsigned int nr, unsigned int node)
{
	for (unsigned int i = MAX_NR_ZONES; i-- > 0;) {
		struct zone *z = populated_zone_of(node, i);

		if (!z)
			continue;
		list->refs[nr].zone = z;
		list->refs[nr++].index = z->index;
	}
	return nr;
}

/* Does the node have a zone with memory? */
static bool has_memory(unsigned int node)
{
	for (unsigned int i = 0; i < MAX_NR_ZONES; i++)
		if (populated_zone_of(node, i))
			return true;
	return false;
}

/*
 * The nearest node with memory that is not in `used`. A node without CPUs counts as a little
 * nearer, and one with a lower number than `from` as a little further. If several are at the same
 * distance, the one that was the first choice of the fewest nodes (`load`). cf. Linux
 * find_next_best_node().
 */
static int next_best_node(unsigned int from, unsigned long used, const unsigned int *load)
{
	unsigned int best_value = UINT32_MAX;
	int best = NUMA_NO_NODE;

	if (!(used >> from & 1) && has_memory(from))
		return (int)from;
	for (unsigned int node = 0; node < nr_online_nodes; node++) {
		unsigned int value;

		if (used >> node & 1 || !has_memory(node))
			continue;
		value = node_distance(from, node) + (node < from) + numa_node_has_cpus(node);
		value = value * MAX_NUMNODES + load[node];
		if (value < best_value) {
			best_value = value;
			best = (int)node;
		}
	}
	return best;
}

/* load counts, over all lists, how often a node is the first of its distance. */
static void build_node(unsigned int from, unsigned int *load)
{
	struct zonelist *lists = NODE_DATA(from)->node_zonelists;
	unsigned int nr = 0, previous = from;
	unsigned long used = 0;
	int node;

	while ((node = next_best_node(from, used, load)) >= 0) {
		unsigned int next = (unsigned int)node;

		if (node_distance(from, next) != node_distance(from, previous))
			load[next]++;
		used |= 1UL << next;
		nr = add_node(&lists[ZONELIST_FALLBACK], nr, next);
		previous = next;
	}
	add_node(&lists[ZONELIST_NOFALLBACK], 0, from);
}

void zonelists_build(void)
{
	unsigned int load[MAX_NUMNODES] = { 0 };

	for (unsigned int node = 0; node < nr_online_nodes; node++)
		build_node(node, load);
}

void alloc_context_prepare(struct alloc_context *ac, gfp_t gfp, int nid,
			   const unsigned long *nodes)
{
	unsigned int node = nid == NUMA_NO_NODE ? numa_node_id() : (unsigned int)nid;
	unsigned int list = gfp & __GFP_THISNODE ? ZONELIST_NOFALLBACK : ZONELIST_FALLBACK;

	ac->zonelist = &NODE_DATA(node)->node_zonelists[list];
	ac->nodes = nodes;
	ac->highest = gfp_zone(gfp);
	ac->migratetype = gfp_migratetype(gfp);
	ac->preferred = allowed_zoneref(ac->zonelist->refs, ac);
}

void alloc_context_forget_nodes(struct alloc_context *ac)
{
	ac->nodes = NULL;
	ac->preferred = allowed_zoneref(ac->zonelist->refs, ac);
}

/* --- One zone ------------------------------------------------------------------- */

/*
 * Is the pageblock of an atomic request's block kept for more of them? Not if the first attempt
 * found the block; and since Linux 7.1 not if it was on this CPU's list, which shows that there are
 * such blocks. cf. Linux rmqueue_buddy()
 */
static bool is_to_be_reserved(unsigned int alloc_flags, bool was_listed)
{
	return (alloc_flags & ALLOC_HIGHATOMIC) &&
	       (alloc_flags & ALLOC_WMARK_MASK) == ALLOC_WMARK_MIN &&
	       !(was_listed && linux_since(7, 1));
}

static struct page *take_from_zone(struct zone *z, unsigned int order, unsigned int alloc_flags,
				   const struct alloc_context *ac)
{
	struct page *page = pcp_alloc(z, order, ac->migratetype, alloc_flags);
	bool was_listed = page;

	if (!page)
		page = rmqueue_buddy(z, order, ac->migratetype, alloc_flags);
	if (!page)
		return NULL;
	if ((alloc_flags & ALLOC_KSWAPD) && zone_test_flag(z, ZONE_BOOSTED_WATERMARK)) {
		zone_clear_flag(z, ZONE_BOOSTED_WATERMARK);
		kswapd_wake_for_boost(z);
	}
	if (is_to_be_reserved(alloc_flags, was_listed))
		reserve_highatomic_pageblock(z, page, order);
	return page;
}

/*
 * Is the zone below its high mark for this request? Then sets ZONE_BELOW_HIGH, by which frees keep
 * less on the CPUs' lists.
 */
static bool is_below_high(struct zone *z, unsigned int order, unsigned int alloc_flags,
			  const struct alloc_context *ac)
{
	if (zone_test_flag(z, ZONE_BELOW_HIGH))
		return true;
	alloc_flags = (alloc_flags & ~ALLOC_WMARK_MASK) | ALLOC_WMARK_HIGH;
	if (zone_watermark_fast(z, order, ac->highest, alloc_flags))
		return false;
	zone_set_flag(z, ZONE_BELOW_HIGH);
	return true;
}

static bool may_take(struct zone *z, unsigned int order, unsigned int alloc_flags,
		     const struct alloc_context *ac)
{
	return !is_below_high(z, order, alloc_flags, ac) ||
	       zone_watermark_fast(z, order, ac->highest, alloc_flags) ||
	       (alloc_flags & ALLOC_NO_WATERMARKS);
}

/* --- The walk ------------------------------------------------------------------- */

void zone_statistics(struct zone *z, const struct alloc_context *ac, unsigned long nr)
{
	struct zone *preferred = ac->preferred->zone;
	bool hit = z->node == preferred->node;

	if (nr_online_nodes == 1)
		return;
	atomic_add_relaxed(&z->numa_events[hit ? NUMA_HIT : NUMA_MISS], nr);
	if (!hit)
		atomic_add_relaxed(&preferred->numa_events[NUMA_FOREIGN], nr);
	atomic_add_relaxed(&z->numa_events[z->node == numa_node_id() ? NUMA_LOCAL : NUMA_OTHER],
			   nr);
}

/* With ALLOC_NOFRAGMENT the walk ends before it leaves the preferred node. */
static struct page *walk_zones(unsigned int order, unsigned int alloc_flags,
			       const struct alloc_context *ac)
{
	const struct zoneref *ref;
	struct zone *z;

	for_each_zone_zonelist(z, ref, ac) {
		struct page *page;

		/* It is better to mix types in a pageblock than to leave the node. */
		if ((alloc_flags & ALLOC_NOFRAGMENT) && z->node != ac->preferred->zone->node)
			return NULL;
		if (!may_take(z, order, alloc_flags, ac) &&
		    !(pcp_return_blocks(z) && may_take(z, order, alloc_flags, ac)))
			continue;
		page = take_from_zone(z, order, alloc_flags, ac);
		if (!page && pcp_return_blocks(z))
			page = take_from_zone(z, order, alloc_flags, ac);
		if (!page)
			continue;
		zone_statistics(z, ac, 1);
		return page;
	}
	return NULL;
}

struct page *get_page_from_freelist(unsigned int order, unsigned int alloc_flags,
				    const struct alloc_context *ac)
{
	struct page *page = walk_zones(order, alloc_flags, ac);

	if (!page && (alloc_flags & ALLOC_NOFRAGMENT))
		page = walk_zones(order, alloc_flags & ~ALLOC_NOFRAGMENT, ac);
	/*
	 * cf. Linux prep_new_page(): the block came from the reserve, for threads that free memory.
	 */
	if (page && (alloc_flags & ALLOC_NO_WATERMARKS))
		page_set_flags(page, page_flags(page) | PG_pfmemalloc);
	return page;
}

static bool is_above_low_without(const struct zone *z, unsigned long nr, enum zone_type highest,
				 unsigned int alloc_flags)
{
	return zone_watermark_ok(z, 0, wmark_pages(z, WMARK_LOW) + nr, highest, alloc_flags);
}

bool zone_fits_above_low(struct zone *z, unsigned long nr, enum zone_type highest,
			 unsigned int alloc_flags)
{
	return is_above_low_without(z, nr, highest, alloc_flags) ||
	       (pcp_return_blocks(z) && is_above_low_without(z, nr, highest, alloc_flags));
}

unsigned long get_pages_from_freelist(gfp_t gfp, unsigned long nr, struct page **pages,
				      const struct alloc_context *ac)
{
	unsigned int alloc_flags = ALLOC_WMARK_LOW | gfp_to_alloc_flags_cma(gfp);
	const struct zoneref *ref;
	struct zone *z;

	for_each_zone_zonelist(z, ref, ac) {
		if (z->node != ac->preferred->zone->node)
			break;
		if (!zone_fits_above_low(z, nr, ac->preferred->index, alloc_flags))
			continue;
		nr = pcp_alloc_bulk(z, ac->migratetype, alloc_flags, pages, nr);
		zone_statistics(z, ac, nr);
		return nr;
	}
	return 0;
}
