/* SPDX-License-Identifier: MIT */
#include "page/slowpath.h"

#include "base/check.h"
#include "os/os.h"
#include "page/gfp.h"
#include "page/pcp.h"
#include "page/zonelist.h"

/* A request that must not fail looks again after so many microseconds. */
#define NOFAIL_RETRY_US 1000

static void report_failure(gfp_t gfp, unsigned int order)
{
	atomic_add_relaxed(&page_failures, 1);
	if (!(gfp & __GFP_NOWARN))
		report_warning("page allocation failure: order:%u, mode:%#x, free %lu of %lu pages",
			       order, gfp, nodes_free_pages(), nodes_managed_pages());
}

/* Mistakes of the caller's that Linux warns of. False if they leave nothing to do. */
static bool is_sane(gfp_t gfp, unsigned int order, int nid)
{
	static unsigned int warned;

	if (order > MAX_PAGE_ORDER || nid < NUMA_NO_NODE || nid >= (int)nr_online_nodes)
		return false;
	if (unlikely(!gfp_mobility_is_valid(gfp) || !gfp_zone_is_valid(gfp)) &&
	    !atomic_exchange_acq_rel(&warned, 1))
		report_warning("page allocation with flags that exclude each other: mode:%#x", gfp);
	return true;
}

/* What the request may do once the low mark is reached. */
static unsigned int slow_alloc_flags(gfp_t gfp, unsigned int order)
{
	unsigned int alloc_flags = gfp_to_alloc_flags(gfp, order);
	unsigned int reserve_flags = gfp_to_reserve_flags(gfp);

	if (reserve_flags)
		return reserve_flags | gfp_to_alloc_flags_cma(gfp) | (alloc_flags & ALLOC_KSWAPD);
	if (gfp & __GFP_DIRECT_RECLAIM)
		alloc_flags |= gfp_to_alloc_flags_realtime(gfp, os_thread_is_realtime());
	return alloc_flags;
}

/* There is nothing in the background that could reclaim: it ends the zones' boosts. */
static void wake_all_kswapds(const struct alloc_context *ac)
{
	const struct zoneref *ref;
	struct zone *z;

	for_each_zone_zonelist(z, ref, ac)
		zone_end_boost(z);
}

/*
 * 1. The low mark. 2. The mark that gfp allows. 3. The CPUs' lists may hold what
 * the zones lack, and the reserve for atomic requests as well. 4. NOFAIL waits for
 * others to free memory; the rest give up. A signal handler above a holder stops at
 * 2: others may be waiting for the holder.
 */
static struct page *alloc_in_context(gfp_t gfp, unsigned int order,
				     const struct alloc_context *ac)
{
	unsigned int alloc_flags;
	struct page *page;

	alloc_flags = gfp_to_alloc_flags_fast(ac->preferred->zone, gfp);
	page = get_page_from_freelist(gfp, order, alloc_flags, ac);
	if (likely(page))
		return page;
	if (gfp & __GFP_KSWAPD_RECLAIM)
		wake_all_kswapds(ac);
	alloc_flags = slow_alloc_flags(gfp, order);
	page = get_page_from_freelist(gfp, order, alloc_flags, ac);
	if (!page && !lock_none_held())
		return NULL;
	while (!page) {
		if (gfp & __GFP_DIRECT_RECLAIM) {
			unreserve_highatomic_pageblock(ac, false);
			pcp_drain_all(NULL);
		} else {
			pcp_drain_local(NULL);	/* stopping other CPUs may wait */
		}
		page = get_page_from_freelist(gfp, order, alloc_flags, ac);
		if (page || !(gfp & __GFP_NOFAIL) || !(gfp & __GFP_DIRECT_RECLAIM))
			break;
		os_sleep_us(NOFAIL_RETRY_US);
	}
	return page;
}

struct page *page_alloc_node(gfp_t gfp, unsigned int order, int nid,
			     const unsigned long *nodes)
{
	struct alloc_context ac;
	struct page *page;

	if (page_init() || !is_sane(gfp, order, nid))
		return NULL;
	alloc_context_prepare(&ac, gfp, nid, nodes);
	if (!ac.preferred->zone)
		return NULL;
	page = alloc_in_context(gfp, order, &ac);
	/* A signal handler above a holder is not told that it may get less. */
	if (!page && lock_none_held())
		report_failure(gfp, order);
	return page;
}

struct page *page_alloc_slow(gfp_t gfp, unsigned int order)
{
	return page_alloc_node(gfp, order, NUMA_NO_NODE, NULL);
}
