/* SPDX-License-Identifier: MIT */
/*
 * Rounds of growing pressure on the shrinkers, in a request's own thread, until there are
 * RECLAIM_PAGES more pages. Only nodes that the request may use are asked. cf. Linux mm/vmscan.c:
 * do_try_to_free_pages(), shrink_zones().
 */
#include "page/reclaim/reclaim.h"

#include "base/options.h"
#include "os/background.h"
#include "page/reclaim/pressure.h"
#include "page/scopes.h"
#include "page/zonelist.h"
#include "percpu/percpu.h"

struct reclaim_events reclaim_events;

unsigned long reclaim_node(gfp_t gfp, unsigned int nid, int priority, unsigned long *left,
			   unsigned long *available)
{
	unsigned long before = *available;

	/* If the shrinkers freed nothing, pages that others freed meanwhile are no progress. */
	if (!shrink_node(gfp, (int)nid, priority, left))
		return 0;
	*available = reclaim_available_pages();
	return *available > before ? *available - before : 0;
}

/* Runs a round for each node once. */
static unsigned long reclaim_nodes(const struct alloc_context *ac, gfp_t gfp, int priority,
				   unsigned long *left, unsigned long *available)
{
	unsigned long gained, sum = 0;
	unsigned int last = MAX_NUMNODES;
	const struct zoneref *ref;
	struct zone *z;

	*left = 0;
	for_each_zone_zonelist(z, ref, ac) {
		if (z->node == last)
			continue;
		last = z->node;
		gained = reclaim_node(gfp, last, priority, left, available);
		if (gained)
			kswapd_revive(last);
		sum += gained;
	}
	return sum;
}

void reclaim_direct(const struct alloc_context *ac, gfp_t gfp, unsigned int order,
		    struct reclaim_result *result)
{
	unsigned long target = max(RECLAIM_PAGES, 1UL << order), available;
	unsigned int scope;

	*result = (struct reclaim_result){ 0 };
	atomic_add_relaxed(&reclaim_events.allocstall[ac->highest], 1UL);
	if (!shrinkers_any())
		return;
	scope = scopes_enter(SCOPE_NORECLAIM);
	available = reclaim_available_pages();
	for (int priority = RECLAIM_PRIORITY_LIGHTEST; priority >= 0; priority--) {
		result->pages += reclaim_nodes(ac, gfp, priority, &result->left, &available);
		if (result->pages >= target)
			break;
	}
	scopes_leave(SCOPE_NORECLAIM, scope);
}

often_called bool reclaim_wake_background(void)
{
	if (options.background == OPTION_BACKGROUND_OFF ||
	    atomic_load_relaxed(&percpu.bound.children))
		return false;
	pressure_watch();
	background_wake();
	return background_is_running();
}

/*
 * Runs when the library is unloaded, and when the process ends. Before an unload the background
 * thread must have ended, so this waits for it. If the program still has shrinkers, it is the
 * process that ends. Then do not wait: a shrinker in the background thread may be waiting for the
 * thread that ends the process.
 */
__attribute__((__destructor__)) static void end_background(void)
{
	if (shrinkers_exist())
		return;
	background_unload();
	pressure_forget();
}
