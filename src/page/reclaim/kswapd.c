/* SPDX-License-Identifier: MIT */
/*
 * The work of Linux's kswapd threads. Linux has one for each node; here one background thread
 * serves all nodes in turn. cf. Linux mm/vmscan.c: wakeup_kswapd(), balance_pgdat().
 *
 * A request leaves a note at each node that it may use: the highest order and the highest zone that
 * somebody wanted. The node is balanced if a zone up to that one passes its high mark with that
 * order. Until then the node's shrinkers are asked, with growing pressure. After a gain of twice
 * the order's pages, order 0 is enough. If a run gains nothing, another follows after
 * KSWAPD_NAP_MS, since a shrinker that cannot help now may help then. After RECLAIM_RETRIES_MAX
 * such runs nothing happens until the next request. If requests asked for as many failed runs in a
 * row, the background thread gives the node up. It comes back once a request's own reclaim succeeds
 * there.
 *
 * A boost raises a zone's marks. If nothing else is wanted, a run gains as many pages as the boost,
 * with light pressure, and then ends the boost. If nobody can run, the boost ends at once.
 */
#include <limits.h>

#include "base/atomic.h"
#include "base/options.h"
#include "os/background.h"
#include "os/lock.h"
#include "page/pcp/pcp.h"
#include "page/reclaim/decay.h"
#include "page/reclaim/pressure.h"
#include "page/reclaim/reclaim.h"
#include "page/scopes.h"
#include "page/zonelist.h"

/* The highest pressure that a boost alone may cause. */
#define BOOST_PRIORITY (RECLAIM_PRIORITY_LIGHTEST - 2)
/* As long as Linux's thread naps. */
#define KSWAPD_NAP_MS 100

/* A note: what is wanted of a node, and whether a request wants it. 0: nothing. */
#define NOTE_ORDER_SHIFT 8
#define NOTE_ASKED 0x80u
#define NOTE_ZONE_MASK 0x7fu

static struct kswapd {
	unsigned int note;	/* Sync: atomic; (1 + order) << NOTE_ORDER_SHIFT | asked | zone */
	unsigned int failures;	/* Sync: atomic relaxed; failed runs that requests asked for */
	unsigned int naps;	/* Sync: atomic relaxed; failed runs since a request asked */
} kswapds[MAX_NUMNODES];

/* The node's populated zones up to `highest`. */
#define for_each_zone_of(z, nid, highest)					\
	for ((z) = NODE_DATA(nid)->node_zones;					\
	     (z) <= &NODE_DATA(nid)->node_zones[highest]; (z)++)		\
		if (!populated_zone_of(nid, (z) - NODE_DATA(nid)->node_zones)) {	\
		} else

/* --- What is wanted -------------------------------------------------------------- */

/* `asked` is NOTE_ASKED or 0. */
static void leave_note(unsigned int nid, unsigned int order, enum zone_type highest,
		       unsigned int asked)
{
	unsigned int *note = &kswapds[nid].note, before = atomic_load_relaxed(note), after;

	do {
		after = max(before >> NOTE_ORDER_SHIFT, order + 1) << NOTE_ORDER_SHIFT |
			(before & NOTE_ASKED) | asked |
			max(before & NOTE_ZONE_MASK, (unsigned int)highest);
	} while (!atomic_cas_relaxed(note, &before, after));
}

bool kswapd_gave_up(unsigned int nid)
{
	return atomic_load_relaxed(&kswapds[nid].failures) >= RECLAIM_RETRIES_MAX;
}

void kswapd_revive(unsigned int nid)
{
	atomic_store_relaxed(&kswapds[nid].failures, 0);
}

/*
 * One balanced zone is enough, and a node without zones needs nothing. cf. Linux pgdat_balanced()
 */
static bool node_is_balanced(unsigned int nid, unsigned int order, enum zone_type highest)
{
	bool has_zones = false;
	struct zone *z;

	for_each_zone_of(z, nid, highest) {
		if (zone_watermark_ok(z, order, wmark_pages(z, WMARK_HIGH), highest, 0))
			return true;
		has_zones = true;
	}
	return !has_zones;
}

static bool node_is_boosted(unsigned int nid, enum zone_type highest)
{
	struct zone *z;

	for_each_zone_of(z, nid, highest)
		if (atomic_load_relaxed(&z->watermark_boost))
			return true;
	return false;
}

static void end_boosts(unsigned int nid, enum zone_type highest)
{
	struct zone *z;

	for_each_zone_of(z, nid, highest)
		zone_lower_boost(z, ULONG_MAX);
}

/* --- One run for one node -------------------------------------------------------- */

struct run {
	gfp_t gfp;
	unsigned int nid, order;
	enum zone_type highest;
	unsigned long available;	/* pages, when they were last counted */
	unsigned long gained;
	unsigned long boosts[MAX_NR_ZONES];
	/*
	 * Pages that are still to be freed because watermarks were boosted. 0: there are none, or
	 * the node is not balanced even without the boosts; then this run only balances it.
	 */
	unsigned long boost;
};

static void begin(struct run *run)
{
	struct zone *z;

	run->available = reclaim_available_pages();
	for_each_zone_of(z, run->nid, run->highest) {
		run->boosts[z->index] = atomic_load_relaxed(&z->watermark_boost);
		run->boost += run->boosts[z->index];
		zone_set_flag(z, ZONE_RECLAIM_ACTIVE);
		/*
		 * From here on large blocks that are freed go to the zone, not to per-CPU lists,
		 * where the marks would not count them.
		 */
		pcp_return_blocks(z);
	}
}

void reclaim_forget(void)
{
	struct zone *z;

	for_each_populated_zone(z)
		zone_clear_flag(z, ZONE_RECLAIM_ACTIVE);
	decay_forget();
	pressure_forget();
}

static void end(const struct run *run)
{
	struct zone *z;

	for_each_zone_of(z, run->nid, run->highest) {
		zone_clear_flag(z, ZONE_RECLAIM_ACTIVE);
		zone_lower_boost(z, run->boosts[z->index]);
	}
}

/* After a gain of this many pages in a round, more pressure is not needed. */
static unsigned long enough_for(const struct run *run)
{
	unsigned long pages = 0;
	struct zone *z;

	for_each_zone_of(z, run->nid, run->highest)
		pages += max(wmark_pages(z, WMARK_HIGH), RECLAIM_PAGES);
	return pages;
}

static unsigned long ask_shrinkers(struct run *run, int priority)
{
	unsigned long left = 0;
	unsigned long gained = reclaim_node(run->gfp, run->nid, priority, &left, &run->available);

	/* The marks do not count pages on this CPU's lists. cf. pcp_drain_all_and_hold() */
	lock_acquire(&page_drain_lock);
	pcp_drain_local(NULL);
	lock_release(&page_drain_lock);
	run->gained += gained;
	if (run->order && run->gained >= 2UL << run->order)
		run->order = 0;
	return gained;
}

/*
 * Asks the node's shrinkers with growing pressure. True once the node is balanced and its boosts'
 * pages were gained.
 */
static bool shrink_until_balanced(struct run *run)
{
	int priority = RECLAIM_PRIORITY_LIGHTEST;

	while (priority >= 1) {
		bool balanced = node_is_balanced(run->nid, run->order, run->highest);
		bool more_pressure;
		unsigned long gained;

		if (!balanced && run->boost) {
			run->boost = 0;
			priority = RECLAIM_PRIORITY_LIGHTEST;
		}
		if (balanced && !run->boost)
			return true;
		more_pressure = !run->boost || priority != BOOST_PRIORITY;
		gained = ask_shrinkers(run, priority);
		run->boost -= min(run->boost, gained);
		/* (Linux gives a boost up earlier: its lists always have pages to scan.) */
		if (run->boost && !gained && priority == BOOST_PRIORITY)
			return false;
		if (!gained || (more_pressure && gained < enough_for(run)))
			priority--;
	}
	return false;
}

/* True if there was progress. */
static bool balance_node(gfp_t gfp, unsigned int nid, unsigned int order, enum zone_type highest,
			 bool asked)
{
	struct run run = { .gfp = gfp, .nid = nid, .order = order, .highest = highest };
	bool balanced;

	atomic_add_relaxed(&reclaim_events.pageoutrun, 1UL);
	begin(&run);
	balanced = shrink_until_balanced(&run);
	end(&run);
	if (run.gained)
		kswapd_revive(nid);
	else if (!balanced && asked)
		atomic_add_relaxed(&kswapds[nid].failures, 1);
	return run.gained;
}

/* When does the node want another run? */
enum next_run { NO_RUN, RUN_AT_ONCE, RUN_AFTER_NAP };

static enum next_run run_for_node(gfp_t gfp, unsigned int nid)
{
	unsigned int note, asked, *naps = &kswapds[nid].naps;
	enum zone_type highest;
	bool gained;

	if (kswapd_gave_up(nid))
		return NO_RUN;
	/*
	 * Relaxed, as the swap in leave_note() is. The background_wake() that follows there pairs
	 * with run() in os/background.c, so this thread sees the note.
	 */
	note = atomic_exchange_relaxed(&kswapds[nid].note, 0);
	if (!note)
		return NO_RUN;
	highest = (enum zone_type)(note & NOTE_ZONE_MASK);
	if (!shrinkers_exist()) {
		end_boosts(nid, highest);
		return NO_RUN;
	}
	asked = note & NOTE_ASKED;
	gained = balance_node(gfp, nid, (note >> NOTE_ORDER_SHIFT) - 1, highest, asked);
	if (gained || asked)
		atomic_store_relaxed(naps, 0);
	if (node_is_balanced(nid, 0, highest) || kswapd_gave_up(nid))
		return NO_RUN;
	if (!gained && atomic_add_relaxed(naps, 1) >= RECLAIM_RETRIES_MAX)
		return NO_RUN;
	leave_note(nid, 0, highest, gained ? asked : 0);
	return gained ? RUN_AT_ONCE : RUN_AFTER_NAP;
}

/*
 * Serves the nodes in turn, one run each, until none wants another run at once. So no node waits
 * for the end of another's work. Returns the milliseconds to the next runs; 0: there is none.
 */
static unsigned int run_for_all_nodes(void)
{
	unsigned long napping = 0;	/* a bit for each node that is to run after a nap */
	bool again;

	do {
		again = false;
		for (unsigned int nid = 0; nid < nr_online_nodes; nid++) {
			enum next_run next = NO_RUN;

			if (!(napping >> nid & 1))
				next = run_for_node(GFP_KERNEL, nid);
			if (next == RUN_AFTER_NAP)
				napping |= 1UL << nid;
			again |= next == RUN_AT_ONCE;
		}
	} while (again);
	return napping ? KSWAPD_NAP_MS : 0;
}

unsigned int reclaim_background_work(void)
{
	unsigned int scope = scopes_enter(SCOPE_NORECLAIM | SCOPE_KSWAPD);
	unsigned int run_ms = run_for_all_nodes();

	scopes_leave(SCOPE_NORECLAIM | SCOPE_KSWAPD, scope);
	return pressure_work(background_sooner(run_ms, decay_background_work()));
}

/*
 * Without a background thread the request's own thread runs, with the request's flags for the
 * shrinkers. It does not nap; the next request continues.
 */
static void run_in_request(gfp_t gfp, unsigned int nid)
{
	unsigned int scope = scopes_enter(SCOPE_NORECLAIM | SCOPE_KSWAPD);

	while (run_for_node(gfp, nid) == RUN_AT_ONCE)
		;
	scopes_leave(SCOPE_NORECLAIM | SCOPE_KSWAPD, scope);
}

/* --- Who wants it ------------------------------------------------------------------ */

/* Leaves a note. Is there anything to do for it? */
static bool node_wants_run(unsigned int nid, unsigned int order, enum zone_type highest)
{
	leave_note(nid, order, highest, NOTE_ASKED);
	if (!shrinkers_exist() || kswapd_gave_up(nid))
		return false;
	return !node_is_balanced(nid, order, highest) || node_is_boosted(nid, highest);
}

/*
 * Wakes the background thread, or does its work here if there is none. False if nobody can do it.
 */
static bool run_somewhere(gfp_t gfp, unsigned int nid)
{
	unsigned int scopes = scopes_current();

	if (scopes & SCOPE_KSWAPD)
		return true;
	if (!lock_none_held())
		return false;
	if (options.background != OPTION_BACKGROUND_OFF)
		return reclaim_wake_background();
	if (!(gfp & __GFP_DIRECT_RECLAIM) || (scopes & SCOPE_NORECLAIM))
		return false;
	run_in_request(gfp, nid);
	return true;
}

static void wake_node(unsigned int nid, gfp_t gfp, unsigned int order, enum zone_type highest)
{
	if (!node_wants_run(nid, order, highest) || !run_somewhere(gfp, nid))
		end_boosts(nid, highest);
}

void kswapd_wake_all(const struct alloc_context *ac, gfp_t gfp, unsigned int order)
{
	unsigned int last = MAX_NUMNODES;
	const struct zoneref *ref;
	struct zone *z;

	for_each_zone_zonelist(z, ref, ac) {
		if (z->node != last)
			wake_node(z->node, gfp, order, ac->highest);
		last = z->node;
	}
}

void kswapd_wake_for_boost(const struct zone *z)
{
	wake_node(z->node, 0, 0, z->index);
}
