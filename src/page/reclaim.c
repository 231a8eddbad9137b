/* SPDX-License-Identifier: MIT */
/*
 * Rounds of growing pressure on the shrinkers. cf. Linux mm/vmscan.c:
 * do_try_to_free_pages(), balance_pgdat().
 *
 * In a request's own thread a round follows the other until there are RECLAIM_PAGES more
 * pages. In the background they go on until a zone is above its high mark again; when
 * that was in vain RECLAIM_RETRIES_MAX times, nobody wakes the thread any more until a
 * request's own thread had success.
 */
#include "page/reclaim.h"

#include "base/atomic.h"
#include "base/options.h"
#include "os/background.h"
#include "page/gfp.h"
#include "page/release.h"
#include "page/scopes.h"
#include "percpu/percpu.h"

/* Sync: atomic relaxed; 1 + the highest order that somebody waits for, 0: nobody does */
static unsigned int wanted;
/* Sync: atomic relaxed; background rounds in vain, in a row */
static unsigned int failures;

struct reclaim_events reclaim_events;

static unsigned long pages_gained(unsigned long before)
{
	unsigned long now = reclaim_available_pages();

	return now > before ? now - before : 0;
}

static void shrink_all_nodes(gfp_t gfp, int priority, unsigned long *left)
{
	*left = 0;
	for (int nid = 0; nid < reclaim_nr_nodes(); nid++)
		shrink_node(gfp, nid, priority, left);
}

void reclaim_direct(gfp_t gfp, unsigned int order, struct reclaim_result *result)
{
	unsigned long before = reclaim_available_pages(), target = max(RECLAIM_PAGES, 1UL << order);
	unsigned int scope;

	*result = (struct reclaim_result){ 0 };
	atomic_add_relaxed(&reclaim_events.allocstall[gfp_zone(gfp)], 1UL);
	if (!shrinkers_exist())
		return;
	scope = scopes_enter(SCOPE_NORECLAIM);
	for (int priority = RECLAIM_PRIORITY_LIGHTEST; priority >= 0; priority--) {
		shrink_all_nodes(gfp, priority, &result->left);
		result->pages = pages_gained(before);
		if (result->pages >= target)
			break;
	}
	scopes_leave(SCOPE_NORECLAIM, scope);
	if (result->pages)
		atomic_store_relaxed(&failures, 0);
}

/* Up to the high mark, while there is progress. */
static void balance(gfp_t gfp, unsigned int order)
{
	unsigned int scope = scopes_enter(SCOPE_NORECLAIM | SCOPE_KSWAPD);
	unsigned long before, gained, left;
	int priority;

	atomic_add_relaxed(&reclaim_events.pageoutrun, 1UL);
	reclaim_begin_balancing();
	do {
		before = reclaim_available_pages();
		for (priority = RECLAIM_PRIORITY_LIGHTEST; priority >= 1; priority--) {
			if (reclaim_balanced(order))
				break;
			shrink_all_nodes(gfp, priority, &left);
			reclaim_drain();
		}
		gained = pages_gained(before);
	} while (!reclaim_balanced(order) && gained);
	reclaim_end_balancing();
	atomic_store_relaxed(&failures, gained ? 0 : atomic_load_relaxed(&failures) + 1);
	scopes_leave(SCOPE_NORECLAIM | SCOPE_KSWAPD, scope);
}

unsigned int reclaim_background_work(void)
{
	unsigned int asked = atomic_exchange_acquire(&wanted, 0);

	if (asked)
		balance(GFP_KERNEL, asked - 1);
	return release_background_work();
}

/* A child that shares this memory would make the thread its own. */
static bool is_shared_with_child(void)
{
	return atomic_load_relaxed(&percpu.bound.children);
}

bool reclaim_wake_background(gfp_t gfp, unsigned int order)
{
	unsigned int before = atomic_load_relaxed(&wanted);

	if (!shrinkers_exist() || atomic_load_relaxed(&failures) >= RECLAIM_RETRIES_MAX ||
	    (scopes_current() & (SCOPE_KSWAPD | SCOPE_NORECLAIM)))
		return false;
	if (options.background == OPTION_BACKGROUND_OFF) {
		if ((gfp & __GFP_DIRECT_RECLAIM) && !reclaim_balanced(order))
			balance(gfp, order);
		return gfp & __GFP_DIRECT_RECLAIM;
	}
	while (before < order + 1 && !atomic_cas_relaxed(&wanted, &before, order + 1))
		;
	if (is_shared_with_child())
		return false;
	background_wake();
	return background_is_running();
}
