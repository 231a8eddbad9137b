/* SPDX-License-Identifier: MIT */
#include "page/slowpath.h"

#include "base/check.h"
#include "os/os.h"
#include "page/gfp.h"
#include "page/zone.h"

/* A request that must not fail looks again after so many microseconds. */
#define NOFAIL_RETRY_US 1000

static void report_failure(gfp_t gfp, unsigned int order)
{
	atomic_add_relaxed(&zone.failures, 1);
	if (!(gfp & __GFP_NOWARN))
		report_warning("page allocation failure: order:%u, mode:%#x, free %lu of %lu pages",
			       order, gfp, atomic_load_relaxed(&zone.free_pages),
			       zone.managed_pages);
}

/*
 * 1. The low mark. 2. The mark that gfp allows. 3. The CPUs' lists may hold what
 * the zone lacks. 4. NOFAIL waits for others to free memory; the rest give up. A
 * signal handler above a holder stops at 2: others may be waiting for the holder.
 */
struct page *page_alloc_slow(gfp_t gfp, unsigned int order)
{
	unsigned int alloc_flags, reserve_flags;
	struct page *page;

	if (unlikely(order > MAX_PAGE_ORDER) || page_init())
		return NULL;
	page = page_take_block(gfp, order, gfp_to_alloc_flags_fast(gfp));
	if (likely(page))
		return page;

	alloc_flags = gfp_to_alloc_flags(gfp, order);
	reserve_flags = gfp_to_reserve_flags(gfp);
	if (reserve_flags)
		alloc_flags = reserve_flags | (alloc_flags & ALLOC_KSWAPD);
	page = page_take_block(gfp, order, alloc_flags);
	if (!page && !lock_none_held())
		return NULL;
	while (!page) {
		if (gfp & __GFP_DIRECT_RECLAIM)
			pcp_drain_all(&zone);
		else
			pcp_drain_local(&zone);	/* stopping other CPUs may wait */
		page = page_take_block(gfp, order, alloc_flags);
		if (page || !(gfp & __GFP_NOFAIL) || !(gfp & __GFP_DIRECT_RECLAIM))
			break;
		os_sleep_us(NOFAIL_RETRY_US);
	}
	if (!page)
		report_failure(gfp, order);
	return page;
}
