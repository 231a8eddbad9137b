/* SPDX-License-Identifier: MIT */
/*
 * A request that found nothing on this CPU's lists. cf. Linux mm/page_alloc.c:
 * __alloc_pages_slowpath().
 *
 * 1. It tries the zones that are above their low mark. If none is, it wakes the background thread.
 * 2. It tries again with the mark that its flags, or the thread's scopes, allow.
 * 3. A request that may not wait gives its own CPU's lists back to the zones, tries again, and ends
 *    here. A thread in reclaim does the same with all CPUs' lists.
 * 4. It reclaims, then gives all CPUs' lists back to the zones and tries again. __GFP_NORETRY ends
 *    here, and so do orders above PAGE_ALLOC_COSTLY_ORDER without __GFP_RETRY_MAYFAIL.
 * 5. It goes back to 2 while reclaim makes progress or may still free enough.
 * 6. It makes CPUs and the layers above give back what they keep free; again only after step 7, or
 *    after a wait in which others may have freed memory. Then, while other threads are in
 *    shrinkers, it goes back to 2 for a while: they may have what this request needs.
 * 7. It asks notifiers and the program to free memory (oom.c). If that made room, it goes back
 *    to 2.
 * 8. With __GFP_NOFAIL it waits for others to free memory, and starts again. Others get NULL.
 *
 * A signal handler above a holder stops at 2: others may be waiting for the holder.
 *
 * Differences from Linux: blocks are not moved to make larger ones. Lists are emptied even if
 * reclaim found something, since here they may hold more than reclaim finds. Where nobody can be
 * made to give memory up, a request without __GFP_FS does not retry for ever, and one with
 * __GFP_NOFAIL first waits before it gets a part of the reserve.
 */
#include "page/slowpath.h"

#include "base/check.h"
#include "base/linux_version.h"
#include "os/lock.h"
#include "os/os.h"
#include "page/debug/page_report.h"
#include "page/gfp.h"
#include "page/pcp/pcp.h"
#include "page/reclaim/limits.h"
#include "page/reclaim/oom.h"
#include "page/reclaim/reclaim.h"
#include "page/reclaim/release.h"
#include "page/scopes.h"
#include "page/zonelist.h"
#include "usermm/reclaim.h"

/* How long a request that must not fail waits before it tries again. */
#define NOFAIL_RETRY_US 1000
/* After this many tries it gets a part of the reserve. */
#define NOFAIL_PATIENCE 250
/*
 * How long a request waits each time, and how often at most, while other threads are in shrinkers.
 */
#define OTHERS_RETRY_US 1000
#define OTHERS_PATIENCE 500
/*
 * How often a request without __GFP_FS tries again. No victim is chosen for it, so it can only hope
 * that other requests make somebody give memory up.
 */
#define PRETENDED_PROGRESS_MAX (4 * RECLAIM_RETRIES_MAX)

struct request {
	struct alloc_context ac;
	gfp_t gfp;
	unsigned int order;
	unsigned int scopes;
	unsigned int alloc_flags;
	unsigned int fruitless;		/* rounds without progress, in a row */
	unsigned int pretended;		/* rounds that only hoped for others' memory */
	unsigned int waited;		/* tries of a request that must not fail */
	unsigned int yielded;		/* tries while others reclaimed */
	uint64_t since_ms;		/* when it found no zone above its low mark */
	bool waited_for_others;	/* has waited for others as long as it may */
	bool asked_for_kept;		/* release_kept() was called */
};

static bool may_wait(const struct request *r)
{
	return r->gfp & __GFP_DIRECT_RECLAIM;
}

static void check_nofail(const struct request *r)
{
	REPORT_ONCE(r->order > 1 && !linux_since(6, 19),
		    "__GFP_NOFAIL with order %u, more than 1", r->order);
	REPORT_ONCE(!may_wait(r), "__GFP_NOFAIL without __GFP_DIRECT_RECLAIM: it may fail");
	REPORT_ONCE(r->scopes & SCOPE_NORECLAIM, "__GFP_NOFAIL in reclaim: it can only wait");
}

static struct page *try_zones(const struct request *r)
{
	return get_page_from_freelist(r->order, r->alloc_flags, &r->ac);
}

/*
 * Empties the CPUs' lists, and tries again. Taking page_drain_lock waits until no block is on its
 * way to the system (release.c). The lock is held during the new try, because another block may
 * leave as soon as it is released.
 */
static struct page *drain_and_retry(struct request *r)
{
	bool held = pcp_drain_all_and_hold(NULL);
	struct page *page = try_zones(r);

	if (held)
		lock_release(&page_drain_lock);
	return page;
}

/* A round of reclaim in this thread, and another try. */
static struct page *reclaim_and_retry(struct request *r, struct reclaim_result *result)
{
	struct page *page;

	reclaim_direct(&r->ac, r->gfp, r->order, result);
	page = result->pages ? try_zones(r) : NULL;
	if (page)
		return page;
	if (result->pages)
		unreserve_highatomic_pageblock(&r->ac, false);
	return drain_and_retry(r);
}

/*
 * Before a request is refused, or others are made to give memory up, CPUs and the layers above give
 * back what they keep free. Shrinkers do not offer the objects that CPUs keep: these are few, and
 * stopping a CPU costs much.
 *
 * (A slab gives back no page while one of its objects is in use. So a cache first asks for a slab
 * with flags that make no victim give memory up. If that fails, the cache takes objects that came
 * back to its slabs; only then it asks with the caller's flags.)
 */
static struct page *release_kept_and_retry(struct request *r)
{
	if (r->asked_for_kept)
		return NULL;
	r->asked_for_kept = true;
	return release_kept() ? drain_and_retry(r) : NULL;
}

/* Is there progress, or hope for some? cf. Linux should_reclaim_retry(). */
static bool is_worth_a_retry(struct request *r, const struct reclaim_result *result)
{
	if (result->pages && r->order <= PAGE_ALLOC_COSTLY_ORDER)
		r->fruitless = 0;
	else if (++r->fruitless > RECLAIM_RETRIES_MAX)
		return unreserve_highatomic_pageblock(&r->ac, true);
	if (reclaim_could_satisfy(&r->ac, r->order, r->alloc_flags, result->left))
		return true;
	/* Try the last pageblocks that are kept for atomic requests. */
	return unreserve_highatomic_pageblock(&r->ac, true);
}

/*
 * Some thread has stayed in a shrinker for the longest time that a request waits. It may be waiting
 * for the requesting thread. So no other request waits until no thread is in a shrinker. Sync:
 * atomic relaxed
 */
static bool others_are_stuck;

static bool others_may_give(const struct request *r)
{
	bool stuck = atomic_load_relaxed(&others_are_stuck);

	/* Without __GFP_FS, this thread may hold a lock that the threads in shrinkers wait for. */
	if (r->scopes & SCOPE_SHRINKER || !(r->gfp & __GFP_FS))
		return false;
	if (shrinkers_are_running())
		return !stuck;
	if (stuck)
		atomic_store_relaxed(&others_are_stuck, false);
	return false;
}

/*
 * Waits while other threads are in shrinkers. Such a thread may have been preempted with the
 * shrinker's lock held or with objects in hand; that is no lack of memory. cf. Linux
 * consider_reclaim_throttle(), which waits half a second, too.
 */
static bool wait_for_others(struct request *r)
{
	if (r->waited_for_others)
		return false;
	if (others_may_give(r)) {
		if (r->yielded++ < OTHERS_PATIENCE) {
			os_sleep_us(OTHERS_RETRY_US);
			return true;
		}
		atomic_store_relaxed(&others_are_stuck, true);
	}
	r->waited_for_others = true;
	r->asked_for_kept &= !r->yielded;	/* memory that they freed may be kept on a CPU */
	return r->yielded;
}

/* Step 7. True if there is a block (*page), or if the request may try again. */
static bool try_oom(struct request *r, struct page **page)
{
	bool progress;

	*page = oom_take_block(r->gfp, r->order, &r->ac, &progress);
	if (*page)
		return true;
	/* An OOM victim that has had its reserve, or may not use it, would only loop. */
	if (r->scopes & SCOPE_VICTIM &&
	    (r->alloc_flags & ALLOC_OOM || r->gfp & __GFP_NOMEMALLOC))
		return false;
	if (!(r->gfp & __GFP_FS) && ++r->pretended > PRETENDED_PROGRESS_MAX)
		return false;
	r->fruitless = 0;
	r->asked_for_kept = false;	/* objects that were freed may be kept now */
	return progress;
}

static void wake_background(const struct request *r)
{
	if (r->gfp & __GFP_KSWAPD_RECLAIM)
		kswapd_wake_all(&r->ac, r->gfp, r->order);
}

/* Steps 2 to 7, until there is a block or nothing helps. */
static seldom_called struct page *try_all(struct request *r)
{
	struct reclaim_result result;
	struct page *page;

	for (;;) {
		wake_background(r);
		r->alloc_flags = alloc_flags_with_reserve(r->alloc_flags, r->gfp, r->scopes);
		/*
		 * A request without ALLOC_CPUSET is so urgent that it may have pages of any node.
		 */
		if (!(r->alloc_flags & ALLOC_CPUSET))
			alloc_context_forget_nodes(&r->ac);
		page = try_zones(r);
		if (page || !lock_none_held())
			return page;
		if (!may_wait(r) || r->scopes & SCOPE_NORECLAIM) {
			if (may_wait(r))
				return drain_and_retry(r);
			pcp_drain_local(NULL);	/* stopping other CPUs might wait */
			return try_zones(r);
		}
		if (linux_since(7, 2))
			page_report_stall(r->gfp, r->order, r->ac.nodes, r->since_ms);
		page = reclaim_and_retry(r, &result);
		if (page || r->gfp & __GFP_NORETRY)
			return page;
		if (r->order > PAGE_ALLOC_COSTLY_ORDER && !(r->gfp & __GFP_RETRY_MAYFAIL))
			return NULL;
		if (is_worth_a_retry(r, &result))
			continue;
		page = release_kept_and_retry(r);
		if (page)
			return page;
		if (wait_for_others(r))
			continue;
		if (!try_oom(r, &page) || page)
			return page;
	}
}

/* For a request that must not fail: waits, and tries again. */
static struct page *wait_and_retry(struct request *r)
{
	unsigned int flags = ALLOC_WMARK_MIN | ALLOC_CPUSET;

	os_sleep_us(NOFAIL_RETRY_US);
	r->asked_for_kept = false;	/* memory that was freed meanwhile may be kept on a CPU */
	if (++r->waited > NOFAIL_PATIENCE)
		flags |= ALLOC_MIN_RESERVE;
	return get_page_from_freelist(r->order, flags, &r->ac);
}

/* Reports the caller's mistakes that Linux warns of. False if the request cannot be served. */
static bool is_sane(gfp_t gfp, unsigned int order, int nid)
{
	REPORT_ONCE(order > MAX_PAGE_ORDER && !(gfp & __GFP_NOWARN),
		    "request of order %u, more than %d", order, MAX_PAGE_ORDER);
	REPORT_ONCE(!gfp_mobility_is_valid(gfp),
		    "page allocation with mobility flags that exclude each other: mode:%#x", gfp);
	REPORT_ONCE(!gfp_zone_is_valid(gfp),
		    "page allocation with zone flags that exclude each other: mode:%#x", gfp);
	return order <= MAX_PAGE_ORDER && nid >= NUMA_NO_NODE && nid < (int)nr_online_nodes;
}

/* Limits may have changed, or the next pages may be too many for the memory cgroup. */
static void look_at_limits(const struct request *r)
{
	if (may_wait(r) && !(r->scopes & SCOPE_NORECLAIM))
		limits_look(PAGE_SIZE << r->order);
}

/* The request found no zone above its low mark. */
static struct page *alloc_below_low(struct request *r)
{
	struct page *page;

	if (r->gfp & __GFP_NOFAIL)
		check_nofail(r);
	if (may_wait(r) && os_thread_is_realtime())
		r->scopes |= SCOPE_REALTIME;
	r->alloc_flags = gfp_to_alloc_flags_in_scopes(r->gfp, r->order, r->scopes);
	look_at_limits(r);
	wake_background(r);
	page = try_zones(r);
	if (!page) {
		r->since_ms = os_time_ms();
		page = try_all(r);
	}
	while (!page && r->gfp & __GFP_NOFAIL && may_wait(r) && lock_none_held()) {
		page = wait_and_retry(r);
		if (!page)
			page = try_all(r);
	}
	return page;
}

struct page *page_alloc_node(gfp_t gfp, unsigned int order, int nid,
			     const unsigned long *nodes)
{
	struct request r = { .order = order, .scopes = scopes_current() };
	unsigned int alloc_flags;
	struct page *page;

	if (page_init() || !is_sane(gfp, order, nid))
		return NULL;
	r.gfp = current_gfp_context(gfp & atomic_load_relaxed(&gfp_allowed_mask) & ~GFP_PREFAULT);
	if (limits_are_due())
		look_at_limits(&r);
	alloc_context_prepare(&r.ac, r.gfp, nid, nodes);
	alloc_flags = gfp_to_alloc_flags_fast(r.ac.preferred->zone, r.gfp, order) |
		      flag_for_bit(gfp, GFP_PREFAULT, ALLOC_PREFAULT);
	page = get_page_from_freelist(order, alloc_flags, &r.ac);
	if (likely(page))
		return page;
	/* Nothing helps a request that may use no zone. */
	if (r.ac.preferred->zone)
		page = alloc_below_low(&r);
	/* In a signal handler above a holder, failure is normal and not reported. */
	if (!page && lock_none_held())
		page_report_failure(r.gfp, order, r.ac.nodes);
	return page;
}

struct page *page_alloc_slow(gfp_t gfp, unsigned int order)
{
	return page_alloc_node(gfp, order, NUMA_NO_NODE, NULL);
}
